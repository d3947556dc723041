import { createHash } from 'node:crypto';
import { signatureOf } from './file-signature.ts';
import { readRegular } from './regular-file.ts';

/** Each command of git sorts these hashes into a list, in a time that grows as the square of their number: a longer one is refused. */
export const maxShallowBytes = 1024 * 1024;

/** Where the history of a shallow clone begins. */
export interface HistoryStart {
  /** The commits whose parents are not here. */
  readonly commits: ReadonlySet<string>;
  /** Another text for other commits; empty for a history that is whole. */
  readonly id: string;
}

const whole: HistoryStart = { commits: new Set(), id: '' };

/** Git's list of the commits with which the history of a shallow clone begins. */
export class ShallowFile {
  readonly #path: string;
  #signature: string | undefined;
  #start = whole;

  constructor(path: string) {
    this.#path = path;
  }

  /** Read again once it has changed. */
  read(): HistoryStart {
    const { text } = signatureOf([this.#path]);
    if (text === this.#signature) return this.#start;
    const bytes = readRegular(this.#path, Infinity);
    this.#signature = text;
    this.#start = bytes && bytes.length > 0 ? startOf(bytes) : whole;
    return this.#start;
  }
}

/** Git writes the file again with the same lines, as when it packs: that changes nothing. */
const startOf = (bytes: Buffer): HistoryStart => ({
  commits: new Set(bytes.toString('latin1').trim().split('\n')),
  id: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
});

/** For a revision that was not found, where the history begins late. */
export const olderMayBeMissing = ({ id }: HistoryStart): string =>
  id === ''
    ? ''
    : ' The server has only the later part of the history (a shallow clone), so an older commit may exist.';
