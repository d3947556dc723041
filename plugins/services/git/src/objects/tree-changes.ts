import { setImmediate } from 'node:timers/promises';
import { removedMode } from '@sextant/contracts';
import type { ChangedEntry } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import { isFolder, Tree } from './tree.ts';
import type { Difference, RawEntry } from './tree.ts';
import type { TreePlace, TreeReader } from './tree-reader.ts';

/** Folders that differ. To read so many takes less time than to start git. */
const mostFolders = 200;
/** Of all trees that are read: those of two hundred thousand files in one folder, before and after. */
const mostBytes = 16 << 20;
/** Differences between two breaths. */
const entriesAtOnce = 2000;

/** Ids of two trees; undefined for one that is not there. */
interface TreePair {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

interface Commits {
  readonly from: string;
  readonly to: string;
  /** Bytes of the longest path. */
  readonly pathBytes: number;
}

/**
 * The differences between the trees of two commits, in the order of git. Only trees that differ are read. Undefined if
 * these are many or large, or cannot be read: git says what is wrong.
 */
export async function fewChanges(
  trees: Pick<TreeReader, 'rootOf' | 'tree'>,
  place: TreePlace,
  { from, to, pathBytes }: Commits,
): Promise<ChangedEntry[] | undefined> {
  try {
    const [before, after] = await Promise.all([from, to].map((commit) => trees.rootOf({ ...place, commit })));
    return await new Walk(trees, place, pathBytes).compare('', { before, after });
  } catch (error) {
    place.signal.throwIfAborted();
    if (error instanceof RangeError || isSextantError(error)) return undefined;
    throw error;
  }
}

class Walk {
  readonly #trees: Pick<TreeReader, 'tree'>;
  readonly #place: TreePlace;
  readonly #pathBytes: number;
  #folders = 0;
  #bytes = 0;

  constructor(trees: Pick<TreeReader, 'tree'>, place: TreePlace, pathBytes: number) {
    [this.#trees, this.#place, this.#pathBytes] = [trees, place, pathBytes];
  }

  async compare(prefix: string, { before, after }: TreePair): Promise<ChangedEntry[]> {
    this.#folders += 1;
    if (this.#folders > mostFolders) throw new RangeError('too many folders differ');
    const [old, changed] = await Promise.all([this.#read(before), this.#read(after)]);
    const differences: Difference[] = [];
    for (const difference of Tree.differences(old, changed)) {
      differences.push(difference);
      if (differences.length % entriesAtOnce === 0) await setImmediate();
    }
    const found = differences.map((difference) => this.#changesIn(prefix, difference));
    return (await Promise.all(found)).flat();
  }

  async #changesIn(prefix: string, { before, after }: Difference): Promise<ChangedEntry[]> {
    const entry = after ?? before;
    if (!entry) return [];
    const path = prefix + entry.name.toString();
    if (Buffer.byteLength(path) > this.#pathBytes) throw new RangeError('a path is too long');
    if (isFolder(entry)) return this.compare(`${path}/`, { before: before?.id, after: after?.id });
    const { mode, id } = after ?? { mode: removedMode, id: '0'.repeat(entry.id.length) };
    return [{ mode, id, path, before: before && versionOf(before) }];
  }

  async #read(id: string | undefined): Promise<Tree> {
    if (id === undefined) return Tree.empty;
    const tree = await this.#trees.tree(this.#place, id);
    this.#bytes += tree.size;
    if (!tree.isWhole || this.#bytes > mostBytes) throw new RangeError('a folder is damaged or too large');
    return tree;
  }
}

const versionOf = ({ mode, id }: RawEntry): { mode: string; id: string } => ({ mode, id });
