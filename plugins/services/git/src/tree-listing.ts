import { SextantError } from '@sextant/core';
import type { StoreCommand } from '@sextant/contracts';

/** What a listing of a tree may be: a few objects can make any number of paths. */
export interface TreeLimits {
  entries: number;
  /** Of the path of one entry. */
  pathBytes: number;
  /** Of a whole listing. */
  bytes: number;
  seconds: number;
}

/** A command whose output is records that end with NUL. */
export interface Listing {
  readonly args: readonly string[];
  readonly fieldsInRecord: number;
}

/** Mode, type, id and size before a path. */
const mostBeforePath = 200;

export const treeListing = (commit: string, wantsSizes: boolean): Listing => ({
  args: ['ls-tree', '-r', '-z', ...(wantsSizes ? ['-l'] : []), '--full-tree', '--end-of-options', commit],
  fieldsInRecord: 1,
});

export const changeListing = (from: string, to: string): Listing => ({
  args: ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--end-of-options', from, to],
  fieldsInRecord: 2,
});

/** Throws for a command that lists a tree without these limits: the caller has a bug. */
export function refuseListing({ args: [command] }: StoreCommand): void {
  if (command === 'ls-tree') throw new Error('a tree is listed by StoredRepository.tree, which has limits');
}

/** The output in pieces of whole records. Throws `too_large` over a limit. */
export async function* wholeRecords(
  pieces: AsyncIterable<Buffer>,
  { fieldsInRecord, limits, repository }: { fieldsInRecord: number; limits: TreeLimits; repository: string },
): AsyncGenerator<Buffer, void, void> {
  const records = new Records(fieldsInRecord, limits, repository);
  for await (const piece of pieces) {
    const whole = records.take(piece);
    if (whole.length > 0) yield whole;
  }
}

class Records {
  readonly #fieldsInRecord: number;
  readonly #limits: TreeLimits;
  readonly #repository: string;
  /** What was begun. */
  #rest: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #entries = 0;

  constructor(fieldsInRecord: number, limits: TreeLimits, repository: string) {
    this.#fieldsInRecord = fieldsInRecord;
    this.#limits = limits;
    this.#repository = repository;
  }

  take(piece: Buffer): Buffer {
    this.#bytes += piece.length;
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const end = this.#endOfRecords(bytes);
    this.#rest = bytes.subarray(end);
    this.#check();
    return bytes.subarray(0, end);
  }

  /** Counts them too. */
  #endOfRecords(bytes: Buffer): number {
    let [end, start, fields] = [0, 0, 0];
    for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, start)) {
      this.#checkField(at - start);
      start = at + 1;
      fields += 1;
      if (fields % this.#fieldsInRecord > 0) continue;
      this.#entries += 1;
      end = start;
    }
    this.#checkField(bytes.length - start);
    return end;
  }

  #check(): void {
    const { entries, bytes } = this.#limits;
    if (this.#entries > entries) throw this.#tooLarge(`more than ${entries} files`, 'treeEntries');
    if (this.#bytes > bytes) throw this.#tooLarge(`a list of files of more than ${bytes} bytes`, 'outputBytes');
  }

  #checkField(length: number): void {
    const { pathBytes } = this.#limits;
    if (length > pathBytes + mostBeforePath)
      throw this.#tooLarge(`a path of more than ${pathBytes} bytes`, 'treePathBytes');
  }

  #tooLarge(what: string, setting: string): SextantError {
    return new SextantError(
      'too_large',
      `repository "${this.#repository}" has ${what} at one commit, which is the most that is listed; ask for single files and folders, or let the operator raise ${setting} of service-git`,
    );
  }
}
