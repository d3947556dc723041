import { setTimeout } from 'node:timers/promises';
import { SextantError, diskFailures, isOutOfDescriptors, messageOf, mostDescriptors } from '@sextant/core';
import { Slots } from '../process/slots.ts';
import { FanOuts } from './fan-outs.ts';
import { signatureOf } from './file-signature.ts';
import type { PreparedFolder } from './prepared-folder.ts';
import type { RepositoryFormats } from './repository-format.ts';
import { historyStartOf, wholeHistory } from './shallow-file.ts';
import type { HistoryStart } from './shallow-file.ts';
import { foldersAtOnce, StorageInspection, StorageProblem } from './storage.ts';
import type { StorageLimits, StoragePlace } from './storage.ts';

export interface ServedStorageParts {
  place: StoragePlace;
  limits: StorageLimits;
  formats: RepositoryFormats;
  /** A folder of ours, which git is given instead of the repository's. */
  folder: PreparedFolder;
  /** Called when what is wrong with it has changed. */
  onChange(problem: string | undefined): void;
}

interface Inspected {
  readonly watched: readonly string[];
  readonly signature: string;
  readonly isSettled: boolean;
  readonly fanOuts: FanOuts;
  readonly at: number;
}

/** Files that changed a moment ago can change again unseen; so long they are trusted not to, in milliseconds. */
const trustMs = 100;
/** Clocks of file systems move in steps of a few milliseconds: what changed within one can change again unseen. */
const tickMs = 20;
/** Files that change all the time are looked at again for so many milliseconds; from then on so often for each that asks. */
const patienceMs = 2000;
/** The second finds in order what changed just before the first. */
const leastLooks = 2;
/** Others give back files that they have open: after so long it is looked again, up to this time. */
const [fullPauseMs, longestFullMs] = [50, 10_000];
/** Repositories that are looked at together: with all their folders open they have a quarter of the descriptors. */
const looks = new Slots(Math.max(1, Math.min(32, Math.floor(mostDescriptors() / 4 / foldersAtOnce))));
const never = new AbortController().signal;
/** A refused repository is checked again after this many milliseconds, changed or not. */
const refusedMs = 5000;

/** The files of a repository that others may write to. Git reads them only while they are as they were when they were checked. */
export class ServedStorage {
  readonly #parts: ServedStorageParts;
  #inspected: Inspected | undefined;
  #inspecting: Promise<void> | undefined;
  #problem: string | undefined;
  #since: string | undefined;
  #borrowed = '';
  #historyStart = wholeHistory;
  #state = 0;
  /** Since when its files change all the time. */
  #movingSince: number | undefined;

  constructor(parts: ServedStorageParts) {
    this.#parts = parts;
  }

  /** What git is given. Throws before it was looked at. */
  get path(): string {
    this.#requireOrder();
    return this.#parts.folder.path;
  }

  /** Another number whenever something had changed when it was looked at. */
  get state(): number {
    return this.#state;
  }

  /** Whether nothing has changed since it was in that state: not even to something else and back. */
  isStill(state: number): boolean {
    const inspected = this.#inspected;
    return (
      inspected !== undefined && state === this.#state && signatureOf(inspected.watched).text === inspected.signature
    );
  }

  /** Why it is not served, and since when (RFC 3339). */
  get failure(): { reason: string; since: string } | undefined {
    return this.#problem === undefined || this.#since === undefined
      ? undefined
      : { reason: this.#problem, since: this.#since };
  }

  /** Another one when git would find other objects. */
  get generation(): string {
    return this.#borrowed;
  }

  /** Where its history begins, as of the last time that it was found in order. */
  get historyStart(): HistoryStart {
    return this.#historyStart;
  }

  /** Throws `unavailable` unless git may read it; looks again if anything has changed. */
  async prepare(): Promise<void> {
    if (!this.#isAsInspected()) await this.inspect();
    this.#requireOrder();
  }

  #requireOrder(): void {
    if (this.#problem !== undefined) throw refusal(this.#problem);
    if (!this.#inspected) throw changing();
  }

  /** Looks at all of it. Never fails: what is wrong is kept. */
  inspect(): Promise<void> {
    this.#inspecting ??= this.#inspect().finally(() => (this.#inspecting = undefined));
    return this.#inspecting;
  }

  async close(): Promise<void> {
    await this.#inspecting;
    await this.#parts.folder.remove();
  }

  #isAsInspected(): boolean {
    if (!this.#inspected) return false;
    const { watched, signature, isSettled, fanOuts, at } = this.#inspected;
    const age = performance.now() - at;
    if (this.#problem !== undefined && age > refusedMs) return false;
    return (isSettled || age < trustMs) && signatureOf(watched).text === signature && fanOuts.haveFilesOnly();
  }

  /** A check during a change says nothing of what git would find. */
  async #inspect(): Promise<void> {
    this.#movingSince ??= performance.now();
    // What is known to have changed just now would have to be looked at twice.
    let { changedAt } = signatureOf(this.#inspected?.watched ?? []);
    let looks = 0;
    do {
      looks += 1;
      await setTimeout(Math.min(tickMs, Math.max(0, changedAt + tickMs - Date.now())));
      const begun = Date.now();
      const { problem, watched, foundAs, fanOuts } = await this.#look();
      const { text, isSettled, ...now } = signatureOf(watched);
      ({ changedAt } = now);
      // A clock that is set must not keep a repository from being served.
      if (text === foundAs && (changedAt + tickMs <= begun || changedAt > Date.now() + tickMs)) {
        if (text !== this.#inspected?.signature) this.#state += 1;
        this.#inspected = { watched, signature: text, isSettled, fanOuts, at: performance.now() };
        this.#movingSince = undefined;
        this.#keep(problem);
        return;
      }
    } while (looks < leastLooks || performance.now() - this.#movingSince < patienceMs);
    this.#state += 1;
    this.#inspected = undefined;
  }

  async #look(): Promise<{
    problem: string | undefined;
    watched: readonly string[];
    foundAs: string;
    fanOuts: FanOuts;
  }> {
    const release = await looks.take(never);
    try {
      const begun = performance.now();
      for (;;) {
        const inspection = new StorageInspection(this.#parts.place, this.#parts.limits);
        const failed = await this.#show(inspection).then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        if (failed && isOutOfDescriptors(failed.error) && performance.now() - begun < longestFullMs) {
          await setTimeout(fullPauseMs);
          continue;
        }
        const { watched, foundAs, fanOuts } = inspection;
        const problem = failed && reasonOf(failed.error);
        return { problem, watched: [...watched], foundAs, fanOuts: new FanOuts(fanOuts) };
      }
    } finally {
      release();
    }
  }

  async #show(inspection: StorageInspection): Promise<void> {
    const { place, formats, folder } = this.#parts;
    const { head, config, shallow, stores } = await inspection.run();
    const format = await formats.of(config, folder.path);
    const isSound = stores.every(({ hasSoundPackIndex }) => hasSoundPackIndex);
    await folder.show({
      head,
      config: isSound ? format : format + withoutPackIndex,
      commonPath: place.commonPath,
      stores,
    });
    this.#historyStart = historyStartOf(shallow, this.#historyStart);
    this.#borrowed = stores.map(({ path }) => path).join('\n') + format;
  }

  #keep(problem: string | undefined): void {
    if (problem === this.#problem) return;
    this.#since = this.#problem === undefined ? new Date().toISOString() : this.#since;
    this.#problem = problem;
    this.#parts.onChange(problem);
  }
}

/** Git then looks into each pack: many packs make it several times slower. */
const withoutPackIndex = '[core]\n\tmultiPackIndex = false\n';

/** Callers are not told where it leads. What is wrong with the server is no secret. */
export function refusal(problem: string): SextantError {
  const server = serverProblems.find((each) => problem.startsWith(each));
  const told = server ?? 'its files on the server are not in order';
  const message = `the repository is not served: ${told}; administrators find the reason on /site-admin/repositories`;
  return new SextantError('unavailable', message, { cause: new Error(problem) });
}

/** For what was read while its files changed, so that nobody knows whose files they were. */
export const changing = (): SextantError =>
  new SextantError('unavailable', 'the repository is changing while it is read; try again in a moment', {
    retryAfterSeconds: 1,
  });

/** Of the data folder: those who may not read a file of the repository get another. */
const diskCodes = ['ENOSPC', 'EDQUOT', 'EROFS'];
const noGit = 'the server cannot run git';
/** What is wrong with the server, and with none of its repositories. */
const tooManyFiles = 'the server has too many open files';
const serverProblems = [noGit, tooManyFiles, ...diskCodes.flatMap((code) => diskFailures[code] ?? [])];

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/git: (?:not found|Permission denied)/.test(messageOf(error))) return `${noGit} (${messageOf(error)})`;
  if (error instanceof StorageProblem) return error.message;
  if (isOutOfDescriptors(error)) return `${tooManyFiles} (${messageOf(error)})`;
  const what = (diskCodes.includes(code) ? diskFailures[code] : undefined) ?? 'it could not be looked at';
  return `${what} (${messageOf(error)})`;
}
