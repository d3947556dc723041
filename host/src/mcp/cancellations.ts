import type { Params } from './json-rpc.ts';

/** Identifies a request. Ids are unique only within one client. Clients are told apart as well as a stateless server can. */
export interface RequestKey {
  credential: string;
  endpoint: string;
  id: unknown;
}

/** Requests that are being answered, so that `notifications/cancelled` finds them. */
export class Cancellations {
  readonly #running = new Map<string, Set<AbortController>>();

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
    const controllers = this.#running.get(textOf({ ...key, id: params?.['requestId'] }));
    if (controllers?.size !== 1) return;
    for (const controller of controllers) controller.abort(canceledByClient);
  }
}

/** The reason of an abort that the client asked for by a notification: it expects no response. */
export const canceledByClient = new DOMException('canceled by the client', 'AbortError');

const textOf = ({ credential, endpoint, id }: RequestKey): string => JSON.stringify([credential, endpoint, id]);
