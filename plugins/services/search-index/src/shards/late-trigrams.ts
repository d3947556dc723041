import { closeSync, openSync, readFileSync } from 'node:fs';
import { addTrigrams, LimitError } from '@sextant/library-block-index';
import type { Shard, Workspace } from '@sextant/library-block-index';
import type { DroppedShard } from './index-thread.ts';
import { readShard, textReader } from './load.ts';
import type { ShardFiles } from './shard-files.ts';

/** Writes a shard that was built without trigrams again, with them. Throws DamagedShardError, and ENOENT where it was removed meanwhile. */
export function writeTrigrams(files: ShardFiles): void {
  const descriptor = openSync(files.text, 'r');
  try {
    const shard = readFileSync(files.shard);
    const withTrigrams = addTrigrams(shard, textReader(descriptor));
    if (withTrigrams !== shard) files.replaceShard(withTrigrams);
  } finally {
    closeSync(descriptor);
  }
}

/** Loads shards that get their trigrams late a second time, beside the memory that searches use. */
export class LateTrigrams {
  readonly #workspace: Workspace;
  /** `LoadedShard.trigrams`, by the shard's name: another shard may have its address later. */
  readonly #open = new Map<string, Uint32Array>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  open({ handle, hasTrigrams }: Shard, name: string): Uint32Array {
    const trigrams = new Uint32Array(new SharedArrayBuffer(8));
    if (hasTrigrams) trigrams.set([handle.address, handle.bytes]);
    this.#open.set(name, trigrams);
    return trigrams;
  }

  /** If there is no room, the shard stays without trigrams. Throws DamagedShardError. */
  load(files: ShardFiles): void {
    const trigrams = this.#open.get(files.name);
    // The shard was dropped before its trigrams were written: their file is left over.
    if (!trigrams) return files.remove();
    if (trigrams[0] !== 0) return;
    try {
      const { address, bytes } = readShard(this.#workspace, files.shard).handle;
      trigrams[1] = bytes;
      Atomics.store(trigrams, 0, address);
    } catch (error) {
      if (!(error instanceof LimitError)) throw error;
    }
  }

  /** Releases what was loaded late. */
  close({ name, loaded: { handle } }: DroppedShard): void {
    const [address = 0] = this.#open.get(name) ?? [];
    this.#open.delete(name);
    if (address !== handle.address) this.#workspace.arena.release(address);
  }
}
