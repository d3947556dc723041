import { literal, queryOf, repositoriesNamed } from '@sextant/contracts';
import type { FoundWord, Query, Search, SearchRequest, SearchResult } from '@sextant/contracts';
import type { Snapshot } from './localiser.ts';
import type { ReadTask } from '../task/read-task.ts';
import { notAllSearched } from '../work.ts';
import type { Work } from '../work.ts';

/** What the searches for a task brought. */
export interface Found {
  /** Paths, each search's best first, the best of all searches before the second best. */
  readonly paths: readonly string[];
  /** How many files have each word, where the engine says so. */
  readonly words: readonly FoundWord[];
  /** Files in which a phrase stands as it is, and how much that says. */
  readonly phrases: ReadonlyMap<string, number>;
  /** Lines with a phrase, by path. */
  readonly phraseLines: ReadonlyMap<string, readonly number[]>;
}

/** The engine looks for at most so many words of a question at once. */
const wordsAtOnce = 24;
const filesOfWords = 240;
const filesOfName = 24;
const filesOfPhrase = 12;

/** Files are read by this service; of phrases the lines are wanted. */
const filesAlone = { chunksPerFile: 0, chunkCharacters: 1, lineCharacters: 1 };
const withLines = { chunksPerFile: 1, chunkCharacters: 200, lineCharacters: 200 };

/** Asks the text index in several ways for files that a task may be about. */
export async function findCandidates(
  search: Search,
  snapshot: Snapshot,
  { read, work }: { read: ReadTask; work: Work },
): Promise<Found> {
  const scope = scopeOf(snapshot);
  const ask = ({ part, mode, limits }: Request): Promise<SearchResult | undefined> =>
    work.call((signal) => search.find(snapshot.caller, { ...queryOf([...scope, part]), mode, limits }, signal));
  const askAll = (requests: readonly Request[]): Promise<(SearchResult | undefined)[]> =>
    Promise.all(requests.map(ask));
  const [byName = [], byPhrase = [], byWords = []] = await Promise.all(
    [forNames(read), forPhrases(read), forWords(read)].map(askAll),
  );
  const all = [...byName, ...byPhrase, ...byWords];
  for (const reason of new Set(all.flatMap((result) => result?.notSearched?.reasons ?? []))) {
    work.note(reason);
    work.note(notAllSearched);
  }
  const lists = all.map((result) => result?.files.map(({ path }) => path) ?? []);
  return { paths: inTurn(lists), words: byWords.flatMap((result) => result?.words ?? []), ...phrasesOf(byPhrase) };
}

/** A search in the repository of a task. */
interface Request extends Pick<SearchRequest, 'mode' | 'limits'> {
  readonly part: Query;
}

const forNames = ({ identifiers }: ReadTask): Request[] =>
  identifiers.map((name) => ({
    part: literal(name, { isCaseSensitive: true }),
    mode: 'keyword',
    limits: { files: filesOfName, ...filesAlone },
  }));

const forPhrases = ({ phrases, pieces }: ReadTask): Request[] =>
  [...new Set([...phrases, ...pieces])].map((phrase) => ({
    part: literal(phrase),
    mode: 'keyword',
    limits: { files: filesOfPhrase, ...withLines },
  }));

function forWords({ words }: ReadTask): Request[] {
  const groups = Array.from({ length: Math.ceil(words.length / wordsAtOnce) }, (_, index) =>
    words.slice(index * wordsAtOnce, (index + 1) * wordsAtOnce),
  );
  return groups.map((group) => ({
    part: { kind: 'or', children: group.map(({ text }) => literal(text)) },
    mode: 'natural',
    limits: { files: filesOfWords, ...filesAlone },
  }));
}

function phrasesOf(results: readonly (SearchResult | undefined)[]): Pick<Found, 'phrases' | 'phraseLines'> {
  const phrases = new Map<string, number>();
  const phraseLines = new Map<string, number[]>();
  for (const result of results)
    for (const { path, matches } of result?.files ?? []) {
      phrases.set(path, (phrases.get(path) ?? 0) + 1 / Math.sqrt(Math.max(1, result?.fileCount ?? 1)));
      phraseLines.set(path, [...(phraseLines.get(path) ?? []), ...matches.map(({ line }) => line)]);
    }
  return { phrases, phraseLines };
}

/** The first of each list, then the second of each. */
function inTurn(lists: readonly (readonly string[])[]): string[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const turns = Array.from({ length: longest }, (_, rank) => lists.flatMap((list) => list[rank] ?? []));
  return [...new Set(turns.flat())];
}

/** The repository alone, at the commit that was opened. */
const scopeOf = ({ repo, revision, commit }: Snapshot): Query[] => [
  repositoriesNamed([repo]),
  ...(revision === undefined ? [] : [{ kind: 'rev' as const, revisions: [commit] }]),
];
