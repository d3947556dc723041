import { readFileSync } from 'node:fs';
import { PositionalContent, Shard } from '@sextant/library-block-index';
import type { SearchPlace, Workspace } from '@sextant/library-block-index';
import type { CommitShardReader } from '../shards/commit-shard-reader.ts';

export type TextPart = 'lines' | 'messages';

/** Blocks of texts that are kept in memory. */
const cacheBytes = { lines: 4 << 20, messages: 1 << 20 };
/** What is longer is read into memory of its own. */
const reusedBytes = 1 << 20;

interface Loaded {
  readonly place: SearchPlace;
  readonly content: PositionalContent;
  readonly bytes: number;
}

/** The block indexes that are searched, as many as fit; texts stay on the disk and are read where a match may be. */
export class TextIndexes {
  readonly #workspace: Workspace;
  readonly #most: number;
  readonly #loaded = new Map<string, Loaded>();
  /** Fresh memory for each read would cost more than reading. */
  readonly #reused = Buffer.allocUnsafeSlow(reusedBytes);
  #bytes = 0;

  constructor(workspace: Workspace, most: number) {
    this.#workspace = workspace;
    this.#most = most;
  }

  /** Valid until the next call. */
  open(reader: CommitShardReader, part: TextPart): SearchPlace {
    const path = reader.files.path(part);
    const loaded = this.#loaded.get(path) ?? this.#load(reader, part);
    // A map is in the order of insertion: the first is the one that was not searched for longest.
    this.#loaded.delete(path);
    this.#loaded.set(path, loaded);
    return loaded.place;
  }

  /** Lets go of a shard that is searched no more. */
  close(reader: CommitShardReader): void {
    for (const part of ['lines', 'messages'] as const) this.#release(reader.files.path(part));
  }

  #load(reader: CommitShardReader, part: TextPart): Loaded {
    const file = readFileSync(reader.files.path(part));
    const bytes = file.length + cacheBytes[part];
    for (const path of this.#loaded.keys()) {
      if (this.#bytes + bytes <= this.#most) break;
      this.#release(path);
    }
    const workspace = this.#workspace;
    const shard = Shard.load(workspace, file);
    try {
      const read = (offset: number, length: number): Uint8Array => this.#read(reader, part, { offset, length });
      const content = new PositionalContent(workspace, shard, { read, cacheBytes: cacheBytes[part] });
      this.#bytes += bytes;
      return { place: { workspace, shard, content }, content, bytes };
    } catch (error) {
      shard.release(workspace);
      throw error;
    }
  }

  /** Valid until the next read. */
  #read(reader: CommitShardReader, part: TextPart, { offset, length }: { offset: number; length: number }): Uint8Array {
    if (length > reusedBytes) return reader.read(`${part}-text`, offset, length);
    return reader.readInto(this.#reused.subarray(0, length), `${part}-text`, offset);
  }

  #release(path: string): void {
    const loaded = this.#loaded.get(path);
    if (!loaded) return;
    this.#loaded.delete(path);
    this.#bytes -= loaded.bytes;
    loaded.content.release();
    loaded.place.shard.release(this.#workspace);
  }
}
