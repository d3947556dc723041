import { isFileMode } from '@sextant/contracts';
import type { Tree } from './tree.ts';

export interface Entry {
  readonly mode: string;
  readonly id: string;
}

/** A file that differs between two trees; the bytes of its path each as a character. */
export interface Change {
  readonly path: string;
  /** Of the new tree; zeros where the file is not in it. */
  readonly mode: string;
  readonly id: string;
  /** Of the old tree; absent where the file was not in it. */
  readonly before?: Entry | undefined;
}

/** Whether the size of what is there now is to be asked for. */
export const hasSize = ({ mode }: Pick<Change, 'mode'>): boolean => mode !== submoduleMode && mode !== removedMode;

/** The content of an object by its id. */
export type ReadObject = (id: string) => Promise<Buffer>;

/** Ids of folders; absent where there is none. */
interface Folders {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const [zero, space] = [0, 0x20];
const folderMode = '40000';
export const removedMode = '000000';
export const submoduleMode = '160000';

/** Of all folders that are compared; those of two hundred thousand files in a folder, before and after. */
const mostBytes = 16 << 20;

interface Commits {
  readonly before: string;
  readonly after: string;
  readonly mostFolders: number;
}

/** What differs between the trees of two commits: only folders that differ are read. Throws where they are more than so many or very large, and what `read` throws. */
export async function changesBetween(read: ReadObject, { before, after, mostFolders }: Commits): Promise<Change[]> {
  const walk = new Walk(read, mostFolders);
  await walk.compare('', { before: await rootOf(read, before), after: await rootOf(read, after) });
  return walk.changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Of changed files those that are there now, as a tree. */
export function treeOf(changes: readonly Change[], sizes: ReadonlyMap<string, number>): Tree {
  const files = changes.filter(hasSize);
  return {
    paths: files.map(({ path }) => Buffer.from(path, 'latin1').toString()),
    blobs: files.map(({ mode, id }) => (isFileMode(mode) ? id : undefined)),
    sizes: files.map(({ id }) => sizes.get(id) ?? Number.NaN),
  };
}

async function rootOf(read: ReadObject, commit: string): Promise<string | undefined> {
  return /^tree ([0-9a-f]+)\n/.exec((await read(commit)).toString('latin1'))?.[1];
}

class Walk {
  readonly changes: Change[] = [];
  readonly #read: ReadObject;
  readonly #mostFolders: number;
  #folders = 0;
  #bytes = 0;

  constructor(read: ReadObject, mostFolders: number) {
    this.#read = read;
    this.#mostFolders = mostFolders;
  }

  async compare(prefix: string, { before, after }: Folders): Promise<void> {
    this.#folders += 1;
    if (this.#folders > this.#mostFolders) throw new RangeError('too many folders differ');
    const [old, young] = await Promise.all([this.#entries(before), this.#entries(after)]);
    const inner: Promise<void>[] = [];
    for (const name of new Set([...old.keys(), ...young.keys()])) {
      const [one, other] = [old.get(name), young.get(name)];
      if (one?.id === other?.id && one?.mode === other?.mode) continue;
      const [was, is] = [one, other].map((entry) => (entry && !isFolder(entry) ? entry : undefined));
      const now = is ?? { mode: removedMode, id: '' };
      if (was ?? is) this.changes.push({ path: prefix + name, ...now, before: was });
      const folders = { before: folderOf(one), after: folderOf(other) };
      if (folders.before !== undefined || folders.after !== undefined)
        inner.push(this.compare(`${prefix}${name}/`, folders));
    }
    await Promise.all(inner);
  }

  async #entries(folder: string | undefined): Promise<ReadonlyMap<string, Entry>> {
    if (folder === undefined) return new Map();
    const tree = await this.#read(folder);
    this.#bytes += tree.length;
    if (this.#bytes > mostBytes) throw new RangeError('the folders that differ are too large');
    return entriesIn(tree, folder.length / 2);
  }
}

const isFolder = ({ mode }: Entry): boolean => mode === folderMode;
const folderOf = (entry: Entry | undefined): string | undefined => (entry && isFolder(entry) ? entry.id : undefined);

/** `<mode> <name>\0<id>` one after the other. */
function entriesIn(tree: Buffer, idBytes: number): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (let at = 0; at < tree.length; ) {
    const middle = tree.indexOf(space, at);
    const end = middle < at ? -1 : tree.indexOf(zero, middle);
    if (end < 0) throw new Error('what git gives of a folder is no list of files');
    const id = tree.toString('hex', end + 1, end + 1 + idBytes);
    entries.set(tree.toString('latin1', middle + 1, end), { mode: tree.toString('latin1', at, middle), id });
    at = end + 1 + idBytes;
  }
  return entries;
}
