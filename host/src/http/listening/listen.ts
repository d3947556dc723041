import type { Server } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { Server as HttpsServer } from 'node:https';
import { messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { createApp } from '../app.ts';
import { RenewedCertificate, readCertificate } from './certificate.ts';
import { limitConnections } from './connections.ts';
import { MemoryWatch, collectGarbage, keepHeapsSmall, memoryLimit, residentBytes } from '../../server/memory-watch.ts';
import type { Serving } from '../../server/generation.ts';
import { closeWithin, listeningURL, openServer } from './http-server.ts';
import { bracketed } from './listening-address.ts';
import { ListenerState } from './listener-state.ts';
import { MetricsListener } from './metrics-listener.ts';
import { isLoopbackName } from '../origin.ts';
import { requestTimes } from './request-times.ts';
import type { RequestTimes } from './request-times.ts';

export interface ListenOptions {
  serving: Serving;
  host: string;
  /** 0: any that is free. */
  port: number;
  /** Where relative paths of the configuration begin. */
  folder: string;
  log: Logger;
  times?: RequestTimes;
}

export interface Listener {
  /** Where it really listens, without a slash at the end. */
  readonly url: string;
  /**
   * Puts into force what another configuration says of the certificate and of `metrics.listen`. What cannot be in
   * force is logged, and goes on as it was.
   */
  follow(): Promise<void>;
  /**
   * Refuses new calls with 503 and says so at `/readyz` while the answers in progress end; then closes. What takes
   * longer is cut off.
   */
  close(graceMs: number): Promise<void>;
}

/**
 * Serves over HTTP, or over https where the configuration has `tls`. Throws what `addressError` says when the port is
 * taken or the address is not this machine's, and what `readCertificate` says.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { serving, host, port, folder, log, times = requestTimes } = options;
  const state = new ListenerState({ serving, log, isLoopback: isLoopbackName(bracketed(host)) });
  const address = { host, port };
  const files = serving.current.settings.tls;
  const certificate = files && (await readCertificate({ files, folder }));
  const http = await openServer(state, { app: createApp(state), address, times, ...(certificate && { certificate }) });
  limitConnections(http, state);
  const tls = http instanceof HttpsServer ? new RenewedCertificate(http, { serving, folder, log }) : undefined;
  const metrics = new MetricsListener(state);
  const stopWatchingMemory = watchMemory(state);
  const close = async (graceMs: number): Promise<void> => {
    const end = performance.now() + graceMs;
    stopWatchingMemory();
    await drain(http, state, graceMs);
    tls?.close();
    await Promise.all([closeWithin(http, Math.max(0, end - performance.now())), metrics.close()]);
  };
  const follow = async (): Promise<void> => {
    if (tls) await tls.follow();
    else if (serving.current.settings.tls) log.warn({}, 'https instead of http is in force at the next start');
    await metrics
      .follow()
      .catch((error: unknown) => log.error({}, `metrics.listen is not in force: ${messageOf(error)}`));
  };
  try {
    await tls?.follow();
    await metrics.follow();
  } catch (error) {
    await close(0);
    throw error;
  }
  return { url: listeningURL(http, address), follow, close };
}

/** A client that sends its next call at this moment on a connection that it keeps is answered, not cut off. */
const lingerMs = 500;
const lookMs = 20;

/** Goes on listening until no call is in flight, so that whoever asks learns where the server stands. */
async function drain(http: Server, state: ListenerState, graceMs: number): Promise<void> {
  state.isDraining = true;
  const begun = performance.now();
  const hasConnections = await new Promise<boolean>((resolve) => {
    http.getConnections((_, count) => resolve(count > 0));
  });
  const least = hasConnections ? Math.min(lingerMs, graceMs) : 0;
  for (;;) {
    const passed = performance.now() - begun;
    if (passed >= graceMs || (passed >= least && state.inFlight.total === 0)) return;
    await setTimeout(lookMs);
  }
}

/** Gives up the caches of the configuration in force. */
function watchMemory({ serving, inFlight, log }: ListenerState): () => void {
  const watch = new MemoryWatch({
    mostBytes: () => memoryLimit(serving.current.settings.limits.memoryBytes),
    residentBytes,
    limit: keepHeapsSmall,
    shed: () => {
      for (const { plugin, reason } of serving.current.assembly.shed())
        log.error({ plugin }, `its caches could not be given up: ${reason}`);
      collectGarbage();
    },
    tell: (isShort) => (inFlight.isShortOfMemory = isShort),
    log,
  });
  return watch.start();
}
