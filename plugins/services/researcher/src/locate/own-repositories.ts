import type { FoundPlace, FoundPlaces, RepositoryResearch, RepositoryTask } from '@sextant/contracts/nodes';
import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { isBroad } from '../task/read-task.ts';
import { Work } from '../work.ts';
import { Localiser } from './localiser.ts';
import type { LocaliserParts } from './localiser.ts';

/** Research in the repositories of this process. */
export class OwnRepositories implements RepositoryResearch {
  readonly #parts: LocaliserParts;
  readonly #localiser: Localiser;

  constructor(parts: LocaliserParts) {
    this.#parts = parts;
    this.#localiser = new Localiser(parts);
  }

  async find(
    caller: Caller,
    { repo, revision, text, wants, maxCalls, maxSeconds }: RepositoryTask,
    { signal, onStep }: { signal: AbortSignal; onStep(message: string): void },
  ): Promise<FoundPlaces> {
    const reportProgress = ({ message = '' }: { message?: string }): void => onStep(message);
    const work = new Work({ signal, reportProgress, maxCalls, maxSeconds });
    const snapshot = await this.#localiser.open(caller, { repo, revision }, signal);
    const read = await this.#parts.threads.read(text, { caller, signal });
    if (wants === 'places' && isBroad(read)) throw tooBroad(snapshot.repo);
    const find = (): Promise<FoundPlace[]> =>
      wants === 'places'
        ? this.#localiser.find(snapshot, { read, work })
        : this.#localiser.explain(snapshot, { read, work });
    const places = await find();
    return { places, notes: work.notes, calls: maxCalls - work.callsLeft };
  }
}

const tooBroad = (repo: string): SextantError =>
  new SextantError(
    'invalid_argument',
    `the task asks for an overview of ${repo}; code_finder finds places: name a behaviour, an error text, an identifier or a path. For an overview use list_files, read_file of its README, or deepsearch.`,
  );
