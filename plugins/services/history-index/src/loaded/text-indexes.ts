import { readFileSync } from 'node:fs';
import { PositionalContent, Shard } from '@sextant/library-block-index';
import type { SearchPlace, Workspace } from '@sextant/library-block-index';
import { LRUCache } from 'lru-cache';
import type { CommitShardReader } from '../shards/commit-shard-reader.ts';

/** What of a commit has a block index. */
export type TextPart = 'lines' | 'messages';

/** About the bytes of text that a block index holds between two calls. */
const textBytes = 1 << 20;

interface Loaded {
  readonly place: SearchPlace;
  readonly bytes: number;
}

/** The block indexes of shards, as many as fit into memory. Texts stay on the disk and are read where a match may be. */
export class TextIndexes {
  readonly #workspace: Workspace;
  readonly #mostBytes: number;
  readonly #loaded: LRUCache<string, Loaded>;

  constructor(workspace: Workspace, mostBytes: number) {
    this.#workspace = workspace;
    this.#mostBytes = mostBytes;
    this.#loaded = new LRUCache({
      maxSize: Number.MAX_SAFE_INTEGER,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: ({ place }) => {
        place.content.forget();
        place.shard.release(workspace);
      },
    });
  }

  /** Valid until the next call. */
  open(reader: CommitShardReader, part: TextPart): SearchPlace {
    const path = reader.files.path(part);
    return (this.#loaded.get(path) ?? this.#load(reader, part)).place;
  }

  /** Releases a shard that is no longer searched. */
  close(reader: CommitShardReader): void {
    for (const part of ['lines', 'messages'] as const) this.#loaded.delete(reader.files.path(part));
  }

  #load(reader: CommitShardReader, part: TextPart): Loaded {
    const file = readFileSync(reader.files.path(part));
    const bytes = file.length + textBytes;
    // Room is made before the index is loaded: the workspace does not have room for both.
    while (this.#loaded.size > 0 && this.#loaded.calculatedSize + bytes > this.#mostBytes) this.#loaded.pop();
    const workspace = this.#workspace;
    const shard = Shard.load(workspace, file);
    const content = new PositionalContent(workspace, shard, reader.source(`${part}-text`));
    const loaded = { place: { workspace, shard, content }, bytes };
    this.#loaded.set(reader.files.path(part), loaded);
    return loaded;
  }
}
