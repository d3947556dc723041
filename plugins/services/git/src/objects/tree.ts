import type { EntryKind } from '@sextant/contracts';

/** What a name in a tree stands for. */
export interface Entry {
  readonly kind: EntryKind;
  readonly id: string;
}

/** What a tree says of a name, as git stores it. */
export interface RawEntry {
  readonly name: Buffer;
  /** Six octal digits, as git shows them: it knows fewer modes than a tree may have. */
  readonly mode: string;
  readonly id: string;
}

/** One of two sides may be absent. */
export interface Difference {
  readonly before: RawEntry | undefined;
  readonly after: RawEntry | undefined;
}

export interface NamedEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

const space = 32;
const folderMode = '040000';
const slash = Buffer.from('/');
/** How bytes that are no UTF-8 are shown. */
const replacement = '\u{fffd}';

/** A tree object as git stores it: `mode SP name NUL hash` again and again, a directory sorted as if `/` ended its name. */
export class Tree {
  static readonly empty = new Tree(Buffer.alloc(0), 20);
  readonly #bytes: Buffer;
  /** 20 for SHA-1, 32 for SHA-256. */
  readonly #hashLength: number;
  /** Where entries begin, and where the last one ends. */
  readonly #starts: Uint32Array;

  constructor(bytes: Buffer, hashLength: number) {
    this.#bytes = bytes;
    this.#hashLength = hashLength;
    this.#starts = startsOf(bytes, hashLength);
  }

  /** Whether all of it makes sense. */
  get isWhole(): boolean {
    return this.#starts.at(-1) === this.#bytes.length;
  }

  /** Of memory, roughly. */
  get size(): number {
    return this.#bytes.length + 4 * this.#starts.length + 200;
  }

  /**
   * The entry with a name. A name may show bytes that are no UTF-8 as U+FFFD. It finds the first entry that is shown so,
   * unless one is really named so.
   */
  find(name: string): Entry | undefined {
    const bytes = Buffer.from(name);
    const index = this.#search(bytes) ?? this.#search(Buffer.concat([bytes, slash])) ?? this.#searchShown(name);
    return index === undefined ? undefined : { kind: this.#kindAt(index), id: this.#idAt(index) };
  }

  /** Directories first, each group by name in the order of code units. */
  sorted(): NamedEntry[] {
    const directories: NamedEntry[] = [];
    const others: NamedEntry[] = [];
    for (let index = 0; index < this.#count; index += 1) {
      const kind = this.#kindAt(index);
      (kind === 'directory' ? directories : others).push({ name: this.#nameAt(index).toString(), kind });
    }
    return [...directories.sort(byName), ...others.sort(byName)];
  }

  get #count(): number {
    return this.#starts.length - 1;
  }

  /** The entries that differ between two trees, in the order of git. A folder and a file with one name are two entries. */
  static *differences(before: Tree, after: Tree): Generator<Difference, void, void> {
    for (let [from, to] = [0, 0]; from < before.#count || to < after.#count; ) {
      const isSame = before.#bytesAt(from).equals(after.#bytesAt(to));
      if (isSame) [from, to] = [from + 1, to + 1];
      if (isSame) continue;
      const order = before.#orderOf(from, after, to);
      const [old, changed] = [order <= 0 ? before.#raw(from) : undefined, order >= 0 ? after.#raw(to) : undefined];
      if (order <= 0) from += 1;
      if (order >= 0) to += 1;
      if (old?.id !== changed?.id || old?.mode !== changed?.mode) yield { before: old, after: changed };
    }
  }

  #orderOf(index: number, other: Tree, otherIndex: number): number {
    if (index >= this.#count) return 1;
    return otherIndex >= other.#count ? -1 : this.#keyAt(index).compare(other.#keyAt(otherIndex));
  }

  /** Empty behind the last. */
  #bytesAt(index: number): Buffer {
    return this.#bytes.subarray(
      this.#starts[index] ?? this.#bytes.length,
      this.#starts[index + 1] ?? this.#bytes.length,
    );
  }

  #raw(index: number): RawEntry {
    const start = this.#starts[index] ?? 0;
    const mode = modeOf(this.#bytes.toString('latin1', start, this.#bytes.indexOf(space, start)));
    return { name: this.#nameAt(index), mode, id: this.#idAt(index) };
  }

  /** Finds a key: a name, or the name of a directory with its slash. */
  #search(key: Buffer): number | undefined {
    let low = 0;
    let high = this.#count - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = this.#keyAt(middle).compare(key);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  #searchShown(name: string): number | undefined {
    if (!name.includes(replacement)) return undefined;
    for (let index = 0; index < this.#count; index += 1) if (this.#nameAt(index).toString() === name) return index;
    return undefined;
  }

  #keyAt(index: number): Buffer {
    const name = this.#nameAt(index);
    return this.#kindAt(index) === 'directory' ? Buffer.concat([name, slash]) : name;
  }

  #nameAt(index: number): Buffer {
    const start = this.#bytes.indexOf(space, this.#starts[index]) + 1;
    return this.#bytes.subarray(start, this.#endAt(index) - this.#hashLength - 1);
  }

  #idAt(index: number): string {
    const end = this.#endAt(index);
    return this.#bytes.toString('hex', end - this.#hashLength, end);
  }

  #kindAt(index: number): EntryKind {
    const start = this.#starts[index] ?? 0;
    return kindOf(this.#bytes.toString('latin1', start, this.#bytes.indexOf(space, start)));
  }

  #endAt(index: number): number {
    return this.#starts[index + 1] ?? 0;
  }
}

/** A malformed tree ends where it stops making sense. */
function startsOf(bytes: Buffer, hashLength: number): Uint32Array {
  // A space and a NUL at least stand before each hash.
  const starts = new Uint32Array(1 + Math.ceil(bytes.length / (hashLength + 2)));
  let count = 1;
  for (let start = 0; start < bytes.length; count += 1) {
    const modeEnd = bytes.indexOf(space, start);
    const nameEnd = modeEnd < 0 ? -1 : bytes.indexOf(0, modeEnd);
    start = nameEnd + 1 + hashLength;
    if (nameEnd < 0 || start > bytes.length) break;
    starts[count] = start;
  }
  return starts.slice(0, count);
}

function modeOf(stored: string): string {
  switch (kindOf(stored)) {
    case 'directory':
      return folderMode;
    case 'symlink':
    case 'submodule':
      return stored;
    default:
      return (Number.parseInt(stored, 8) & 0o100) > 0 ? '100755' : '100644';
  }
}

export const isFolder = ({ mode }: RawEntry): boolean => mode === folderMode;

function kindOf(mode: string): EntryKind {
  switch (mode) {
    case '40000':
    case '040000':
      return 'directory';
    case '120000':
      return 'symlink';
    case '160000':
      return 'submodule';
    default:
      return mode === '100755' ? 'executable' : 'file';
  }
}

const byName = (a: NamedEntry, b: NamedEntry): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
