import { cut, isSextantError } from '@sextant/core';
import type { Caller, ErrorCode } from '@sextant/core';
import type {
  Links,
  Localisation,
  Repositories,
  ResearchAnswer,
  ResearchLocation,
  ResearchQuestion,
  ResearchTask,
  ResearchWork,
  Researcher,
  Search,
} from '@sextant/contracts';
import type { FoundPlace, RepositoryResearch, RepositoryTask } from '@sextant/contracts/nodes';
import { answerFrom, summaryOf } from './answer/compose.ts';
import { chooseRepositories, questionInContext } from './answer/question.ts';
import { placeTask } from './task/task-repositories.ts';
import type { ResearchThreads } from './threads/research-threads.ts';
import { Work, notAllSearched } from './work.ts';

export interface ResearchParts {
  readonly repositories: Repositories;
  readonly search: Search;
  readonly threads: ResearchThreads;
  /** Looks into one repository. */
  readonly research: RepositoryResearch;
  readonly links: Links;
  readonly limits: { readonly maxCalls: number; readonly maxSeconds: number };
}

/** Research by arithmetic: words, names, paths and what earlier commits said. */
export class ResearchService implements Researcher {
  readonly #parts: ResearchParts;

  constructor(parts: ResearchParts) {
    this.#parts = parts;
  }

  async locate(caller: Caller, task: ResearchTask, given: ResearchWork): Promise<Localisation> {
    const work = new Work({ ...this.#parts.limits, ...given });
    const { repositories, rest: text } = await placeTask(this.#parts, caller, { task, signal: work.signal });
    const asked = { text, wants: 'places', ...(task.revision !== undefined && { revision: task.revision }) } as const;
    const found = await eachReadable(repositories, work.signal, (repo) => this.#find(caller, { ...asked, repo }, work));
    const places = byTurns(found.read);
    // Others name what and why.
    const notes = work.notes.filter((note) => note !== notAllSearched);
    return {
      summary: [summaryOf(places, work), ...notes, ...found.unreadable.map(notRead)].join('\n'),
      locations: places.map(locationOf),
    };
  }

  async answer(caller: Caller, question: ResearchQuestion, given: ResearchWork): Promise<ResearchAnswer> {
    const work = new Work({ ...this.#parts.limits, ...given });
    const { repos, rest } = await chooseRepositories(this.#parts, caller, { question, work });
    const asked = { text: questionInContext(rest, question.history ?? []), wants: 'definitions' } as const;
    // An answer may be shown to others, who must not learn the name of what could not be read.
    const found = await eachReadable(repos, work.signal, (repo) => this.#find(caller, { ...asked, repo }, work));
    if (found.unreadable.length > 0) work.note(notAllSearched);
    return answerFrom(question.question, inTurn(found.read), { links: this.#parts.links, work });
  }

  /** What is left of the work is what one repository may take; nothing is found where it takes more. */
  async #find(
    caller: Caller,
    asked: Omit<RepositoryTask, 'maxCalls' | 'maxSeconds'>,
    work: Work,
  ): Promise<readonly FoundPlace[]> {
    const task = { ...asked, maxCalls: work.callsLeft, maxSeconds: work.secondsLeft };
    const onStep = (message: string): void => work.step(message);
    const found = await work.ending((signal) => this.#parts.research.find(caller, task, { signal, onStep }));
    if (!found) return [];
    work.spend(found.calls);
    for (const note of found.notes) work.note(note);
    return found.places;
  }
}

/** Failures of one repository that say nothing of the others. */
const ofOne: readonly ErrorCode[] = ['unavailable', 'internal'];

/** What is read of several, one after the other. One that cannot be read fails the call only where it is alone, or not there. */
async function eachReadable<T, R>(
  all: readonly T[],
  signal: AbortSignal,
  read: (one: T) => Promise<R>,
): Promise<{ read: R[]; unreadable: T[] }> {
  const unreadable: T[] = [];
  const done: R[] = [];
  for (const one of all)
    try {
      done.push(await read(one));
    } catch (error) {
      const isTold = isSextantError(error) && !ofOne.includes(error.code);
      if (signal.aborted || isTold || all.length === 1) throw error;
      unreadable.push(one);
    }
  return { read: done, unreadable };
}

const notRead = (repo: string): string => `Repository ${repo} could not be read now; nothing of it is here.`;

/** The files of several repositories: the best of each, then the second of each. */
function byTurns(found: readonly (readonly FoundPlace[])[]): FoundPlace[] {
  const files = found.map((places) => [...Map.groupBy(places, ({ path }) => path).values()]);
  const longest = Math.max(0, ...files.map(({ length }) => length));
  return Array.from({ length: longest }, (_, rank) => files.flatMap((list) => list[rank] ?? [])).flat();
}

/** The best of each repository, then the second of each. */
const inTurn = (found: readonly (readonly FoundPlace[])[]): FoundPlace[] =>
  Array.from({ length: Math.max(0, ...found.map(({ length }) => length)) }, (_, rank) =>
    found.flatMap((places) => places[rank] ?? []),
  ).flat();

const mostOfLine = 160;

function locationOf({ lines, best: [line], ...location }: FoundPlace): ResearchLocation {
  const text = line === undefined ? '' : (lines[line - location.startLine] ?? '').trim();
  if (line === undefined || text === '') return location;
  return { ...location, best: { line, text: cut(text, mostOfLine) } };
}
