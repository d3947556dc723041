import { readFileSync } from 'node:fs';
import { DefinitionFilter, LimitError, buildDefinitionFilter } from '@sextant/library-block-index';
import type { Workspace } from '@sextant/library-block-index';
import { AttachedSlice } from '../snapshot/attached-snapshot.ts';
import type { LoadedShard } from './loaded-shard.ts';
import { nameRules } from './loaded-shard.ts';
import type { ShardFiles } from './shard-files.ts';

interface OpenShard {
  readonly slice: AttachedSlice;
  readonly files: ShardFiles;
  steps: Iterator<void, Uint8Array> | undefined;
}

/** The definition filters of shards. A filter is read from its file, else built of the text once everything can be searched. */
export class DefinitionFilters {
  readonly #workspace: Workspace;
  /** By the address of the shard. */
  readonly #open = new Map<number, OpenShard>();
  #wasFull = false;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Reads the filter of a shard, where it is stored. */
  open(loaded: LoadedShard, files: ShardFiles): void {
    const slice = new AttachedSlice(this.#workspace, { ...loaded, name: files.name, base: 0 });
    const open = { slice, files, steps: undefined };
    this.#open.set(loaded.handle.address, open);
    try {
      this.#publish(open, readFileSync(files.definitions));
    } catch {
      // It is built again.
    }
  }

  /** Builds some more of a filter; answers whether it is done. Throws DamagedIndexError, and the first error of storing a filter. */
  build(shard: number): boolean {
    const open = this.#open.get(shard);
    if (!open || Atomics.load(open.slice.handle.definitions, 0) !== 0) return true;
    open.steps ??= open.slice.inSteps((place) => buildDefinitionFilter(place, nameRules));
    try {
      const next = open.steps.next();
      if (next.done !== true) return false;
      this.#publish(open, next.value);
      this.#store(open.files, next.value);
    } catch (error) {
      // Without a filter, every document may define what is searched.
      if (!(error instanceof LimitError)) throw error;
    }
    return true;
  }

  close(shard: number): void {
    const open = this.#open.get(shard);
    this.#open.delete(shard);
    open?.steps?.return?.();
    this.#workspace.arena.release(open?.slice.handle.definitions[0] ?? 0);
  }

  #publish({ slice }: OpenShard, file: Uint8Array): void {
    const { address } = DefinitionFilter.load(this.#workspace, file, { shard: slice.shard, rules: nameRules });
    Atomics.store(slice.handle.definitions, 0, address);
  }

  /** Without its file, a filter is built again after the next start. */
  #store(files: ShardFiles, file: Uint8Array): void {
    try {
      files.writeDefinitions(file);
    } catch (error) {
      if (this.#wasFull) return;
      this.#wasFull = true;
      throw error;
    }
  }
}
