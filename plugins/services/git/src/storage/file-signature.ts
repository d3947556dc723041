import { statSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';

/**
 * A file that was written this shortly before we looked could be written again within the same tick of the file
 * system's clock, unseen. What was read then is not remembered.
 */
const racyMs = 1100;

/** What the files say in which refs are kept. While it stays the same, the refs mean what they meant. */
export interface Signature {
  readonly text: string;
  /** Whether it can be trusted to change with the refs. */
  readonly isSettled: boolean;
  /** When the last of them changed, in milliseconds of the file system's clock; 0 where there are none. */
  readonly changedAt: number;
}

/** The state of files, at the cost of one `stat` each. */
export function signatureOf(files: readonly string[]): Signature {
  let text = '';
  let newest = 0n;
  for (const file of files) {
    const stat = stateOf(file);
    text += stat ? `${stat.ino}.${stat.size}.${stat.mtimeNs}.${stat.ctimeNs};` : '-;';
    if (stat && stat.ctimeNs > newest) newest = stat.ctimeNs;
  }
  return { text, isSettled: isPast(newest), changedAt: Number(newest / 1_000_000n) };
}

/** File states at creation; comparing them is cheaper than new signatures. */
export class SeenFiles {
  readonly #files: readonly string[];
  readonly #states: readonly (BigIntStats | undefined)[];
  /** Whether it can be trusted that they change when they are written. */
  readonly areSettled: boolean;

  constructor(files: readonly string[]) {
    this.#files = files;
    this.#states = files.map(stateOf);
    this.areSettled = this.#states.every((state) => !state || isPast(state.ctimeNs));
  }

  /** Whether there are all of them. */
  get areThere(): boolean {
    return this.#states.every((state) => state !== undefined);
  }

  /** Whether they are still the same. */
  areSame(): boolean {
    return this.#files.every((file, at) => isSame(this.#states[at], stateOf(file)));
  }
}

/** Undefined where there is nothing that can be reached. With big integers none of its dates are made: that is most of the time. */
export function stateOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A link in a circle, or a folder that may not be entered, is as good as nothing.
    return undefined;
  }
}

const isPast = (changed: bigint): boolean => Number(changed / 1_000_000n) + racyMs < Date.now();

const isSame = (a: BigIntStats | undefined, b: BigIntStats | undefined): boolean =>
  a?.ino === b?.ino && a?.size === b?.size && a?.mtimeNs === b?.mtimeNs && a?.ctimeNs === b?.ctimeNs;
