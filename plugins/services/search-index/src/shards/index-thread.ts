import { mkdirSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { Arena, DamagedShardError, BitSlicedSignatures, Workspace } from '@sextant/library-block-index';
import type { ArenaRegion } from '@sextant/library-block-index';
import { answerCalls } from '../pool/calls.ts';
import { loadPaths } from '../snapshot/load-paths.ts';
import type { PathText } from '../snapshot/load-paths.ts';
import { Contents } from './contents.ts';
import { KeyedShards } from './keyed-shards.ts';
import type { LoadedPaths, LoadedShard, StoredShard } from './loaded-shard.ts';
import { isUnusable, readShard } from './read-shard.ts';
import { ShardFiles } from './shard-files.ts';
import { ShardNames } from './shard-names.ts';
import { checkTable } from './shard-table.ts';

/** What the index thread is asked for; each is answered, in order. */
export type IndexRequest =
  /** Every complete shard of a folder; what is incomplete or damaged is removed. */
  | { readonly kind: 'load'; readonly folder: string }
  /** Shards that were built in a folder. */
  | { readonly kind: 'add'; readonly folder: string; readonly names: readonly string[] }
  | { readonly kind: 'paths'; readonly folder: string; readonly text: Uint8Array; readonly file?: string }
  | { readonly kind: 'release'; readonly addresses: readonly number[] }
  /** Loads some more of the text of a shard into memory, where there is room for it; answers whether that is all. */
  | { readonly kind: 'warm'; readonly folder: string; readonly shard: number }
  /** Loads a shard of a folder again, which has keys now. */
  | { readonly kind: 'keys'; readonly folder: string; readonly name: string }
  /** Tells some more of the names that a shard defines, once its text is where it stays; answers whether that is all. */
  | { readonly kind: 'names'; readonly folder: string; readonly shard: number }
  /** Releases shards and removes their files. */
  | { readonly kind: 'drop'; readonly folder: string; readonly shards: readonly DroppedShard[] };

/** A shard to be released. */
export type DroppedShard = Pick<StoredShard, 'name' | 'loaded'>;

export interface IndexThreadData {
  readonly part: ArenaRegion;
  /** Bytes of it, with everything that is in it, beyond which texts stay on disk. */
  readonly mostWithTexts: number;
}

/** Owns the memory that all threads share: what is in it was loaded here, and is released here. */
class IndexThread {
  readonly #arena: Arena;
  readonly #workspace: Workspace;
  readonly #contents: Contents;
  readonly #names: ShardNames;
  readonly #keyed: KeyedShards;
  readonly #columns: BitSlicedSignatures;

  constructor({ part, mostWithTexts }: IndexThreadData) {
    this.#arena = new Arena(part);
    this.#workspace = new Workspace(this.#arena);
    this.#contents = new Contents(this.#workspace, mostWithTexts);
    this.#names = new ShardNames(this.#workspace);
    this.#keyed = new KeyedShards(this.#workspace);
    this.#columns = new BitSlicedSignatures(this.#arena);
  }

  answer(request: IndexRequest): unknown {
    switch (request.kind) {
      case 'load':
        return this.#loadAll(request.folder);
      case 'add':
        return this.#add(request.names.map((name) => new ShardFiles(request.folder, name)));
      case 'paths':
        return this.#loadPaths(request);
      case 'release':
        return this.#release(request.addresses);
      case 'warm':
        return this.#contents.warm(request.shard);
      case 'keys':
        return this.#keyed.load(new ShardFiles(request.folder, request.name));
      case 'names':
        return this.#names.tell(request.shard);
      case 'drop':
        for (const { name } of request.shards) new ShardFiles(request.folder, name).remove();
        return this.#unload(request.shards);
    }
  }

  #release(addresses: readonly number[]): void {
    for (const address of addresses) {
      this.#columns.close(address);
      this.#arena.release(address);
    }
  }

  #loadPaths(text: PathText): LoadedPaths {
    const { shard, address } = loadPaths(this.#workspace, text);
    return { handle: shard.handle, address, column: this.#columns.open(shard) };
  }

  #unload(shards: readonly DroppedShard[]): void {
    for (const shard of shards) {
      const { loaded } = shard;
      this.#names.close(loaded.handle.address);
      this.#keyed.close(shard);
      this.#contents.close(loaded.handle.address);
      this.#release([loaded.handle.address]);
    }
  }

  #loadAll(folder: string): StoredShard[] {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return this.#allOrNone(ShardFiles.completeIn(folder), (name) => {
      const files = new ShardFiles(folder, name);
      try {
        return this.#load(files);
      } catch (error) {
        if (!isUnusable(error)) throw error;
      }
      files.remove();
      return undefined;
    });
  }

  /** What does not fit into the memory is built again when there is room: its files are not left. */
  #add(all: readonly ShardFiles[]): StoredShard[] {
    try {
      return this.#allOrNone(all, (files) => this.#load(files));
    } catch (error) {
      for (const files of all) files.remove();
      throw error;
    }
  }

  /** Where one does not fit into the memory, the others must not stay there: nobody would know of them. */
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
    const shard = readShard(workspace, files.shard);
    try {
      if (documents !== shard.documents) throw new DamagedShardError('the table is of another shard');
      const content = this.#contents.open(shard, files.text);
      const definitions = new Uint32Array(new SharedArrayBuffer(4));
      const trigrams = this.#keyed.open(shard, files.name);
      const column = this.#columns.open(shard);
      const loaded: LoadedShard = { handle: shard.handle, column, trigrams, content, definitions, documents };
      this.#names.open(loaded, files);
      return { name: files.name, loaded, table, memoryBytes: shard.memoryBytes };
    } catch (error) {
      this.#release([shard.handle.address]);
      throw error;
    }
  }
}

if (!parentPort) throw new Error('this runs in a thread');
// What is given to a thread has lost its type.
const thread = new IndexThread(workerData as IndexThreadData);
answerCalls<IndexRequest>(parentPort, (request) => thread.answer(request));
