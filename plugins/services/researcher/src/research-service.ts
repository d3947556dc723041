import { SextantError, isSextantError, cut } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type {
  Links,
  Localisation,
  ResearchAnswer,
  ResearchLocation,
  ResearchQuestion,
  ResearchTask,
  ResearchWork,
  Researcher,
} from '@sextant/contracts';
import { answerFrom, summaryOf } from './answer/compose.ts';
import { chooseRepositories, questionInContext } from './answer/question.ts';
import { Localiser } from './locate/localiser.ts';
import type { LocaliserParts, Place } from './locate/localiser.ts';
import { isBroad } from './task/read-task.ts';
import { placeTask } from './task/task-repositories.ts';
import { Work } from './work.ts';

export interface ResearchParts extends LocaliserParts {
  readonly links: Links;
  readonly limits: { readonly maxCalls: number; readonly maxSeconds: number };
}

/** Research by arithmetic: words, names, paths and what earlier commits said. */
export class ResearchService implements Researcher {
  readonly #parts: ResearchParts;
  readonly #localiser: Localiser;

  constructor(parts: ResearchParts) {
    this.#parts = parts;
    this.#localiser = new Localiser(parts);
  }

  async locate(caller: Caller, task: ResearchTask, given: ResearchWork): Promise<Localisation> {
    const work = new Work({ ...this.#parts.limits, ...given });
    const { signal } = work;
    const { repositories, rest } = await placeTask(this.#parts, caller, { task, signal });
    const read = await this.#parts.threads.read(rest, { caller, signal });
    const snapshots = await eachReadable(repositories, signal, (repo) =>
      this.#localiser.open(caller, { repo, revision: task.revision }, signal),
    );
    if (isBroad(read)) throw tooBroad(repositories);
    const found = await eachReadable(snapshots.read, signal, (snapshot) =>
      this.#localiser.find(snapshot, { read, work }),
    );
    const places = byTurns(found.read);
    const unreadable = [...snapshots.unreadable, ...found.unreadable.map(({ repo }) => repo)];
    return {
      summary: [summaryOf(places, work), ...work.notes, ...unreadable.map(notRead)].join('\n'),
      locations: places.map(locationOf),
    };
  }

  async answer(caller: Caller, question: ResearchQuestion, given: ResearchWork): Promise<ResearchAnswer> {
    const work = new Work({ ...this.#parts.limits, ...given });
    const { signal } = work;
    const { repos, rest } = await chooseRepositories(this.#parts, caller, { question, work });
    const text = questionInContext(rest, question.history ?? []);
    const read = await this.#parts.threads.read(text, { caller, signal });
    // An answer may be shown to others, who must not learn the name of what could not be read.
    const { read: found } = await eachReadable(repos, signal, async (repo) => {
      const snapshot = await this.#localiser.open(caller, { repo, revision: undefined }, signal);
      return this.#localiser.explain(snapshot, { read, work });
    });
    return answerFrom(question.question, inTurn(found), { links: this.#parts.links, work });
  }
}

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
      const isTold = isSextantError(error) && error.code !== 'unavailable';
      if (signal.aborted || isTold || all.length === 1) throw error;
      unreadable.push(one);
    }
  return { read: done, unreadable };
}

const notRead = (repo: string): string => `Repository ${repo} could not be read now; nothing of it is here.`;

const tooBroad = (repositories: readonly string[]): SextantError =>
  new SextantError(
    'invalid_argument',
    `the task asks for an overview of ${repositories.join(', ')}; code_finder finds places: name a behaviour, an error text, an identifier or a path. For an overview use list_files, read_file of its README, or deepsearch.`,
  );

/** The files of several repositories: the best of each, then the second of each. */
function byTurns(found: readonly (readonly Place[])[]): Place[] {
  const files = found.map((places) => [...Map.groupBy(places, ({ path }) => path).values()]);
  const longest = Math.max(0, ...files.map(({ length }) => length));
  return Array.from({ length: longest }, (_, rank) => files.flatMap((list) => list[rank] ?? [])).flat();
}

/** The best of each repository, then the second of each. */
const inTurn = (found: readonly (readonly Place[])[]): Place[] =>
  Array.from({ length: Math.max(0, ...found.map(({ length }) => length)) }, (_, rank) =>
    found.flatMap((places) => places[rank] ?? []),
  ).flat();

const mostOfLine = 160;

function locationOf({ lines, best: [line], ...location }: Place): ResearchLocation {
  const text = line === undefined ? '' : (lines[line - location.startLine] ?? '').trim();
  if (line === undefined || text === '') return location;
  return { ...location, best: { line, text: cut(text, mostOfLine) } };
}
