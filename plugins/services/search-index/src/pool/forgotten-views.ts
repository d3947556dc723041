/** Which threads have yet to forget which views: until then one of them may still look at its memory. */
export class ForgottenViews<Thread> {
  readonly #waiting = new Map<Thread, Map<number, PromiseWithResolvers<void>>>();

  /** Resolves when a thread has forgotten a view, or failed. */
  by(thread: Thread, view: number): Promise<void> {
    const views = this.#waiting.get(thread) ?? new Map<number, PromiseWithResolvers<void>>();
    this.#waiting.set(thread, views);
    const waiting = Promise.withResolvers<void>();
    views.set(view, waiting);
    return waiting.promise;
  }

  take(thread: Thread, view: number): void {
    const views = this.#waiting.get(thread);
    views?.get(view)?.resolve();
    views?.delete(view);
  }

  /** It looks at nothing any more. */
  failed(thread: Thread): void {
    for (const { resolve } of this.#waiting.get(thread)?.values() ?? []) resolve();
    this.#waiting.delete(thread);
  }
}
