import { LimitError } from '@sextant/library-block-index';
import type { Shard, Workspace } from '@sextant/library-block-index';
import type { DroppedShard } from './index-thread.ts';
import { readShard } from './read-shard.ts';
import type { ShardFiles } from './shard-files.ts';

/** Shards that were built without keys get them later: then they are loaded once more, beside what searches look at. */
export class KeyedShards {
  readonly #workspace: Workspace;
  /** Where each shard has its keys, by its name: another may have its address by the time when they are built. */
  readonly #open = new Map<string, Uint32Array>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  open({ handle, hasTrigrams }: Shard, name: string): Uint32Array {
    const keyed = new Uint32Array(new SharedArrayBuffer(8));
    if (hasTrigrams) keyed.set([handle.address, handle.bytes]);
    this.#open.set(name, keyed);
    return keyed;
  }

  /** Where there is no room it stays without. Throws DamagedShardError. */
  load(files: ShardFiles): void {
    const keyed = this.#open.get(files.name);
    // What was dropped meanwhile was written once more.
    if (!keyed) return files.remove();
    if (keyed[0] !== 0) return;
    try {
      const { address, bytes } = readShard(this.#workspace, files.shard).handle;
      keyed[1] = bytes;
      Atomics.store(keyed, 0, address);
    } catch (error) {
      if (!(error instanceof LimitError)) throw error;
    }
  }

  /** Gives back what was loaded later. */
  close({ name, loaded: { handle } }: DroppedShard): void {
    const [address = 0] = this.#open.get(name) ?? [];
    this.#open.delete(name);
    if (address !== handle.address) this.#workspace.arena.release(address);
  }
}
