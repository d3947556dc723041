import { mkdirSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { Arena, DamagedShardError, Workspace } from '@sextant/library-block-index';
import { answerCalls } from './calls.ts';
import { Contents } from './contents.ts';
import { loadPaths } from './load-paths.ts';
import type { DroppedShard, IndexRequest, IndexThreadData, LoadedShard, MemoryParts, StoredShard } from './protocol.ts';
import { isUnusable, readShard } from './read-shard.ts';
import { ShardFiles } from './shard-files.ts';

/** Scratch memory of each thread that answers queries, with its cache of content that is on disk. */
const queryThreadBytes = { least: 64 << 20, most: 128 << 20 };
/** Share of all memory for that scratch memory, where it is not less. */
const queryShare = 1 / 16;
const ownBytes = 16 << 20;
/** Scratch memory of the main thread, for what is searched there. */
const mainBytes = 32 << 20;

/** Bytes of the memory, with everything that is in it, beyond which content stays on disk: the rest is for more indexes, and of less than 2 GB for what searches hold outside of it. */
const contentIn = (bytes: number): number => Math.min(0.75 * bytes, Math.max(192 << 20, 1.125 * bytes - (768 << 20)));

interface Opened {
  readonly arena: Arena;
  readonly workspace: Workspace;
  readonly contents: Contents;
}

/** Owns the memory that all threads share: what is in it was loaded here, and is released here. */
class IndexThread {
  readonly #memoryBytes: number;
  #opened: Opened | undefined;

  constructor({ memoryBytes }: IndexThreadData) {
    this.#memoryBytes = memoryBytes;
  }

  answer(request: IndexRequest): unknown {
    switch (request.kind) {
      case 'open':
        return this.#open(request.threads);
      case 'load':
        return this.#loadAll(request.folder);
      case 'add':
        return this.#allOrNone(request.names, (name) => this.#load(new ShardFiles(request.folder, name)));
      case 'paths':
        return loadPaths(this.#memory.workspace, request);
      case 'release':
        return this.#release(request.addresses);
      case 'warm':
        return this.#memory.contents.warm(request.shard);
      case 'drop':
        for (const { name } of request.shards) new ShardFiles(request.folder, name).remove();
        return this.#unload(request.shards);
    }
  }

  #release(addresses: readonly number[]): void {
    for (const address of addresses) this.#memory.arena.release(address);
  }

  #unload(shards: readonly DroppedShard[]): void {
    for (const { loaded } of shards) {
      this.#memory.contents.close(loaded.handle.address);
      this.#release([loaded.handle.address]);
    }
  }

  get #memory(): Opened {
    if (!this.#opened) throw new Error('the memory of the index is not open');
    return this.#opened;
  }

  #open(threads: number): MemoryParts {
    const { least, most } = queryThreadBytes;
    const scratch = Math.min(most, Math.max(least, Math.floor((this.#memoryBytes * queryShare) / threads)));
    const arena = Arena.create(Math.min(this.#memoryBytes + threads * scratch + mainBytes + ownBytes, 4_290_000_000));
    const main = arena.split(mainBytes);
    const parts = Array.from({ length: threads }, () => arena.split(scratch));
    const workspace = new Workspace(arena);
    this.#opened = { arena, workspace, contents: new Contents(workspace, contentIn(this.#memoryBytes)) };
    return { main, threads: parts };
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
    const { workspace } = this.#memory;
    const table = files.readTable();
    const shard = readShard(workspace, files.shard);
    try {
      if (table.documents.length !== shard.documents) throw new DamagedShardError('the table is of another shard');
      const content = this.#memory.contents.open(shard, files.text);
      const loaded: LoadedShard = { handle: shard.handle, content, documents: shard.documents };
      return { name: files.name, loaded, table };
    } catch (error) {
      shard.release(workspace);
      throw error;
    }
  }
}

if (!parentPort) throw new Error('this runs in a thread');
// What is given to a thread has lost its type.
const thread = new IndexThread(workerData as IndexThreadData);
answerCalls<IndexRequest>(parentPort, (request) => thread.answer(request));
