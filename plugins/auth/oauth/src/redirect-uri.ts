const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Schemes that a browser runs, shows or fetches itself. */
const foreignSchemes = /^(javascript|vbscript|data|blob|file|filesystem|about|view-source|ftp|ws|wss):$/;

export const redirectRule =
  'https, http to 127.0.0.1, [::1] or localhost only, or a scheme of the application itself; no fragment, user or password';

/** Whether codes may be sent there (RFC 8252 section 7, RFC 9700 section 2.1). */
export function isAllowedRedirect(value: string): boolean {
  const uri = URL.parse(value);
  if (!uri || value.length > 2048 || value.includes('#') || uri.username !== '' || uri.password !== '') return false;
  if (uri.protocol === 'http:') return loopback.test(uri.hostname);
  if (uri.protocol === 'https:') return !loopback.test(uri.hostname);
  return !foreignSchemes.test(uri.protocol);
}

export const isLoopbackRedirect = (value: string): boolean => {
  const uri = URL.parse(value);
  return uri !== null && loopback.test(uri.hostname);
};

/** Where a code goes, for a person: a host, or the scheme of an application. */
export function redirectTarget(value: string): string {
  const uri = new URL(value);
  return /^https?:$/.test(uri.protocol) ? uri.host : uri.protocol;
}

/** The same for `form-action`: browsers apply it to where a form's answer redirects, too. */
export function redirectSource(value: string): string {
  const uri = new URL(value);
  return /^https?:$/.test(uri.protocol) ? uri.origin : uri.protocol;
}
