import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { crc32, deflate, inflate } from 'node:zlib';
import { fileOf, isOfCommit } from '../threads/commit-files.ts';
import { partialTree } from './partial-tree.ts';
import type { RunGit } from './partial-tree.ts';
import { parseTree, treeArguments } from './tree.ts';
import type { Tree } from './tree.ts';

const [pack, unpack] = [promisify(deflate), promisify(inflate)];
const sumBytes = 4;

export interface StoredTreesOptions {
  readonly folder: string;
  readonly git: RunGit;
  /** Called when a tree could not be kept: it will be asked for again. */
  readonly onFailure: (error: unknown) => void;
}

/** The trees of commits. Those of branches are kept, so that a start asks git for nothing that was known; they can be lost at any time. */
export class StoredTrees {
  readonly #options: StoredTreesOptions;

  constructor(options: StoredTreesOptions) {
    this.#options = options;
  }

  async read(commit: string, { isKept }: { isKept: boolean }): Promise<Tree> {
    const known = await this.#known(commit);
    if (known) return parseTree(known);
    const { git } = this.#options;
    const listing = await buffer(git(treeArguments(commit))).catch((error: unknown) => error);
    if (!(listing instanceof Buffer)) {
      // It may be that something is missing. Where that does not help either, the first error says more.
      return partialTree(git, commit).catch(() => {
        throw listing;
      });
    }
    if (isKept) await this.#keep(commit, listing).catch(this.#options.onFailure);
    return parseTree(listing);
  }

  /** Removes what is kept of all but some commits. */
  async keepOnly(commits: ReadonlySet<string>): Promise<void> {
    const { folder } = this.#options;
    // Of a repository without a commit there is no folder.
    const names = await readdir(folder).catch(() => []);
    const others = names.filter((name) => isOfCommit(name) && !commits.has(name.split('.', 1)[0] ?? ''));
    for (const name of others) await rm(join(folder, name), { force: true });
  }

  /** What was kept; undefined where nothing was, or it is damaged. */
  async #known(commit: string): Promise<Buffer | undefined> {
    const file = await readFile(this.#path(commit)).catch(() => undefined);
    if (!file || file.length < sumBytes) return undefined;
    const packed = file.subarray(sumBytes);
    return file.readUInt32LE(0) === crc32(packed) ? unpack(packed) : undefined;
  }

  async #keep(commit: string, listing: Buffer): Promise<void> {
    const packed = await pack(listing);
    const sum = Buffer.alloc(sumBytes);
    sum.writeUInt32LE(crc32(packed));
    const partial = join(this.#options.folder, `${commit}.${process.pid}.partial`);
    try {
      await writeFile(partial, [sum, packed], { mode: 0o600 });
      await rename(partial, this.#path(commit));
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  #path(commit: string): string {
    return fileOf(this.#options.folder, commit, 'tree');
  }
}
