/** Tells those who wait for a conversation that something about it changed in this process. */
export class Changes {
  readonly #waiting = new Map<number, Set<() => void>>();

  announce(conversationId: number): void {
    for (const wake of this.#waiting.get(conversationId) ?? []) wake();
  }

  /** Resolves with the next change here, or after so many milliseconds, because other processes change conversations too. */
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
