import type { EntryKind } from '@sextant/contracts';

/** One entry of a tree object. */
export interface RawEntry {
  readonly kind: EntryKind;
  readonly id: string;
}

export interface NamedEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

/** A tree object as git stores it: `mode SP name NUL hash`, again and again. */
export interface RawTree {
  readonly bytes: Buffer;
  /** 20 for SHA-1, 32 for SHA-256. */
  readonly hashLength: number;
}

const space = 32;
/** How bytes that are no UTF-8 are shown. */
const replacement = '\u{fffd}';

/** The entry of a name. A name that shows bytes which are no UTF-8 as U+FFFD finds the first entry that is shown so. */
export function findEntry(tree: RawTree, name: string): RawEntry | undefined {
  const wanted = Buffer.from(name);
  const exact = find(tree, (bytes) => bytes.equals(wanted));
  if (exact || !name.includes(replacement)) return exact;
  return find(tree, (bytes) => bytes.toString() === name);
}

/** Directories first, each group by name in the order of code units. */
export function sortedEntries(tree: RawTree): NamedEntry[] {
  const directories: NamedEntry[] = [];
  const others: NamedEntry[] = [];
  for (const { name, mode } of rawEntries(tree)) {
    const kind = kindOf(mode);
    (kind === 'directory' ? directories : others).push({ name: name.toString(), kind });
  }
  return [...directories.sort(byName), ...others.sort(byName)];
}

function find(tree: RawTree, isWanted: (name: Buffer) => boolean): RawEntry | undefined {
  for (const { name, mode, end } of rawEntries(tree))
    if (isWanted(name)) return { kind: kindOf(mode), id: tree.bytes.toString('hex', end - tree.hashLength, end) };
  return undefined;
}

function* rawEntries({ bytes, hashLength }: RawTree): Generator<{ mode: string; name: Buffer; end: number }> {
  let start = 0;
  while (start < bytes.length) {
    const nameStart = bytes.indexOf(space, start) + 1;
    const nameEnd = bytes.indexOf(0, nameStart);
    const end = nameEnd + 1 + hashLength;
    // A malformed tree ends where it stops making sense.
    if (nameStart === 0 || nameEnd < 0 || end > bytes.length) return;
    yield { mode: bytes.toString('latin1', start, nameStart - 1), name: bytes.subarray(nameStart, nameEnd), end };
    start = end;
  }
}

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
