import { SextantError } from '@sextant/core';

/** Under which names this server may be called. */
export interface Reach {
  /** Whether it listens on the loopback interface only. */
  isLoopback: boolean;
  externalURL: string;
}

/** Whether a host name, as URLs spell it, means this machine: 127.0.0.0/8, ::1, localhost and names below it. */
export const isLoopbackName = (hostname: string): boolean =>
  /^(127\.\d+\.\d+\.\d+|\[::1\]|(.+\.)?localhost)$/.test(hostname);

/**
 * Keeps web pages from reaching the server through the browser of somebody who can. That is a page under a name that was
 * pointed at this machine (DNS rebinding), or a page of an origin that was not admitted. The returned function throws
 * `forbidden`.
 */
export function originCheck({ isLoopback, externalURL }: Reach): (headers: Headers, isAdmitted?: boolean) => void {
  const external = new URL(externalURL);
  return (headers, isAdmitted = false) => {
    const host = headers.get('host') ?? '';
    if (isLoopback && host !== external.host && !isLoopbackName(hostnameOf(host)))
      throw new SextantError('forbidden', `this server is not called by that Host; use ${external.host}`);
    const origin = headers.get('origin');
    if (origin !== null && !isAdmitted && !isAllowedOrigin(origin, host, external))
      throw new SextantError(
        'forbidden',
        `requests from pages of that Origin are refused; allowed is ${external.origin}`,
      );
  };
}

/**
 * Whether a browser says that a page of exactly this server made a request. Other ports of this machine, to which cookies
 * are sent too, are others here.
 */
export function isOfOwnPage(headers: Headers, externalURL: string): boolean {
  const site = headers.get('sec-fetch-site');
  const origin = URL.parse(headers.get('origin') ?? '');
  if (origin === null || (site !== null && site !== 'same-origin')) return false;
  return origin.host === headers.get('host') || origin.origin === new URL(externalURL).origin;
}

function isAllowedOrigin(origin: string, host: string, external: URL): boolean {
  const url = URL.parse(origin);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.host === host || url.origin === external.origin || isLoopbackName(url.hostname);
}

const hostnameOf = (host: string): string => URL.parse(`http://${host}`)?.hostname ?? '';
