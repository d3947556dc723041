import type { DataFileProblem } from '@sextant/core';
import type { RepositoryReader } from './repository-reader.ts';
import type { StoredShard } from './loaded-shard.ts';
import { ShardSet } from './shard-set.ts';
import type { SharedIndex } from './shared-index.ts';

export interface RepositoryShardsOptions {
  readonly folder: string;
  readonly shared: SharedIndex;
  readonly reader: Pick<RepositoryReader, 'blobs'>;
  /** Called when a text could not be loaded into memory. */
  readonly onFailure: (error: Error) => void;
  /** Told what was wrong with shards on disk that must be built again. */
  readonly onUnusable: (problems: readonly DataFileProblem[]) => void;
}

export interface Merged {
  readonly built: readonly StoredShard[];
  readonly replaced: readonly StoredShard[];
}

/** More small shards than this are merged into one. */
const maxShards = 12;

/** The shards of one repository. */
export class RepositoryShards {
  readonly #options: RepositoryShardsOptions;
  #set: ShardSet | undefined;
  #loading: Promise<void> | undefined;
  #building = { done: 0, total: 0 };

  constructor(options: RepositoryShardsOptions) {
    this.#options = options;
  }

  /** What is known so far. */
  get set(): ShardSet {
    return this.#set ?? new ShardSet([]);
  }

  /** How much is done, from 0 to 1, of what was built last. */
  get builtShare(): number {
    const { done, total } = this.#building;
    return total === 0 ? 0 : done / total;
  }

  get areMany(): boolean {
    return this.set.shards.length > maxShards;
  }

  /** Loads the shards on disk once. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const { shared, folder } = this.#options;
    const { shards, unusable } = await shared.load(folder);
    if (unusable.length > 0) this.#options.onUnusable(unusable);
    const all = new ShardSet(shards);
    // If several processes indexed the same text, the shards of one of them are enough.
    const redundant = new Set(all.redundant);
    if (redundant.size > 0) await shared.drop(folder, [...redundant]);
    this.#set = redundant.size > 0 ? new ShardSet(all.shards.filter((shard) => !redundant.has(shard))) : all;
    this.#warm(this.#set.shards);
  }

  /** Builds shards of blobs. Where that fails, those that are built stay. */
  async add(blobs: readonly string[], isUrgent: boolean): Promise<void> {
    for await (const built of this.#build(blobs, isUrgent)) this.#set = new ShardSet([...this.set.shards, ...built]);
  }

  /** Builds one shard of the wanted blobs of small shards, in the order of `inOrder`, for `replace`. Undefined where few shards are small. */
  async merge(
    wanted: ReadonlySet<string>,
    inOrder: (isWanted: (blob: string) => boolean) => Promise<readonly string[]>,
  ): Promise<Merged | undefined> {
    const { shards } = this.set;
    const staying = new ShardSet(this.set.worthKeeping(wanted));
    if (shards.length - staying.shards.length <= maxShards) return undefined;
    const blobs = await inOrder((blob) => !staying.isKnown(blob));
    const built: StoredShard[] = [];
    try {
      for await (const some of this.#build(blobs, false)) built.push(...some);
    } catch (error) {
      await this.drop(built);
      throw error;
    }
    return { built, replaced: shards.filter((shard) => !staying.shards.includes(shard)) };
  }

  named(name: string): StoredShard | undefined {
    return this.set.shards.find((shard) => shard.name === name);
  }

  /** Puts a merged shard in the place of the small ones, of which it returns those that are still there. Shards that were added meanwhile stay. */
  replace({ built, replaced }: Merged): StoredShard[] {
    const { shards } = this.set;
    this.#set = new ShardSet([...shards.filter((shard) => !replaced.includes(shard)), ...built]);
    return shards.filter((shard) => replaced.includes(shard));
  }

  /** Releases shards that were left out, and removes their files. */
  drop(shards: readonly StoredShard[]): Promise<void> {
    return this.#options.shared.drop(this.#options.folder, shards);
  }

  /** Releases all shards, and removes the folder. Nothing is built meanwhile. */
  async clear(): Promise<void> {
    await this.#loading?.catch(() => undefined);
    const { shards } = this.set;
    this.#set = undefined;
    await this.#options.shared.remove(this.#options.folder, shards);
  }

  /** Builds in several turns where other repositories wait. */
  async *#build(blobs: readonly string[], isUrgent: boolean): AsyncGenerator<readonly StoredShard[], void, void> {
    const { folder, shared, reader } = this.#options;
    const building = { done: 0, total: blobs.length };
    this.#building = building;
    for (let left = blobs, isContinued = false; !isContinued || left.length > 0; isContinued = true) {
      const built = await shared.build({
        folder,
        number: this.set.nextNumber,
        output: reader.blobs(left),
        isUrgent,
        isContinued,
        onObjects: (count) => void (building.done += count),
      });
      left = built.left;
      yield built.shards;
      this.#warm(built.shards);
    }
  }

  #warm(shards: readonly StoredShard[]): void {
    const { shared, folder, onFailure } = this.#options;
    for (const shard of shards) shared.warm(folder, shard).catch(onFailure);
  }
}
