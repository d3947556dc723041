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

export const treeListing = (commit: string): Listing => ({
  args: ['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', commit],
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
  { fieldsInRecord, limits }: { fieldsInRecord: number; limits: TreeLimits },
): AsyncGenerator<Buffer, void, void> {
  const records = new Records(fieldsInRecord, limits);
  for await (const piece of pieces) {
    const whole = records.take(piece);
    if (whole.length > 0) yield whole;
  }
}

class Records {
  readonly #fieldsInRecord: number;
  readonly #limits: TreeLimits;
  /** What was begun. */
  #rest: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #entries = 0;

  constructor(fieldsInRecord: number, limits: TreeLimits) {
    this.#fieldsInRecord = fieldsInRecord;
    this.#limits = limits;
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
      `the repository has ${what} at one commit, which is the most that is listed; ask for single files and folders, or let the operator raise ${setting} of service-git`,
    );
  }
}

/** Blobs whose sizes are remembered. */
const mostKnown = 100_000;
const submoduleMode = '160000';

/**
 * The records as `ls-tree -l` prints them. Git opens a blob for each of its paths, which takes minutes where a few blobs have millions: here
 * each is asked for once.
 */
export async function* withSizes(
  pieces: AsyncIterable<Buffer>,
  sizesOf: (ids: readonly string[]) => Promise<readonly (number | undefined)[]>,
): AsyncGenerator<Buffer, void, void> {
  const known = new Map<string, string>();
  for await (const piece of pieces) {
    const records = piece.toString('latin1').split('\0').slice(0, -1);
    if (known.size > mostKnown) known.clear();
    const unknown = [...new Set(records.flatMap((record) => blobIn(record) ?? []))].filter((id) => !known.has(id));
    const sizes = unknown.length === 0 ? [] : await sizesOf(unknown);
    for (const [at, id] of unknown.entries()) known.set(id, String(sizes[at] ?? 'BAD'));
    yield Buffer.from(records.map((record) => withSize(record, known)).join(''), 'latin1');
  }
}

/** Undefined for a submodule. */
function blobIn(record: string): string | undefined {
  return record.startsWith(submoduleMode) ? undefined : record.slice(idAt, record.indexOf('\t'));
}

function withSize(record: string, sizes: ReadonlyMap<string, string>): string {
  const tab = record.indexOf('\t');
  return `${record.slice(0, tab)} ${sizes.get(blobIn(record) ?? '') ?? '-'}${record.slice(tab)}\0`;
}

const idAt = '100644 blob '.length;
