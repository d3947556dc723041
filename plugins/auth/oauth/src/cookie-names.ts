/** What the cookies of the protocol's library are called. */
export interface CookieNames {
  readonly session: string;
  readonly interaction: string;
  readonly resume: string;
}

/**
 * On https with the prefixes that bind a cookie to exactly this host, or to https where it is for one path (RFC 6265bis
 * section 4.1.3); on http with the port, because all servers of a machine share its cookies.
 */
export function cookieNames(externalURL: string): CookieNames {
  const { protocol, port } = new URL(externalURL);
  const isSecure = protocol === 'https:';
  const suffix = isSecure || port === '' ? '' : `-${port}`;
  return {
    session: `${isSecure ? '__Host-' : ''}sextant-oauth${suffix}`,
    interaction: `${isSecure ? '__Secure-' : ''}sextant-oauth-consent${suffix}`,
    resume: `${isSecure ? '__Secure-' : ''}sextant-oauth-resume${suffix}`,
  };
}
