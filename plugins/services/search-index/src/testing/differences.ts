import type { Query, ResultType, Search } from '@sextant/contracts';
import { defaultSearchLimits, lfsPointer, parseQuery, printQuery } from '@sextant/contracts';
import { callerOf } from '@sextant/core/testing';
import { decodedText, filesIn, plainText } from './commit-texts.ts';
import { GrepOracle } from './grep-oracle.ts';
import { LineOracle } from './line-oracle.ts';
import { filesOf, linesOf } from './oracle.ts';
import type { Oracle } from './oracle.ts';
import { AnyLeaves, GrepLeaves } from './random-leaves.ts';
import { randomQuery } from './random-queries.ts';
import type { Leaves } from './random-queries.ts';
import { Random } from './random.ts';

/** A query that finds other files, or another number of lines in them, than somebody else does. */
export interface Difference {
  readonly query: string;
  readonly extra: readonly string[];
  readonly lacking: readonly string[];
}

export interface Comparison {
  readonly repository: string;
  readonly searches: number;
  readonly seed: number;
  /** HEAD, unless another one is named. */
  readonly revision?: string;
}

/** Compares random queries of the only repository that is served with `git grep` and with JavaScript, file by file, and for single terms line by line. */
export async function differencesFromOthers(
  search: Search,
  comparison: Comparison,
): Promise<{ found: number; differences: Difference[] }> {
  const { searches, seed, revision } = comparison;
  const random = new Random(seed);
  const others = othersOf(comparison, random);
  const differences: Difference[] = [];
  let found = 0;
  for (let i = 0; i < searches; i += 1) {
    const { oracle, leaves } = random.pick(others);
    const query = randomQuery(leaves, random);
    const types: ResultType[] = random.isOneOf(10) ? ['path'] : [];
    const text = [
      printQuery({ query, options: { types, count: 'all' } }),
      ...(revision ? [`rev:${revision}`] : []),
    ].join(' ');
    const wanted = wantedOf(oracle, query, types);
    const { ours, hidden } = await findAll(search, text, withLines(query, types));
    found += wanted.size;
    const extra = [...ours].filter((line) => !wanted.has(line) && oracle.paths.has(pathOf(line)));
    const lacking = [...wanted].filter((line) => !ours.has(line));
    if (extra.length > 0 || lacking.length > hidden) differences.push({ query: text, extra, lacking });
  }
  return { found, differences };
}

/** Somebody else, and what to ask both. */
interface Other {
  readonly oracle: Oracle;
  readonly leaves: Leaves;
}

function othersOf({ repository, revision = 'HEAD' }: Comparison, random: Random): Other[] {
  // A pointer is no text for a search.
  const files = [...filesIn(repository, revision)].filter(([, bytes]) => !lfsPointer(bytes));
  const textsBy = (read: (bytes: Buffer) => string | undefined): Map<string, string> =>
    new Map(
      files
        .flatMap(([path, bytes]) => [[path, read(bytes)] as const])
        .filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  const [plain, decoded] = [textsBy(plainText), textsBy(decodedText)];
  const any = new AnyLeaves(decoded, random);
  return [
    { oracle: new GrepOracle({ repository, revision }, new Set(plain.keys())), leaves: new GrepLeaves(plain, random) },
    { oracle: new LineOracle(decoded, any.inJavaScript), leaves: any },
  ];
}

const withLines = (
  query: Query,
  types: readonly ResultType[],
): query is Extract<Query, { kind: 'literal' | 'regex' }> =>
  types.length === 0 && (query.kind === 'regex' || (query.kind === 'literal' && !query.text.includes('\n')));
const pathOf = (line: string): string => line.replace(/^\d+ /, '');

/** `<lines> <path>` for a term, else paths. */
function wantedOf(oracle: Oracle, query: Query, types: readonly ResultType[]): ReadonlySet<string> {
  if (!withLines(query, types)) return filesOf(oracle, query, types.includes('path'));
  return new Set([...linesOf(oracle, query)].map(([path, lines]) => `${lines} ${path}`));
}

/** The files of the answer, and how many more there are: no answer has more than some thousand. */
async function findAll(
  search: Search,
  query: string,
  wantsLines: boolean,
): Promise<{ ours: Set<string>; hidden: number }> {
  const limits = { ...defaultSearchLimits, chunksPerFile: wantsLines ? 1 : 0, characters: Infinity };
  const { signal } = new AbortController();
  const { files, fileCount } = await search.find(
    callerOf('alice'),
    { ...parseQuery(query), mode: 'keyword', limits },
    signal,
  );
  const ours = new Set(files.map(({ path, matchCount }) => (wantsLines ? `${matchCount} ${path}` : path)));
  return { ours, hidden: fileCount - files.length };
}
