/** What a record of `StoredRepository.tree` says. */
export interface ListedEntry {
  /** Octal: `100644`. */
  readonly mode: string;
  readonly type: string;
  readonly id: string;
  /** In bytes; NaN where sizes were not asked for, of a submodule, and of an object that is missing. */
  readonly size: number;
  /** Bytes that are no UTF-8 are shown as U+FFFD. */
  readonly path: string;
}

/** What a record of `StoredRepository.changes` says of the second commit; mode and id are zeros where it lacks the file. */
export interface ChangedEntry {
  readonly mode: string;
  readonly id: string;
  readonly path: string;
}

const tab = 9;

/** Whether a mode is that of a file with content, not of a symbolic link, a folder or a submodule. */
export const isFileMode = (mode: string): boolean => mode.startsWith('100');

/** The entries of a piece: `<mode> <type> <id>[ <size>]\t<path>\0` again and again. */
export function* treeEntries(piece: Buffer): Generator<ListedEntry, void, void> {
  for (let at = 0; at < piece.length; ) {
    const middle = piece.indexOf(tab, at);
    const end = piece.indexOf(0, middle);
    const [mode = '', type = '', id = '', size] = piece.toString('latin1', at, middle).split(/ +/);
    yield { mode, type, id, size: Number(size), path: piece.toString('utf8', middle + 1, end) };
    at = end + 1;
  }
}

/** The entries of a piece: `:<mode> <mode> <id> <id> <status>\0<path>\0` again and again. */
export function* changedEntries(piece: Buffer): Generator<ChangedEntry, void, void> {
  for (let at = 0; at < piece.length; ) {
    const middle = piece.indexOf(0, at);
    const end = piece.indexOf(0, middle + 1);
    const [, mode = '', , id = ''] = piece.toString('latin1', at, middle).split(' ');
    yield { mode, id, path: piece.toString('utf8', middle + 1, end) };
    at = end + 1;
  }
}
