import { BoundedWorker } from '@sextant/library-workers';
import type { HighlightAnswer, HighlightRequest } from './protocol.ts';

/** Of the thread: grammars, and what is known of the files it highlights. */
const heapMegabytes = 512;

/** One thread that highlights lines, started when the first come, and anew after it hung. One request at a time. */
export class HighlightWorker {
  readonly #limitMs: number;
  #worker: BoundedWorker | undefined;
  #last = 0;
  #isWarm = false;

  /** Milliseconds after which a request has hung. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Undefined when the thread failed, or hung and was ended: what it knew of unfinished files is gone then. */
  async highlight(request: Omit<HighlightRequest, 'id'>): Promise<readonly string[] | undefined> {
    const worker = (this.#worker ??= start());
    const id = (this.#last += 1);
    // The first request loads the grammars too.
    const limitMs = this.#isWarm ? this.#limitMs : 10 * this.#limitMs;
    const answer = await new Promise<HighlightAnswer | undefined>((resolve) => {
      const settle = (answer?: HighlightAnswer): void => {
        clearTimeout(late);
        // Only these: who ends the thread waits for its exit, too.
        worker.off('message', settle).off('exit', end);
        resolve(answer);
      };
      const end = (): void => settle();
      const late = setTimeout(end, limitMs);
      worker.on('message', settle).on('exit', end);
      worker.postMessage({ id, ...request } satisfies HighlightRequest);
    });
    this.#isWarm = true;
    if (answer && 'markup' in answer) return answer.markup;
    await this.close();
    return undefined;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

function start(): BoundedWorker {
  const worker = new BoundedWorker(new URL('./highlight-thread.ts', import.meta.url), { heapMegabytes });
  worker.unref();
  // An error ends the thread, and its end is what is answered.
  worker.on('error', () => undefined);
  return worker;
}
