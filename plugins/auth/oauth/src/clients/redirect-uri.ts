const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Schemes that a browser runs, shows or fetches itself. */
const foreignSchemes =
  /^(https?|javascript|vbscript|data|blob|file|filesystem|about|view-source|ftp|wss?|mailto|tel|sms|intent|chrome|edge|resource|jar):$/;

/**
 * The letters of RFC 3986 section 2 without `#`, which begins a fragment, and `*`, which some servers take for a pattern. A
 * browser would drop control characters and turn backslashes round, so that what is shown, compared and gone to would differ.
 */
const letters = /^[A-Za-z0-9\-._~:/?[\]@!$&'()+,;=%]{1,2048}$/;
const encodedControl = /%(?:[01][0-9a-f]|7f)/i;
/** Written out, as it is compared and shown: an address has many other spellings. No user or password. */
const authority = /^[a-z][a-z0-9+.-]*:\/\/[^/?@]+(?=[/?]|$)/i;
const loopbackAuthority = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(?=[/?]|$)/;
const userInfo = /^[^/?]*:\/\/[^/?]*@/;

const ruleOf = (schemes: string): string =>
  `https, http to 127.0.0.1, [::1] or localhost only, or ${schemes}; no fragment, user, password, \`*\`, backslash or control character`;

export const redirectRule = ruleOf('a scheme of the application itself');
export const registrationRule = (schemes: readonly string[]): string =>
  ruleOf(['a scheme of the application itself that has a dot', ...schemes].join(', '));

/** Whether codes may be sent there (RFC 8252 section 7, RFC 9700 section 2.1); a scheme of an application may be any. */
export function isAllowedRedirect(value: string): boolean {
  const uri = URL.parse(value);
  if (!uri || !letters.test(value) || encodedControl.test(value) || userInfo.test(value)) return false;
  if (uri.protocol === 'http:') return loopbackAuthority.test(value);
  if (uri.protocol === 'https:') return authority.test(value) && !loopback.test(uri.hostname);
  return isApplicationScheme(uri.protocol.slice(0, -1));
}

/** Whether a scheme, without its colon, can be an application's. */
export const isApplicationScheme = (scheme: string): boolean =>
  /^[a-z][a-z0-9+.-]*$/.test(scheme) && !foreignSchemes.test(`${scheme}:`);

/**
 * Whether a client that nobody checked may have codes sent there: a scheme must be a domain turned round, which has a dot
 * (RFC 8252 section 7.1), or one of those named. Any application may claim a short one.
 */
export function isAllowedToRegister(value: string, schemes: readonly string[]): boolean {
  if (!isAllowedRedirect(value)) return false;
  const scheme = new URL(value).protocol.slice(0, -1);
  return scheme === 'http' || scheme === 'https' || scheme.includes('.') || schemes.includes(scheme);
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
