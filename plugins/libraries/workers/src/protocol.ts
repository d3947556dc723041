/** Requests that a thread has at once: one that it answers and one ahead. */
export const slots = 2;

/** What a thread is started with: a number above 0 in the slot of a request that nobody waits for any more. */
export interface ThreadData {
  readonly canceled: Int32Array<SharedArrayBuffer>;
}

export interface Posted<Q> {
  readonly request: Q;
  readonly slot: number;
}

/** The first message of a thread: it has loaded what it needs, and begins to answer. */
export const ready = 'ready';

/** Requests are answered in turn. */
export interface Reply<A> {
  readonly answer: A;
  /** Bytes that the thread holds outside of its heap. */
  readonly heldBytes: number;
}
