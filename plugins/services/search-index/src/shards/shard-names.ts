import { readFileSync } from 'node:fs';
import { DefinitionFilter, LimitError, buildDefinitionFilter } from '@sextant/library-block-index';
import type { Workspace } from '@sextant/library-block-index';
import { AttachedSlice } from '../snapshot/attached-snapshot.ts';
import type { LoadedShard } from './loaded-shard.ts';
import { nameRules } from './name-rules.ts';
import type { ShardFiles } from './shard-files.ts';

interface OpenShard {
  readonly part: AttachedSlice;
  readonly files: ShardFiles;
  steps: Iterator<void, Uint8Array> | undefined;
}

/** The names that the documents of shards may define: they are read where they are kept, else told by the texts once everything can be searched. */
export class ShardNames {
  readonly #workspace: Workspace;
  /** By the address of the shard. */
  readonly #open = new Map<number, OpenShard>();
  #wasFull = false;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Takes those that are kept. */
  open(loaded: LoadedShard, files: ShardFiles): void {
    const part = new AttachedSlice(this.#workspace, { ...loaded, name: files.name, base: 0 });
    const open = { part, files, steps: undefined };
    this.#open.set(loaded.handle.address, open);
    try {
      this.#publish(open, readFileSync(files.names));
    } catch {
      // They are told again.
    }
  }

  /** Tells some more of the names of a shard whose text stays where it is now; answers whether that is all. Throws DamagedIndexError, and the first time what keeps them from being kept. */
  tell(shard: number): boolean {
    const open = this.#open.get(shard);
    if (!open || Atomics.load(open.part.handle.definitions, 0) !== 0) return true;
    open.steps ??= open.part.inSteps((place) => buildDefinitionFilter(place, nameRules));
    try {
      const next = open.steps.next();
      if (next.done !== true) return false;
      this.#publish(open, next.value);
      this.#keep(open.files, next.value);
    } catch (error) {
      // Where there is no room, every document counts as one that may define what is searched.
      if (!(error instanceof LimitError)) throw error;
    }
    return true;
  }

  close(shard: number): void {
    const open = this.#open.get(shard);
    this.#open.delete(shard);
    open?.steps?.return?.();
    this.#workspace.arena.release(open?.part.handle.definitions[0] ?? 0);
  }

  #publish({ part }: OpenShard, file: Uint8Array): void {
    const { address } = DefinitionFilter.load(this.#workspace, file, { shard: part.shard, rules: nameRules });
    Atomics.store(part.handle.definitions, 0, address);
  }

  /** Without their file they are told again after the next start. */
  #keep(files: ShardFiles, file: Uint8Array): void {
    try {
      files.keepNames(file);
    } catch (error) {
      if (this.#wasFull) return;
      this.#wasFull = true;
      throw error;
    }
  }
}
