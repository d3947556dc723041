import { defaultSearchLimits, parseQuery, Search } from '@sextant/contracts';
import { Principals, SextantError, defineCommand, token } from '@sextant/core';
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

const explain = defineCommand({
  name: 'search explain',
  summary: 'print why the best files of a search have their rank',
  input: z.object({
    query: z.string().describe('As for keyword_search'),
    as: z.string().describe('Name of the user who searches'),
    natural: z.boolean().default(false).describe('Ask it as a question, as with nls_search'),
    files: z.int().min(1).max(100).default(10).describe('Files to explain'),
  }),
  positionals: ['query'],
  needs: { search: Search, principals: Principals },
  output: z.object({
    files: z.array(
      z.object({
        repo: z.string(),
        path: z.string(),
        total: z.number(),
        parts: z
          .record(z.string(), z.number())
          .describe('Added, but for names that begin with ×: these multiply the sum'),
      }),
    ),
    notes: z.array(z.string()),
  }),
  async run({ query, as, natural, files: count }, { search, principals }, { signal }) {
    const caller = await principals.named(as);
    if (!caller) throw new SextantError('not_found', `there is no user "${as}" who may sign in`);
    const limits = { ...defaultSearchLimits, files: count, chunksPerFile: 0 };
    const mode = natural ? 'natural' : 'keyword';
    const { files, notes } = await search.find(caller, { ...parseQuery(query), mode, limits, explain: true }, signal);
    return {
      files: files.map(({ repo, path, score = { total: 0, parts: {} } }) => ({ repo, path, ...score })),
      notes: [...notes],
    };
  },
  toText: ({ files, notes }) =>
    [
      ...files.map(({ repo, path, total, parts }) => `${total.toFixed(3)} ${repo} ${path}\n${partsAsText(parts)}`),
      ...notes,
    ].join('\n'),
});

const partsAsText = (parts: Readonly<Record<string, number>>): string =>
  Object.entries(parts)
    .filter(([name, value]) => value !== (name.startsWith('×') ? 1 : 0))
    .map(([name, value]) => `  ${value.toFixed(3)} ${name}`)
    .join('\n');

export const commands: readonly Command[] = [index, explain];
