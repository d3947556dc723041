import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { DamagedShardError, LimitError, ResidentContent } from '@sextant/library-block-index';
import type { Shard, Workspace } from '@sextant/library-block-index';
import type { ContentPlace } from './loaded-shard.ts';

/** Bytes that are loaded at a time, so that what someone waits for comes between. */
const warmBytes = 32 << 20;
/** Of one step of loading. */
const stepBytes = 1 << 20;
/** Longer than any search: until then one may read from a file that is in memory by now. */
const closeMs = 60_000;

interface OpenContent {
  readonly shard: Shard;
  readonly place: ContentPlace;
  steps: Iterator<void, ResidentContent> | undefined;
  closing: NodeJS.Timeout | undefined;
  isClosed: boolean;
}

/** The texts of shards: first on disk, where they can be searched, then also in memory as far as there is room. */
export class Contents {
  readonly #workspace: Workspace;
  /** By the address of the shard. */
  readonly #open = new Map<number, OpenContent>();
  readonly #mostTaken: number;
  /** What is read goes through it: others would stay until they are collected. */
  readonly #passing = Buffer.allocUnsafeSlow(stepBytes);

  /** In memory stands what fits into so many bytes with everything else. */
  constructor(workspace: Workspace, mostTaken: number) {
    this.#workspace = workspace;
    this.#mostTaken = mostTaken;
  }

  /** Opens the file. It stays open while the shard is loaded: another process may remove it when it makes one shard of many. */
  open(shard: Shard, path: string): ContentPlace {
    const descriptor = openSync(path, 'r');
    const { size } = fstatSync(descriptor);
    if (size !== shard.contentBytes) {
      closeSync(descriptor);
      throw new DamagedShardError(`the content has ${size} bytes instead of ${shard.contentBytes}`);
    }
    const place = { descriptor, address: new Uint32Array(new SharedArrayBuffer(4)) };
    const content = { shard, place, steps: undefined, closing: undefined, isClosed: false };
    this.#open.set(shard.handle.address, content);
    return place;
  }

  /** Loads some more of a text into memory, if there is room; answers whether that is all. Throws DamagedShardError. */
  warm(shard: number): boolean {
    const content = this.#open.get(shard);
    if (!content || Atomics.load(content.place.address, 0) !== 0) return true;
    content.steps ??= this.#begin(content);
    if (!content.steps) return true;
    for (let done = 0; done < warmBytes; done += stepBytes) {
      const { done: isLoaded, value } = nextOf(content.steps);
      if (!isLoaded) continue;
      Atomics.store(content.place.address, 0, value?.address ?? 0);
      if (value) content.closing = setTimeout(() => closeFile(content), closeMs).unref();
      return true;
    }
    return false;
  }

  close(shard: number): void {
    const content = this.#open.get(shard);
    if (!content) return;
    this.#open.delete(shard);
    clearTimeout(content.closing);
    closeFile(content);
    content.steps?.return?.();
    this.#workspace.arena.release(content.place.address[0] ?? 0);
  }

  #begin({ shard, place: { descriptor } }: OpenContent): OpenContent['steps'] {
    const { arena } = this.#workspace;
    if (arena.taken + shard.contentBytes > this.#mostTaken) return undefined;
    return ResidentContent.loadInSteps(this.#workspace, shard, (offset, length) =>
      this.#passing.subarray(0, readSync(descriptor, this.#passing, 0, length, offset)),
    );
  }
}

/** The next step; where no piece of the memory is large enough the text stays on disk. */
function nextOf(steps: Iterator<void, ResidentContent>): { done: boolean; value: ResidentContent | undefined } {
  try {
    const next = steps.next();
    return next.done === true ? { done: true, value: next.value } : { done: false, value: undefined };
  } catch (error) {
    if (error instanceof LimitError) return { done: true, value: undefined };
    throw error;
  }
}

function closeFile(content: OpenContent): void {
  if (!content.isClosed) closeSync(content.place.descriptor);
  content.isClosed = true;
}
