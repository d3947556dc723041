import type { DiffSide } from '@sextant/contracts';
import type { CommitRecord } from '../git/commit-record.ts';
import type { EndingSink } from '../git/commands.ts';
import { utf8Of } from '../git/text.ts';
import type { CommitPredicate } from './commit-predicate.ts';

/** What changed lines begin with. */
export const sideMarkers: Readonly<Record<DiffSide, number>> = { added: 43, removed: 45 };

export interface ChangesWanted {
  readonly conditions: CommitPredicate;
  readonly sides: readonly DiffSide[];
  readonly most: number;
}

const nothing = (): void => undefined;

/** Commits that are accepted for what they are. */
export class AcceptedCommits implements EndingSink {
  readonly found: CommitRecord[] = [];
  /** Commits that were looked at. */
  seen = 0;
  readonly path = nothing;
  readonly hunk = nothing;
  readonly line = nothing;
  readonly #conditions: CommitPredicate;
  readonly #most: number;

  constructor(conditions: CommitPredicate, most: number) {
    this.#conditions = conditions;
    this.#most = most;
  }

  get isDone(): boolean {
    return this.found.length >= this.#most;
  }

  commit(record: CommitRecord): void {
    this.seen += 1;
    if (!this.isDone && this.#conditions.accepts(record)) this.found.push(record);
  }
}

/** Commits that change an accepted path, and an accepted line in one. */
export class ChangingCommits implements EndingSink {
  readonly found: CommitRecord[] = [];
  /** Commits whose changes were begun to be looked at. */
  seen = 0;
  readonly #conditions: CommitPredicate;
  readonly #markers: readonly number[];
  readonly #most: number;
  #record: CommitRecord | undefined;
  #isPathWanted = false;

  constructor({ conditions, sides, most }: ChangesWanted) {
    this.#conditions = conditions;
    this.#markers = sides.map((side) => sideMarkers[side]);
    this.#most = most;
  }

  get isDone(): boolean {
    return this.found.length >= this.#most;
  }

  commit(record: CommitRecord): void {
    this.seen += 1;
    this.#record = record;
  }

  path(path: string): void {
    if (this.#conditions.content === undefined && this.#conditions.acceptsPath(path)) this.#find();
  }

  hunk(path: string): void {
    this.#isPathWanted = this.#record !== undefined && this.#conditions.acceptsPath(path);
  }

  line(line: Buffer): void {
    if (!this.#isPathWanted || !this.#markers.includes(line[0] ?? 0)) return;
    if (this.#conditions.content?.test(utf8Of(line.subarray(1)))) this.#find();
  }

  #find(): void {
    if (this.#record && !this.isDone) this.found.push(this.#record);
    this.#record = undefined;
    this.#isPathWanted = false;
  }
}
