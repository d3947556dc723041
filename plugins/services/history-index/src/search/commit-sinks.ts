import type { CommitRecord } from '../git/commit-record.ts';
import type { EndingSink } from '../git/commands.ts';
import { utf8Of } from '../git/text.ts';
import type { Conditions } from './conditions.ts';

const nothing = (): void => undefined;

/** Commits that are accepted for what they are. */
export class AcceptedCommits implements EndingSink {
  readonly found: CommitRecord[] = [];
  /** Commits that were looked at. */
  seen = 0;
  readonly path = nothing;
  readonly hunk = nothing;
  readonly line = nothing;
  readonly #conditions: Conditions;
  readonly #most: number;

  constructor(conditions: Conditions, most: number) {
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
  readonly #conditions: Conditions;
  readonly #most: number;
  #record: CommitRecord | undefined;
  #isPathWanted = false;

  constructor(conditions: Conditions, most: number) {
    this.#conditions = conditions;
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
    if (this.#conditions.content === undefined && this.#conditions.path?.testText(path)) this.#find();
  }

  hunk(path: string): void {
    this.#isPathWanted = this.#record !== undefined && (this.#conditions.path?.testText(path) ?? true);
  }

  line(line: Buffer): void {
    if (!this.#isPathWanted || !isChanged(line)) return;
    if (this.#conditions.content?.test(utf8Of(line.subarray(1)))) this.#find();
  }

  #find(): void {
    if (this.#record && !this.isDone) this.found.push(this.#record);
    this.#record = undefined;
    this.#isPathWanted = false;
  }
}

const isChanged = (line: Buffer): boolean => line[0] === 43 || line[0] === 45;
