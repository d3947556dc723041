import { RestartableThread } from '@sextant/library-workers';
import type { HighlightCalls, HighlightRequest } from './protocol.ts';

/** Of the thread: grammars, and what is known of the files it highlights. */
const heapMegabytes = 512;

/** One thread that highlights lines, started by the first request and again after it hung. One request at a time. */
export class HighlightWorker {
  readonly #thread: RestartableThread<HighlightCalls>;

  /** Milliseconds after which a request has hung. */
  constructor(limitMs: number) {
    const module = new URL('./highlight-thread.ts', import.meta.url);
    this.#thread = new RestartableThread({ module, heapMegabytes, hangMs: limitMs });
  }

  /** Undefined where the thread failed, or hung and was ended: what it knew of unfinished files is gone then. */
  async highlight(request: HighlightRequest): Promise<readonly string[] | undefined> {
    try {
      return await this.#thread.call('highlight', request);
    } catch {
      await this.close();
      return undefined;
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
