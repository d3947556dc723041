/** Longer ones are forgotten: browsers and proxies end below that anyway. */
const maxLength = 2000;
const base = 'http://return.invalid';

/**
 * Where to go after signing in: the path that `?return=` names, or `/` when that is none of this server (open redirects,
 * CWE-601). What a browser would make of it decides, so `//host`, `/\host` and tabs in between are caught.
 */
export function returnPath(wanted: string | null): string {
  if (wanted === null || wanted.length > maxLength || !wanted.startsWith('/')) return '/';
  const url = URL.parse(wanted, base);
  if (url?.origin !== base || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
