import type { Server } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { H3 } from 'h3';
import { serve } from 'h3';
import { addressError, bracketed } from './listening-address.ts';
import type { Address, AddressSettings } from './listening-address.ts';
import type { ListenerState } from './listener-state.ts';
import type { Certificate } from './certificate.ts';
import { enforceTimes } from './request-times.ts';
import type { RequestTimes } from './request-times.ts';

/** How often connections are looked at that became idle while the server closes. */
const idleCheckMs = 50;

export interface ServerOptions {
  readonly app: H3;
  readonly address: Address;
  readonly times: RequestTimes;
  /** What to change where nothing can listen there. */
  readonly settings?: AddressSettings;
  /** Absent: http. */
  readonly certificate?: Certificate;
}

/** Listens for HTTP with every limit of time in force. Throws what `addressError` says when that cannot be. */
export async function openServer({ serving, log }: ListenerState, options: ServerOptions): Promise<Server> {
  const { app, address, times, settings, certificate } = options;
  // The library would speak HTTP/2 with TLS, where each limit on connections and times means something else.
  const node = {
    ...times,
    ...(certificate && { ...certificate, handshakeTimeout: times.headersTimeout, http2: false }),
  };
  const server = serve(app, {
    hostname: address.host,
    port: address.port,
    silent: true,
    gracefulShutdown: false,
    node,
  });
  await server.ready().catch((error: unknown) => {
    throw addressError(address, error, settings);
  });
  const http = server.node?.server;
  if (!http || !('closeIdleConnections' in http)) throw new Error('the HTTP library gave no HTTP/1 server');
  http.on('error', (error) => log.error({ err: error }, 'server error'));
  enforceTimes(http, { quietMs: times.quietMs, callMs: () => serving.current.limits.timeoutMs });
  return http;
}

/** Takes nothing new, lets the answers in progress end, and cuts those off that take longer than `graceMs`. */
export async function closeWithin(http: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeIdleConnections();
  // A connection whose answer ends now would be kept alive for the next request.
  const idle = setInterval(() => http.closeIdleConnections(), idleCheckMs);
  const late = setTimeout(() => http.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}

/** Where a server really listens, without a slash at the end. */
export const listeningURL = (http: Server, { host }: Address): string =>
  `${http instanceof HttpsServer ? 'https' : 'http'}://${bracketed(host)}:${portOf(http.address())}`;

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;
