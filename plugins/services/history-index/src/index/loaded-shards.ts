import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { DamagedShardError, LimitError, PositionalContent, Shard, search } from '@sextant/library-block-index';
import type { Workspace } from '@sextant/library-block-index';
import type { ShardFiles } from './shard-files.ts';

const cacheBytes = 4 << 20;

interface Loaded {
  readonly shard: Shard;
  readonly content: PositionalContent;
  readonly descriptor: number;
}

/** The shards that are searched, as many as fit the memory; the text stays on disk and is read where a match may be. */
export class LoadedShards {
  readonly #workspace: Workspace;
  readonly #loaded = new Map<string, Loaded>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Numbers of the commits that have a match; undefined for a shard that is damaged or gone. */
  find(files: ShardFiles, regex: string): Uint32Array | undefined {
    try {
      const { shard, content } = this.#open(files);
      const found = new Set<number>();
      const place = { workspace: this.#workspace, shard, content };
      for (const matches of search(place, { regex, foldCase: true }))
        for (const document of matches.documents()) found.add(document);
      return Uint32Array.from(found);
    } catch (error) {
      if (!(error instanceof DamagedShardError) && !isMissing(error)) throw error;
      this.#close(files.shard);
      return undefined;
    }
  }

  /** A map is in the order of insertion: the first is the one that was not searched for longest. */
  #open(files: ShardFiles): Loaded {
    const known = this.#loaded.get(files.shard);
    if (known) {
      this.#loaded.delete(files.shard);
      this.#loaded.set(files.shard, known);
      return known;
    }
    for (;;) {
      try {
        return this.#load(files);
      } catch (error) {
        const [oldest] = this.#loaded.keys();
        if (!(error instanceof LimitError) || oldest === undefined) throw error;
        this.#close(oldest);
      }
    }
  }

  #load(files: ShardFiles): Loaded {
    const shard = Shard.load(this.#workspace, readFileSync(files.shard));
    const descriptor = openSync(files.text, 'r');
    try {
      const read = (offset: number, length: number): Uint8Array => readAt(descriptor, offset, length);
      const content = new PositionalContent(this.#workspace, shard, { read, cacheBytes });
      const loaded = { shard, content, descriptor };
      this.#loaded.set(files.shard, loaded);
      return loaded;
    } catch (error) {
      closeSync(descriptor);
      shard.release(this.#workspace);
      throw error;
    }
  }

  #close(path: string): void {
    const loaded = this.#loaded.get(path);
    if (!loaded) return;
    this.#loaded.delete(path);
    loaded.content.release();
    loaded.shard.release(this.#workspace);
    closeSync(loaded.descriptor);
  }
}

function readAt(descriptor: number, offset: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset));
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
