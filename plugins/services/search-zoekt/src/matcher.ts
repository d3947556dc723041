import { availableParallelism } from 'node:os';
import type { QueryOfFiles } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { WorkerPool } from '@sextant/library-workers';
import type { RatedFile, TextFiles } from './text-matcher.ts';

/** The leaves of what is left for a file are those of the query: a message keeps that they are the same. */
export interface MatchRequest extends TextFiles {
  readonly query: QueryOfFiles;
}

/** Most steps that are matched at once. */
export const matchThreads = Math.min(4, availableParallelism());
/** Of one step; its expressions run in linear time. */
const hangMs = 15_000;
/** Address space of the texts of one step and their matches, reserved at once. */
export const arenaBytes = 512 << 20;

/** The threads that match texts, started on demand and kept. Callers take turns. */
export class Matcher {
  readonly #pool = new WorkerPool<MatchRequest, RatedFile[]>({
    module: new URL('./matcher-thread.ts', import.meta.url),
    threads: matchThreads,
    forBackground: 0,
    hangMs,
    idleMs: Infinity,
    heldBytes: 2 * arenaBytes,
  });

  /** The files that match. A thread gets a copy of their texts, because it may end and another begin anew. Throws `unavailable` where that takes too long. */
  async match(
    request: MatchRequest,
    { caller, signal }: { caller: Caller; signal: AbortSignal },
  ): Promise<RatedFile[]> {
    const matched = await this.#pool.run(request, { owner: caller.user.id, signal });
    if (matched) return matched;
    throw new SextantError(
      'unavailable',
      'matching its files took too long; narrow the query down with file: or lang:',
    );
  }

  close(): Promise<void> {
    return this.#pool.close(new SextantError('unavailable', 'the server is stopping'));
  }
}
