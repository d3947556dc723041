import { closeSync, fstatSync, openSync } from 'node:fs';
import { closePath, DamagedShardError, LimitError, ResidentContent } from '@sextant/library-block-index';
import type { Shard, Workspace } from '@sextant/library-block-index';
import { sourceOf } from './loaded-shard.ts';
import type { ContentPlace } from './loaded-shard.ts';

/** Bytes that one call loads, so that urgent calls come between. */
const warmBytes = 32 << 20;
/** Bytes of one step of loading. */
const stepBytes = 1 << 20;
/** Longer than any search: one may still read from the file of a text that was loaded meanwhile. */
const closeMs = 60_000;

interface OpenContent {
  readonly shard: Shard;
  readonly place: ContentPlace;
  steps: Iterator<void, ResidentContent> | undefined;
  closing: NodeJS.Timeout | undefined;
  isHeld: boolean;
}

export interface ContentLimits {
  /** Bytes of the memory in use up to which texts are loaded. */
  readonly mostTaken: number;
  /** Files of texts that stay open. */
  readonly mostOpen: number;
}

/** The texts of shards. They are searched on disk first, and in memory once they are loaded, as far as there is room. */
export class Contents {
  readonly #workspace: Workspace;
  /** By the address of the shard. */
  readonly #open = new Map<number, OpenContent>();
  readonly #limits: ContentLimits;
  #held = 0;

  constructor(workspace: Workspace, limits: ContentLimits) {
    this.#workspace = workspace;
    this.#limits = limits;
  }

  /**
   * Opens the file of a text, and keeps it open while not too many are: another process may remove it when it merges shards. Throws
   * DamagedShardError.
   */
  open(shard: Shard, path: string): ContentPlace {
    const descriptor = openSync(path, 'r');
    const { size } = fstatSync(descriptor);
    if (size !== shard.contentBytes) {
      closeSync(descriptor);
      throw new DamagedShardError(`the content has ${size} bytes instead of ${shard.contentBytes}`);
    }
    const isHeld = this.#held < this.#limits.mostOpen;
    if (isHeld) this.#held += 1;
    else closeSync(descriptor);
    const address = new Uint32Array(new SharedArrayBuffer(4));
    const place = { path, descriptor: isHeld ? descriptor : undefined, address };
    const content = { shard, place, steps: undefined, closing: undefined, isHeld };
    this.#open.set(shard.handle.address, content);
    return place;
  }

  /** Loads some more of a text, if there is room; answers whether it is done. Throws DamagedShardError. */
  warm(shard: number): boolean {
    const content = this.#open.get(shard);
    if (!content || Atomics.load(content.place.address, 0) !== 0) return true;
    content.steps ??= this.#begin(content);
    if (!content.steps) return true;
    for (let done = 0; done < warmBytes; done += stepBytes) {
      const { done: isLoaded, value } = nextOf(content.steps);
      if (!isLoaded) continue;
      Atomics.store(content.place.address, 0, value?.address ?? 0);
      if (value) content.closing = setTimeout(() => this.#closeFile(content), closeMs).unref();
      return true;
    }
    return false;
  }

  close(shard: number): void {
    const content = this.#open.get(shard);
    if (!content) return;
    this.#open.delete(shard);
    clearTimeout(content.closing);
    this.#closeFile(content);
    content.steps?.return?.();
    this.#workspace.arena.release(content.place.address[0] ?? 0);
  }

  #begin({ shard, place }: OpenContent): OpenContent['steps'] {
    const { arena } = this.#workspace;
    if (arena.taken + shard.contentBytes > this.#limits.mostTaken) return undefined;
    return ResidentContent.loadInSteps(this.#workspace, shard, sourceOf(place));
  }

  #closeFile(content: OpenContent): void {
    const { path, descriptor } = content.place;
    if (descriptor === undefined) closePath(path);
    if (descriptor === undefined || !content.isHeld) return;
    closeSync(descriptor);
    content.isHeld = false;
    this.#held -= 1;
  }
}

/** The next step. If no free block of memory is large enough, the text stays on disk. */
function nextOf(steps: Iterator<void, ResidentContent>): { done: boolean; value: ResidentContent | undefined } {
  try {
    const next = steps.next();
    return next.done === true ? { done: true, value: next.value } : { done: false, value: undefined };
  } catch (error) {
    if (error instanceof LimitError) return { done: true, value: undefined };
    throw error;
  }
}
