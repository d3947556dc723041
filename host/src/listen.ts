import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '@sextant/core';
import { serve } from 'h3';
import { createApp } from './app.ts';
import { bodyTimes, limitBodyTimes } from './body-times.ts';
import type { BodyTimes } from './body-times.ts';
import type { Serving } from './generation.ts';
import { addressError, bracketed } from './listening-address.ts';
import { ListenerState } from './listener-state.ts';
import { isLoopbackName } from './origin.ts';

/** Milliseconds. Keep-alive is longer than the usual proxy's 60 s. What limits bodies is `limitBodyTimes`. */
const timeouts = {
  headersTimeout: 20_000,
  requestTimeout: 0,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

/** How often connections are looked at that became idle while the server closes. */
const idleCheckMs = 50;

export interface ListenOptions {
  serving: Serving;
  host: string;
  /** 0: any that is free. */
  port: number;
  log: Logger;
  bodies?: BodyTimes;
}

export interface Listener {
  /** Where it really listens, without a slash at the end. */
  readonly url: string;
  /** Takes nothing new, lets the answers in progress end, and cuts those off that take longer. */
  close(graceMs: number): Promise<void>;
}

/** Serves over HTTP. Throws what `addressError` says when the port is taken or the address is not this machine's. */
export async function listen({ serving, host, port, log, bodies = bodyTimes }: ListenOptions): Promise<Listener> {
  const app = createApp(new ListenerState({ serving, log, isLoopback: isLoopbackName(bracketed(host)) }));
  const server = serve(app, { hostname: host, port, silent: true, gracefulShutdown: false, node: timeouts });
  await server.ready().catch((error: unknown) => {
    throw addressError({ host, port }, error);
  });
  const http = server.node?.server;
  if (!http || !('closeIdleConnections' in http)) throw new Error('the HTTP library gave no HTTP/1 server');
  http.on('error', (error) => log.error({ err: error }, 'server error'));
  const stopLimiting = limitBodyTimes(http, bodies);
  return {
    url: `http://${bracketed(host)}:${portOf(http.address())}`,
    close: (graceMs) => closeWithin(http, graceMs).finally(stopLimiting),
  };
}

async function closeWithin(http: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeIdleConnections();
  // A connection whose answer ends now would be kept alive for the next request.
  const idle = setInterval(() => http.closeIdleConnections(), idleCheckMs);
  const late = setTimeout(() => http.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;
