/** Longer ones are forgotten: browsers and proxies end below that anyway. */
const maxLength = 2000;
const base = 'http://return.invalid';

/**
 * The path to go to after signing in: that of `?return=`, or `/` if it leaves this server (open redirects, CWE-601). It
 * is resolved as a browser does, so `//host`, `/\host` and tabs in between are caught.
 */
export function returnPath(wanted: string | null): string {
  if (wanted === null || wanted.length > maxLength || !wanted.startsWith('/')) return '/';
  const url = URL.parse(wanted, base);
  if (url?.origin !== base || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
