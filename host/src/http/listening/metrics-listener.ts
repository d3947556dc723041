import type { Server } from 'node:http';
import { createHealthApp } from '../app.ts';
import { closeWithin, listeningURL, openServer } from './http-server.ts';
import type { ListenerState } from './listener-state.ts';
import { addressIn, bracketed } from './listening-address.ts';
import { isLoopbackName } from '../origin.ts';
import { requestTimes } from './request-times.ts';

/** Few machines ask, and each seldom. */
const mostConnections = 64;
const graceMs = 100;
const settings = { host: 'metrics.listen', port: 'metrics.listen' };

/** Tells the state of the server on the address that `metrics.listen` names, to whoever reaches it. */
export class MetricsListener {
  readonly #state: ListenerState;
  #server: Server | undefined;
  #listensOn: string | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(state: ListenerState) {
    this.#state = state;
  }

  /** Listens where the configuration in force says. Throws what `addressError` says, and goes on where it listened. */
  follow(): Promise<void> {
    const following = this.#last.then(() => this.#move(this.#state.serving.current.settings['metrics.listen']));
    this.#last = following.catch(() => undefined);
    return following;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#move(undefined);
  }

  async #move(to: string | undefined): Promise<void> {
    if (to === this.#listensOn) return;
    const next = to === undefined ? undefined : await this.#open(to);
    const before = this.#server;
    [this.#server, this.#listensOn] = [next, to];
    if (before) await closeWithin(before, graceMs);
  }

  async #open(listensOn: string): Promise<Server> {
    const address = addressIn(listensOn);
    const isLoopback = isLoopbackName(bracketed(address.host));
    const app = createHealthApp(this.#state, isLoopback);
    const server = await openServer(this.#state, { app, address, times: requestTimes, settings });
    server.maxConnections = mostConnections;
    const { log } = this.#state;
    log.info({ url: listeningURL(server, address) }, 'metrics');
    if (!isLoopback)
      log.warn({}, `WARNING: metrics.listen ${listensOn} tells names of repositories to every machine that reaches it`);
    return server;
  }
}
