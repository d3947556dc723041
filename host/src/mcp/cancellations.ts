import type { Announcements } from '@sextant/core';
import type { Params } from './messages/json-rpc.ts';

const topic = 'canceled-request';

/** Identifies a request. Ids are unique only within one client. Clients are told apart as well as a stateless server can. */
export interface RequestKey {
  credential: string;
  endpoint: string;
  id: unknown;
}

/** Requests that are being answered, so that `notifications/cancelled` finds them. */
export class Cancellations {
  readonly #announcements: Announcements | undefined;
  readonly #running = new Map<string, Set<AbortController>>();

  /** Other hosts are told what is not found here: a balancer may bring the notification to another one. */
  constructor(announcements?: Announcements) {
    this.#announcements = announcements;
    announcements?.listen(topic, (text) => void (text !== undefined && this.#stop(text)));
  }

  /** Enters a request until the returned function is called. */
  enter(key: RequestKey, controller: AbortController): () => void {
    const text = textOf(key);
    const controllers = this.#running.get(text) ?? new Set();
    this.#running.set(text, controllers.add(controller));
    return () => {
      controllers.delete(controller);
      if (controllers.size === 0 && this.#running.get(text) === controllers) this.#running.delete(text);
    };
  }

  /** Stops the one request that a notification means. Two clients with one credential may use one id: then none is stopped. */
  cancel(key: Omit<RequestKey, 'id'>, params: Params | undefined): void {
    const text = textOf({ ...key, id: params?.['requestId'] });
    if (!this.#stop(text)) this.#announcements?.announce(topic, text);
  }

  /** Whether it runs here. */
  #stop(text: string): boolean {
    const controllers = this.#running.get(text);
    if (controllers?.size === 1) for (const controller of controllers) controller.abort(canceledByClient);
    return controllers !== undefined;
  }
}

/** The reason of an abort that the client asked for by a notification: it expects no response. */
export const canceledByClient = new DOMException('canceled by the client', 'AbortError');

const textOf = ({ credential, endpoint, id }: RequestKey): string => JSON.stringify([credential, endpoint, id]);
