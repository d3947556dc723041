import { SextantError, defineCommand, token } from '@sextant/core';
import type { Command } from '@sextant/core';
import { z } from 'zod';
import type { Indexer } from './indexing/indexer.ts';

/** For the command alone: it indexes whatever the caller's rights. */
export const searchIndexer = token<Indexer>('search-indexer', { isForServices: true });

const count = z.int().min(0);

const index = defineCommand({
  name: 'index',
  summary: 'bring the search index of every repository up to date',
  input: z.object({
    watch: z.boolean().default(false).describe('Go on and follow changes of the repositories until interrupted'),
  }),
  needs: { indexer: searchIndexer },
  output: z.object({
    repositories: count,
    files: count,
    binary: count.describe('Found by their names only, as those below'),
    tooLarge: count,
    withoutText: count,
    missing: count.describe('The repository lacks their content'),
    generated: count.describe('Searched, and ranked last'),
  }),
  async run({ watch }, { indexer }, { signal, showProgress }) {
    // From before the first look: a push in between is not missed.
    const watching = watch && indexer.watch(showProgress, signal);
    await indexer.indexAll(showProgress, signal);
    await watching;
    const { failed, indexed: _, isSettled, ...summary } = indexer.summary();
    const [first] = failed;
    if (first)
      throw new SextantError(
        'unavailable',
        `${failed.length} of ${summary.repositories} repositories could not be indexed; the first: ${first.name}: ${first.message}`,
      );
    if (!isSettled)
      throw new SextantError('unavailable', 'the thread that holds all indexes ended; the log says why. Run it again');
    return summary;
  },
  toText: ({ repositories, files, binary, tooLarge, withoutText, missing, generated }) =>
    `${files} files of ${repositories} repositories; by name only: ${binary} binary, ${tooLarge} too large, ${withoutText} without text, ${missing} that the repository lacks; ${generated} generated`,
});

export const commands: readonly Command[] = [index];
