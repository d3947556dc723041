import { createHash } from 'node:crypto';
import { SextantError, isOutOfDescriptors } from '@sextant/core';
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

export const wholeHistory: HistoryStart = { commits: new Set(), id: '' };

/** Git's list of the commits with which the history of a clone of ours begins. */
export class ShallowFile {
  readonly #path: string;
  #signature: string | undefined;
  #start = wholeHistory;

  constructor(path: string) {
    this.#path = path;
  }

  /** Read again once it has changed. Throws `unavailable` where it cannot be read, or has more than git could read soon. */
  read(): HistoryStart {
    const { text, isSettled } = signatureOf([this.#path]);
    if (text === this.#signature) return this.#start;
    const bytes = this.#bytes();
    if (bytes && bytes.length > maxShallowBytes) throw new SextantError('unavailable', tooLong);
    this.#start = historyStartOf(bytes, this.#start);
    this.#signature = isSettled ? text : undefined;
    return this.#start;
  }

  #bytes(): Buffer | undefined {
    try {
      return readRegular(this.#path, maxShallowBytes + 1, { whenFull: 'throw' });
    } catch (error) {
      if (!isOutOfDescriptors(error)) throw error;
      throw new SextantError('unavailable', 'the server has too many open files; try again in a moment', {
        cause: error,
        retryAfterSeconds: 1,
      });
    }
  }
}

const tooLong = 'the history of its clone begins with too many commits; administrators can leave "depth" out';

/** What the text of the file says. Git writes it again with the same lines, as when it packs: then it is what it was before. */
export function historyStartOf(bytes: Buffer | undefined, before: HistoryStart): HistoryStart {
  if (!bytes || bytes.length === 0) return wholeHistory;
  const id = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return id === before.id ? before : { commits: new Set(bytes.toString('latin1').trim().split('\n')), id };
}

export const cutHistory = 'The server has only the later part of the history (a shallow clone)';

/** For a revision that was not found, where the history begins late. */
export const olderMayBeMissing = ({ id }: HistoryStart): string =>
  id === '' ? '' : ` ${cutHistory}, so an older commit may exist.`;
