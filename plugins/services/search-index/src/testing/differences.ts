import type { Search } from '@sextant/contracts';
import { defaultSearchLimits } from '@sextant/contracts';
import { callerOf } from '@sextant/core/testing';
import { printQuery } from '@sextant/library-query';
import type { Query } from '@sextant/library-query';
import { GrepOracle } from './grep-oracle.ts';
import { RandomQueries } from './random-queries.ts';

/** A query that finds other files, or another number of lines in them, than `git grep` does. */
export interface Difference {
  readonly query: string;
  readonly extra: readonly string[];
  readonly lacking: readonly string[];
}

export interface Comparison {
  readonly repository: string;
  readonly searches: number;
  readonly seed: number;
}

/** Compares random queries of the only repository that is served with `git grep`, file by file, and for single terms line by line. */
export async function differencesFromGrep(
  search: Search,
  { repository, searches, seed }: Comparison,
): Promise<{ found: number; differences: Difference[] }> {
  const oracle = new GrepOracle(repository);
  const queries = new RandomQueries(oracle.files, seed);
  const differences: Difference[] = [];
  let found = 0;
  for (let i = 0; i < searches; i += 1) {
    const query = queries.next();
    const text = printQuery({ query, options: { types: [], count: 'all' } });
    const wanted = wantedOf(oracle, query);
    const ours = await findAll(search, text, isTerm(query));
    found += wanted.size;
    const extra = [...ours].filter((line) => !wanted.has(line) && oracle.files.has(pathOf(line)));
    const lacking = [...wanted].filter((line) => !ours.has(line));
    if (extra.length + lacking.length > 0) differences.push({ query: text, extra, lacking });
  }
  return { found, differences };
}

const isTerm = (query: Query): query is Extract<Query, { kind: 'literal' | 'regex' }> =>
  query.kind === 'literal' || query.kind === 'regex';
const pathOf = (line: string): string => line.replace(/^\d+ /, '');

/** `<lines> <path>` for a term, else paths. */
function wantedOf(oracle: GrepOracle, query: Query): Set<string> {
  if (!isTerm(query)) return oracle.filesOf(query);
  return new Set([...oracle.linesWith(query)].map(([path, lines]) => `${lines} ${path}`));
}

async function findAll(search: Search, query: string, withLines: boolean): Promise<Set<string>> {
  const limits = { ...defaultSearchLimits, chunksPerFile: withLines ? 1 : 0, characters: Infinity };
  const { signal } = new AbortController();
  const { files, fileCount } = await search.find(callerOf('alice'), { query, mode: 'keyword', limits }, signal);
  if (files.length < fileCount) throw new Error(`not all files of ${query} are in the answer`);
  return new Set(files.map(({ path, matchCount }) => (withLines ? `${matchCount} ${path}` : path)));
}
