import { SextantError } from '@sextant/core';
import type { ChangedEntry, ListedEntry } from '@sextant/contracts';

/** What a listing of a tree may be: a few objects can make any number of paths. */
export interface ListingLimits {
  entries: number;
  /** Of the path of one entry. */
  pathBytes: number;
  /** Of a whole listing. */
  bytes: number;
  seconds: number;
}

/** A git command that lists paths, and how its output is read: records of so many fields, each of which ends with NUL. */
export interface Listing<Entry> {
  readonly args: readonly string[];
  readonly fieldsInRecord: number;
  readonly parse: (records: Buffer) => Entry[];
}

type Sized = Omit<ListedEntry, 'size'> & { size: number };

export const treeListing = (commit: string): Listing<Sized> => ({
  args: ['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', commit],
  fieldsInRecord: 1,
  parse: treeEntries,
});

export const changeListing = (from: string, to: string): Listing<ChangedEntry> => ({
  args: ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--end-of-options', from, to],
  fieldsInRecord: 2,
  parse: changedEntries,
});

const [tab, space] = [9, 32];
const typeAt = '100644 '.length;

/** `<mode> <type> <id>\t<path>\0` again and again. */
function treeEntries(records: Buffer): Sized[] {
  const entries: Sized[] = [];
  for (let at = 0; at < records.length; ) {
    const middle = records.indexOf(tab, at);
    const idAt = records.indexOf(space, at + typeAt) + 1;
    const end = records.indexOf(0, middle);
    const type = idAt - at - typeAt === 'blob '.length ? 'blob' : 'commit';
    const mode = records.toString('latin1', at, at + typeAt - 1);
    const path = records.toString('utf8', middle + 1, end);
    entries.push({ mode, type, id: records.toString('latin1', idAt, middle), size: Number.NaN, path });
    at = end + 1;
  }
  return entries;
}

/** The first field of a change as `diff-tree --raw -z` prints it: `:<mode> <mode> <id> <id> <status>`. */
export function rawChange(field: string): Record<'oldMode' | 'mode' | 'oldId' | 'id' | 'status', string> {
  const [oldMode = '', mode = '', oldId = '', id = '', status = ''] = field.slice(1).split(' ');
  return { oldMode, mode, oldId, id, status };
}

/** `:<mode> <mode> <id> <id> <status>\0<path>\0` again and again. */
function changedEntries(records: Buffer): ChangedEntry[] {
  const entries: ChangedEntry[] = [];
  for (let at = 0; at < records.length; ) {
    const middle = records.indexOf(0, at);
    const end = records.indexOf(0, middle + 1);
    const { mode, id, status, ...old } = rawChange(records.toString('latin1', at, middle));
    const before = status === 'A' ? undefined : { mode: old.oldMode, id: old.oldId };
    entries.push({ mode, id, path: records.toString('utf8', middle + 1, end), before });
    at = end + 1;
  }
  return entries;
}

/** The entries in what git prints. Throws `too_large` over a limit. */
export async function* listedEntries<Entry>(
  output: AsyncIterable<Buffer>,
  { fieldsInRecord, parse }: Listing<Entry>,
  limits: ListingLimits,
): AsyncGenerator<Entry[], void, void> {
  const records = new Records(fieldsInRecord, limits);
  for await (const piece of output) {
    const whole = records.take(piece);
    if (whole.length > 0) yield parse(whole);
  }
}

/** Mode, type, id and size before a path. */
const mostBeforePath = 200;

/** Cuts output into pieces of whole records, and watches the limits. */
class Records {
  readonly #fieldsInRecord: number;
  readonly #limits: ListingLimits;
  /** The record that has not ended. */
  #rest: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #entries = 0;

  constructor(fieldsInRecord: number, limits: ListingLimits) {
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
    if (this.#entries > entries) throw tooLarge(`more than ${entries} files`, 'treeEntries');
    if (this.#bytes > bytes) throw tooLarge(`a list of files of more than ${bytes} bytes`, 'outputBytes');
  }

  #checkField(length: number): void {
    const { pathBytes } = this.#limits;
    if (length > pathBytes + mostBeforePath) throw tooLarge(`a path of more than ${pathBytes} bytes`, 'treePathBytes');
  }
}

const tooLarge = (what: string, setting: string): SextantError =>
  new SextantError(
    'too_large',
    `the repository has ${what} at one commit, which is the most that is listed; ask for single files and folders, or let the operator raise ${setting} of service-git`,
  );

/** Blobs whose sizes are remembered while a tree is listed. */
const mostKnown = 100_000;

/** Tells the sizes of blobs. `ls-tree -l` opens a blob for each of its paths, of which it may have millions: here each is asked for once. */
export async function* withSizes(
  batches: AsyncIterable<Sized[]>,
  sizesOf: (ids: readonly string[]) => Promise<readonly (number | undefined)[]>,
): AsyncGenerator<Sized[], void, void> {
  const known = new Map<string, number>();
  for await (const entries of batches) {
    if (known.size > mostKnown) known.clear();
    const blobs = entries.filter(({ type }) => type === 'blob');
    const unknown = [...new Set(blobs.map(({ id }) => id))].filter((id) => !known.has(id));
    const sizes = unknown.length === 0 ? [] : await sizesOf(unknown);
    for (const [at, id] of unknown.entries()) known.set(id, sizes[at] ?? Number.NaN);
    for (const blob of blobs) blob.size = known.get(blob.id) ?? Number.NaN;
    yield entries;
  }
}
