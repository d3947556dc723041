import type { Announcements } from '@sextant/core';

const topic = 'conversation';

/** Tells those who wait for a conversation that something about it changed, here or on another host. */
export class Changes {
  readonly #waiting = new Map<number, Set<() => void>>();
  readonly #announcements: Announcements | undefined;
  readonly #forget: (() => void) | undefined;

  constructor(announcements?: Announcements) {
    this.#announcements = announcements;
    this.#forget = announcements?.listen(topic, (id) => {
      for (const each of id === undefined ? [...this.#waiting.keys()] : [Number(id)]) this.#wake(each);
    });
  }

  announce(conversationId: number): void {
    this.#wake(conversationId);
    this.#announcements?.announce(topic, String(conversationId));
  }

  /** Hears nothing of other hosts any more. */
  close(): void {
    this.#forget?.();
  }

  #wake(conversationId: number): void {
    for (const wake of this.#waiting.get(conversationId) ?? []) wake();
  }

  /** Resolves with the next change, or after so many milliseconds: not every process can tell others of its changes. */
  wait(conversationId: number, { atMost, signal }: { atMost: number; signal: AbortSignal }): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(conversationId) ?? new Set();
      const end = (settle: () => void) => (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(conversationId);
        settle();
      };
      const wake = end(resolve);
      const abort = end(() => reject(signal.reason));
      const timer = setTimeout(wake, atMost);
      signal.addEventListener('abort', abort, { once: true });
      waiting.add(wake);
      this.#waiting.set(conversationId, waiting);
      if (signal.aborted) abort();
    });
  }
}
