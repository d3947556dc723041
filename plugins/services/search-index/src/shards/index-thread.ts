import { mkdirSync, rmSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { DataFileProblem } from '@sextant/core';
import { Arena, DamagedShardError, Shard, Workspace } from '@sextant/library-block-index';
import type { ArenaRegion } from '@sextant/library-block-index';
import { answerCalls } from '@sextant/library-workers/thread';
import { Contents } from './contents.ts';
import type { ContentLimits } from './contents.ts';
import type { LoadedPaths, StoredShard } from './loaded-shard.ts';
import { isUnusable, loadPaths, problemOf } from './load.ts';
import type { PathText } from './load.ts';
import { checkTable, ShardFiles } from './shard-files.ts';

export interface LoadedFolder {
  readonly shards: StoredShard[];
  /** What was wrong with those that were removed. */
  readonly unusable: readonly DataFileProblem[];
}

/** A shard by its address; the folder tells which repository the thread works at. */
interface ShardOfFolder {
  readonly folder: string;
  readonly shard: number;
}

/** A shard to be released. */
export type DroppedShard = Pick<StoredShard, 'name' | 'handle'>;

export interface IndexThreadData {
  readonly part: ArenaRegion;
  readonly texts: ContentLimits;
}

interface BuiltInFolder {
  readonly folder: string;
  readonly names: readonly string[];
}

/** The shards of a folder that are released. */
interface DroppedOfFolder {
  readonly folder: string;
  readonly shards: readonly DroppedShard[];
}

/** The calls of the index thread. It answers one after the other. */
export type IndexCalls = Pick<IndexThread, keyof IndexThread>;

/** Owns the memory that all threads share: only this thread loads into it and releases. */
class IndexThread {
  readonly #arena: Arena;
  readonly #workspace: Workspace;
  readonly #contents: Contents;

  constructor({ part, texts }: IndexThreadData) {
    this.#arena = new Arena(part);
    this.#workspace = new Workspace(this.#arena);
    this.#contents = new Contents(this.#workspace, texts);
  }

  /** Loads every complete shard of a folder, and removes what is incomplete or damaged. */
  load({ folder }: { readonly folder: string }): LoadedFolder {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const unusable: DataFileProblem[] = [];
    const shards = this.#allOrNone(ShardFiles.completeIn(folder), (name) => {
      const files = new ShardFiles(folder, name);
      try {
        return this.#load(files);
      } catch (error) {
        if (!isUnusable(error)) throw error;
        unusable.push(problemOf(error));
      }
      files.remove();
      return undefined;
    });
    return { shards, unusable };
  }

  /** Loads shards that were built. Removes the files of what does not fit into the memory: it is built again when there is room. */
  add({ folder, names }: BuiltInFolder): StoredShard[] {
    const all = names.map((name) => new ShardFiles(folder, name));
    try {
      return this.#allOrNone(all, (files) => this.#load(files));
    } catch (error) {
      for (const files of all) files.remove();
      throw error;
    }
  }

  paths(text: PathText & { readonly folder: string }): LoadedPaths {
    return loadPaths(this.#workspace, text);
  }

  release(addresses: readonly number[]): void {
    for (const address of addresses) this.#arena.release(address);
  }

  /** Loads some more of the text of a shard into memory, where there is room for it; answers whether it is done. */
  warm({ shard }: ShardOfFolder): boolean {
    return this.#contents.warm(shard);
  }

  /** Releases shards and removes their files. */
  drop({ folder, shards }: DroppedOfFolder): void {
    for (const { name } of shards) new ShardFiles(folder, name).remove();
    this.#unload(shards);
  }

  /** Releases all shards of a folder and removes it. */
  remove({ folder, shards }: DroppedOfFolder): void {
    this.#unload(shards);
    rmSync(folder, { recursive: true, force: true });
  }

  #unload(shards: readonly DroppedShard[]): void {
    for (const { handle } of shards) {
      this.#contents.close(handle.address);
      this.release([handle.address]);
    }
  }

  /** Loads all, or none: if one does not fit into the memory, those that were loaded are released. */
  #allOrNone<T>(list: readonly T[], load: (each: T) => StoredShard | undefined): StoredShard[] {
    const loaded: StoredShard[] = [];
    try {
      for (const each of list) {
        const shard = load(each);
        if (shard) loaded.push(shard);
      }
      return loaded;
    } catch (error) {
      this.#unload(loaded);
      throw error;
    }
  }

  #load(files: ShardFiles): StoredShard {
    const workspace = this.#workspace;
    const table = files.readTable();
    const documents = checkTable(table);
    const shard = Shard.readFile(workspace, files.shard);
    try {
      if (documents !== shard.documents) throw new DamagedShardError('the table is of another shard');
      const content = this.#contents.open(shard, files.text);
      const { handle, memoryBytes } = shard;
      return { name: files.name, handle, content, documents, table, memoryBytes };
    } catch (error) {
      this.release([shard.handle.address]);
      throw error;
    }
  }
}

answerCalls<IndexCalls>(new IndexThread(workerData));
