import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { literal, queryOf } from '@sextant/contracts';
import type { Repositories, ResearchQuestion, ResearchTurn, Search } from '@sextant/contracts';
import type { ResearchThreads } from '../threads/research-threads.ts';
import { notAllSearched } from '../work.ts';
import type { Work } from '../work.ts';

export interface Scope {
  readonly repos: readonly string[];
  /** The question without the names of repositories. */
  readonly rest: string;
}

const mostRepositories = 3;
/** The best files of all repositories, by which those to look at are chosen. */
const sampledFiles = 30;

/** The repositories to look at: those given, those that are named, else those that say most of the question. */
export async function chooseRepositories(
  { repositories, search, threads }: { repositories: Repositories; search: Search; threads: ResearchThreads },
  caller: Caller,
  { question: { question, scope, history = [] }, work }: { question: ResearchQuestion; work: Work },
): Promise<Scope> {
  if (question.trim() === '') throw new SextantError('invalid_argument', 'the question is empty');
  if (scope && scope.length > 0) return { repos: scope, rest: question };
  const names = (await repositories.list(caller)).map(({ name }) => name);
  const asked = [question, ...history.map((turn) => turn.question).toReversed()];
  const asking = { caller, signal: work.signal };
  const read = await Promise.all(asked.map((text) => threads.repositoriesIn(text, names, asking)));
  const { rest = question } = read[0] ?? {};
  const named = read.map(({ known }) => known).find((known) => known.length > 0);
  if (named) return { repos: named.slice(0, mostRepositories), rest };
  if (names.length <= 1) return { repos: names, rest };
  work.step(`looking through ${names.length} repositories`);
  const { words: all } = await threads.read(asked.join('\n\n'), asking);
  const words = all.slice(0, 24).map(({ text }) => literal(text));
  if (words.length === 0) return { repos: [], rest };
  const limits = { files: sampledFiles, chunksPerFile: 1, chunkCharacters: 1, lineCharacters: 1 };
  const found = await work.call((signal) =>
    search.find(caller, { ...queryOf(words), mode: 'natural', limits }, signal),
  );
  if (found?.notSearched) work.note(notAllSearched);
  const worth = new Map<string, number>();
  for (const [rank, { repo }] of (found?.files ?? []).entries())
    worth.set(repo, (worth.get(repo) ?? 0) + 1 / (rank + 1));
  const best = [...worth].sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1));
  return { repos: best.slice(0, mostRepositories).map(([name]) => name), rest };
}

/** Earlier questions that still say what "it" is. */
const remembered = 2;

/** A question, with the ones before it as its context. */
export function questionInContext(question: string, history: readonly ResearchTurn[]): string {
  const earlier = history.slice(-remembered).map((turn) => turn.question);
  return [question, ...earlier.toReversed()].join('\n\n');
}
