import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '@sextant/core';
import { serve } from 'h3';
import { createApp } from './app.ts';
import { limitConnections } from './connections.ts';
import type { Serving } from './generation.ts';
import { addressError, bracketed } from './listening-address.ts';
import { ListenerState } from './listener-state.ts';
import { isLoopbackName } from './origin.ts';
import { enforceTimes, requestTimes } from './request-times.ts';
import type { RequestTimes } from './request-times.ts';

/** How often connections are looked at that became idle while the server closes. */
const idleCheckMs = 50;

export interface ListenOptions {
  serving: Serving;
  host: string;
  /** 0: any that is free. */
  port: number;
  log: Logger;
  times?: RequestTimes;
}

export interface Listener {
  /** Where it really listens, without a slash at the end. */
  readonly url: string;
  /** Takes nothing new, lets the answers in progress end, and cuts those off that take longer. */
  close(graceMs: number): Promise<void>;
}

/** Serves over HTTP. Throws what `addressError` says when the port is taken or the address is not this machine's. */
export async function listen({ serving, host, port, log, times = requestTimes }: ListenOptions): Promise<Listener> {
  const state = new ListenerState({ serving, log, isLoopback: isLoopbackName(bracketed(host)) });
  const node = { ...times };
  const server = serve(createApp(state), { hostname: host, port, silent: true, gracefulShutdown: false, node });
  await server.ready().catch((error: unknown) => {
    throw addressError({ host, port }, error);
  });
  const http = server.node?.server;
  if (!http || !('closeIdleConnections' in http)) throw new Error('the HTTP library gave no HTTP/1 server');
  http.on('error', (error) => log.error({ err: error }, 'server error'));
  limitConnections(http, state);
  enforceTimes(http, { quietMs: times.quietMs, callMs: () => serving.current.limits.timeoutMs });
  return {
    url: `http://${bracketed(host)}:${portOf(http.address())}`,
    close: (graceMs) => closeWithin(http, graceMs),
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
