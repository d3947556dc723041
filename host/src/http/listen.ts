import type { Logger } from '@sextant/core';
import { createApp } from './app.ts';
import { limitConnections } from './connections.ts';
import type { Serving } from '../server/generation.ts';
import { closeWithin, listeningURL, openServer } from './http-server.ts';
import { bracketed } from './listening-address.ts';
import { ListenerState } from './listener-state.ts';
import { MetricsListener } from './metrics-listener.ts';
import { isLoopbackName } from './origin.ts';
import { requestTimes } from './request-times.ts';
import type { RequestTimes } from './request-times.ts';

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
  /** Listens for metrics where the configuration in force says; for when that has changed. */
  follow(): Promise<void>;
  /** Takes nothing new, lets the answers in progress end, and cuts those off that take longer. */
  close(graceMs: number): Promise<void>;
}

/** Serves over HTTP. Throws what `addressError` says when the port is taken or the address is not this machine's. */
export async function listen({ serving, host, port, log, times = requestTimes }: ListenOptions): Promise<Listener> {
  const state = new ListenerState({ serving, log, isLoopback: isLoopbackName(bracketed(host)) });
  const address = { host, port };
  const http = await openServer(state, { app: createApp(state), address, times });
  limitConnections(http, state);
  const metrics = new MetricsListener(state);
  const close = async (graceMs: number): Promise<void> => {
    await Promise.all([closeWithin(http, graceMs), metrics.close()]);
  };
  await metrics.follow().catch(async (error: unknown) => {
    await close(0);
    throw error;
  });
  return { url: listeningURL(http, address), follow: () => metrics.follow(), close };
}
