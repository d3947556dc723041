import { RestartableThread } from '@sextant/library-workers';
import type { IngestServer } from './ingest-server.ts';
import type { SearchAnswer, SearchJob, SearchServer } from './search-server.ts';

/** A search that takes longer begins again in the slow thread, so that others need not wait for it. */
const quickMilliseconds = 500;

const moduleOf = (work: 'search' | 'ingest'): URL => new URL(`./${work}-thread.ts`, import.meta.url);

/** The threads of the index: one for quick searches, one for slow ones, and one that makes shards. */
export class HistoryThreads {
  readonly quick = new RestartableThread<SearchServer>({ module: moduleOf('search'), idleMs: 300_000 });
  readonly #slow = new RestartableThread<SearchServer>({ module: moduleOf('search'), idleMs: 30_000 });
  readonly ingest = new RestartableThread<IngestServer>({ module: moduleOf('ingest'), idleMs: 10_000 });

  /** Calls the searching threads that run. */
  async tell<K extends keyof SearchServer & string>(name: K, argument: Parameters<SearchServer[K]>[0]): Promise<void> {
    await Promise.all([this.quick.mention(name, argument), this.#slow.mention(name, argument)]);
  }

  /** Searches in the quick thread, and again in the slow one where that takes too long. An aborted search answers what it has found. */
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
        client: RestartableThread<SearchServer>,
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

/** Tells a thread the outline of commits that it does not know. */
export type TellMissing = (client: RestartableThread<SearchServer>, hashes: readonly string[]) => Promise<void>;
