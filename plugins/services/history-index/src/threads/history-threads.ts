import { RestartableThread } from '@sextant/library-workers';
import type { SearchAnswer, SearchCalls, IngestCalls, SearchJob } from './thread-calls.ts';

/** A search that takes longer goes on in a thread of its own, so that others need not wait for it. */
const quickMilliseconds = 500;

const moduleOf = (work: 'search' | 'index'): URL => new URL(`./${work}-thread.ts`, import.meta.url);

/** The threads of the index: one answers quick searches, one slow ones, one makes shards. */
export class HistoryThreads {
  readonly quick: RestartableThread<SearchCalls>;
  readonly #slow: RestartableThread<SearchCalls>;
  readonly ingest = new RestartableThread<IngestCalls>({ module: moduleOf('index'), idleMs: 10_000 });

  /** `onStart` tells a new thread what it must know. */
  constructor(onStart: (client: RestartableThread<SearchCalls>) => void) {
    const module = moduleOf('search');
    this.quick = new RestartableThread({ module, idleMs: 300_000, onStart });
    this.#slow = new RestartableThread({ module, idleMs: 30_000, onStart });
  }

  /** Threads that search and run. */
  get searching(): readonly RestartableThread<SearchCalls>[] {
    return [this.quick, this.#slow].filter(({ isRunning }) => isRunning);
  }

  /** `missing` is asked for what an answer lacks, and tells the thread. The signal ends the search with what was found. */
  async search(
    job: Omit<SearchJob, 'stop' | 'milliseconds'>,
    { signal, tellMissing }: { signal: AbortSignal; tellMissing: TellMissing },
  ): Promise<SearchAnswer> {
    const stop = new SharedArrayBuffer(4);
    const end = (): void => void Atomics.store(new Int32Array(stop), 0, 1);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    try {
      const ask = async (
        client: RestartableThread<SearchCalls>,
        milliseconds: number | undefined,
      ): Promise<SearchAnswer> => {
        const first = await client.call('search', { ...job, stop, milliseconds });
        if (first.kind !== 'missing') return first;
        await tellMissing(client, first.hashes);
        return client.call('search', { ...job, stop, milliseconds });
      };
      const answer = await ask(this.quick, quickMilliseconds);
      return answer.kind === 'too-slow' ? await ask(this.#slow, undefined) : answer;
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.quick.close(), this.#slow.close(), this.ingest.close()]);
  }
}

/** Tells a thread of commits that it does not know. */
export type TellMissing = (client: RestartableThread<SearchCalls>, hashes: readonly string[]) => Promise<void>;
