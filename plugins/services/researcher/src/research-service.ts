import { SextantError } from '@sextant/core';
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
import { answerFrom } from './answer/compose.ts';
import { readQuestion } from './answer/read-question.ts';
import { chooseRepositories } from './answer/scope.ts';
import { Localiser } from './localiser.ts';
import type { LocaliserParts, Place } from './localiser.ts';
import { summaryOf } from './summary.ts';
import { isBroad } from './task/broad.ts';
import { readTask } from './task/read-task.ts';
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
    const { repositories, rest } = await placeTask(this.#parts.repositories, caller, task);
    const read = readTask(rest);
    const snapshots = await Promise.all(
      repositories.map((repo) => this.#localiser.open(caller, { repo, revision: task.revision }, work.signal)),
    );
    if (isBroad(read)) throw tooBroad(repositories);
    const found: Place[][] = [];
    for (const snapshot of snapshots) found.push(await this.#localiser.find(snapshot, { read, work }));
    const places = byTurns(found);
    return { summary: summaryOf(places), locations: places.map(locationOf) };
  }

  async answer(caller: Caller, question: ResearchQuestion, given: ResearchWork): Promise<ResearchAnswer> {
    const work = new Work({ ...this.#parts.limits, ...given });
    const { repositories, search } = this.#parts;
    const { repos, rest } = await chooseRepositories({ repositories, search }, caller, { question, work });
    const read = readQuestion(rest, question.history ?? []);
    const found: Place[][] = [];
    for (const repo of repos) {
      const snapshot = await this.#localiser.open(caller, { repo, revision: undefined }, work.signal);
      found.push(await this.#localiser.find(snapshot, { read, work }));
    }
    return answerFrom(question.question, byTurns(found), this.#parts.links);
  }
}

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

const locationOf = ({ lines: _lines, best: _best, ...location }: Place): ResearchLocation => location;
