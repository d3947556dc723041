import { paths } from '../paths.ts';

/**
 * A request as the library of the protocol gets it. Where a flow begins, that is without the library's own session, in
 * which a person would stay signed in after signing out here.
 */
export function toLibrary(request: Request, sessionCookie: string): Request {
  const url = new URL(request.url);
  if (request.method !== 'GET' || !(url.pathname.startsWith(paths.authorize) || url.pathname === paths.device))
    return request;
  narrow(url);
  const headers = new Headers(request.headers);
  const isOfLibrary = (cookie: string): boolean =>
    [sessionCookie, `${sessionCookie}.sig`].includes(cookie.split('=')[0] ?? '');
  const kept = (headers.get('cookie') ?? '').split(/; */).filter((cookie) => !isOfLibrary(cookie));
  headers.set('cookie', kept.join('; '));
  return new Request(url, { headers });
}

function narrow(url: URL): void {
  const code = url.searchParams.get('user_code');
  // A code in a link is only filled in: the library would send it on by a script.
  if (url.pathname === paths.device) url.search = code === null ? '' : `?${new URLSearchParams({ hint: code })}`;
  // A token is good for one endpoint, and the person is asked about one: several are none of ours (RFC 8707 section 2).
  if (new Set(url.searchParams.getAll('resource')).size > 1) url.searchParams.set('resource', 'urn:several');
  // Others are pages with a script, and the library answers by them even to refuse them.
  if ((url.searchParams.get('response_mode') ?? 'query') !== 'query')
    url.searchParams.set('response_mode', 'unsupported');
}
