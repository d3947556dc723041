import { closeSync, mkdirSync, openSync, readFileSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import {
  Arena,
  DamagedShardError,
  LimitError,
  ResidentContent,
  Shard,
  ShardBuilder,
  Workspace,
} from '@sextant/library-block-index';
import type { ArenaPart } from '@sextant/library-block-index';
import { answerCalls } from './calls.ts';
import type {
  ContentPlace,
  DroppedShard,
  IndexRequest,
  IndexThreadData,
  LoadedPaths,
  LoadedShard,
  ShardTable,
  StoredShard,
} from './protocol.ts';
import { ShardFiles } from './shard-files.ts';
import { ShardWriter } from './shard-writer.ts';

/** Scratch memory of each thread that answers queries, with its cache of content that is on disk. */
const queryThreadBytes = 64 << 20;
const ownBytes = 16 << 20;
/** Share of the memory up to which content is kept in it: the rest is for indexes. */
const contentShare = 0.75;

/** Owns the memory that all threads share: what is in it was loaded here, and is released here. */
class IndexThread {
  readonly #memoryBytes: number;
  #arena: Arena | undefined;
  #workspace: Workspace | undefined;
  #writer: ShardWriter | undefined;

  constructor({ memoryBytes }: IndexThreadData) {
    this.#memoryBytes = memoryBytes;
  }

  answer(request: IndexRequest): unknown {
    switch (request.kind) {
      case 'open':
        return this.#open(request.threads);
      case 'load':
        return this.#loadAll(request.folder);
      case 'begin':
        mkdirSync(request.folder, { recursive: true, mode: 0o700 });
        this.#writer = new ShardWriter(request.folder, request.number);
        return undefined;
      case 'piece':
        this.#writer?.push(Buffer.from(request.bytes.buffer, request.bytes.byteOffset, request.bytes.byteLength));
        return undefined;
      case 'finish':
        return this.#finish();
      case 'abandon':
        this.#writer?.abandon();
        this.#writer = undefined;
        return undefined;
      case 'paths':
        return this.#loadPaths(request.text);
      case 'release':
        return this.#release(request.addresses);
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
      const { handle, content } = loaded;
      this.#release(content.kind === 'memory' ? [handle.address, content.address] : [handle.address]);
      if (content.kind === 'file') closeSync(content.descriptor);
    }
  }

  get #memory(): { arena: Arena; workspace: Workspace } {
    if (!this.#arena || !this.#workspace) throw new Error('the memory of the index is not open');
    return { arena: this.#arena, workspace: this.#workspace };
  }

  #open(threads: number): ArenaPart[] {
    const arena = Arena.create(Math.min(this.#memoryBytes + threads * queryThreadBytes + ownBytes, 4_290_000_000));
    this.#arena = arena;
    this.#workspace = new Workspace(arena);
    return Array.from({ length: threads }, () => arena.split(queryThreadBytes));
  }

  #loadAll(folder: string): StoredShard[] {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return this.#allOrNone(ShardFiles.completeIn(folder), (name) => {
      const files = new ShardFiles(folder, name);
      try {
        const table = files.readTable();
        if (table) return this.#load(files, table);
      } catch (error) {
        if (!(error instanceof DamagedShardError) && !isMissingFile(error)) throw error;
      }
      files.remove();
      return undefined;
    });
  }

  #finish(): StoredShard[] {
    const shards = this.#writer?.finish() ?? [];
    this.#writer = undefined;
    return this.#allOrNone(shards, ({ files, table }) => this.#load(files, table));
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

  #load(files: ShardFiles, table: ShardTable): StoredShard {
    const { workspace } = this.#memory;
    const shard = Shard.load(workspace, readFileSync(files.shard));
    try {
      if (table.documents.length !== shard.documents) throw new DamagedShardError('the table is of another shard');
      const content = this.#place(shard, files.text);
      const loaded: LoadedShard = { handle: shard.handle, content, documents: shard.documents };
      return { name: files.name, loaded, table };
    } catch (error) {
      shard.release(workspace);
      throw error;
    }
  }

  /** A file stays open for as long as the shard is loaded: another process may remove it when it makes one shard of many. */
  #place(shard: Shard, path: string): ContentPlace {
    const { arena, workspace } = this.#memory;
    const descriptor = openSync(path, 'r');
    if (arena.taken + shard.contentBytes > this.#memoryBytes * contentShare) return { kind: 'file', descriptor };
    try {
      const { address } = ResidentContent.load(workspace, shard, (offset, length) => {
        const bytes = Buffer.allocUnsafe(length);
        return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset));
      });
      closeSync(descriptor);
      return { kind: 'memory', address };
    } catch (error) {
      // There is no piece as large as this left: from disk it can still be searched.
      if (error instanceof LimitError) return { kind: 'file', descriptor };
      closeSync(descriptor);
      throw error;
    }
  }

  #loadPaths(text: Uint8Array): LoadedPaths {
    const { workspace } = this.#memory;
    const builder = new ShardBuilder();
    builder.add(text);
    const shard = Shard.load(workspace, builder.finish());
    const read = (offset: number, length: number): Uint8Array => text.subarray(offset, offset + length);
    try {
      return { handle: shard.handle, address: ResidentContent.load(workspace, shard, read).address };
    } catch (error) {
      shard.release(workspace);
      throw error;
    }
  }
}

const isMissingFile = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

if (!parentPort) throw new Error('this runs in a thread');
// What is given to a thread has lost its type.
const thread = new IndexThread(workerData as IndexThreadData);
answerCalls<IndexRequest>(parentPort, (request) => thread.answer(request));
