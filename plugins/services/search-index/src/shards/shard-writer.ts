import { contentsIn, lfsPointer } from '@sextant/contracts/blobs';
import type { BlobBatch } from '@sextant/contracts';
import { AppendedFile, ShardBuilder } from '@sextant/library-block-index';
import { indexedText } from '@sextant/library-keyword-search';
import { definitionWords } from '@sextant/library-ranking';
import { newShardName, numberOf, ShardFiles } from './shard-files.ts';

/** Bytes of text of one shard: building it takes about as much memory. */
const maxTextBytes = 128 << 20;

export interface ShardWriterOptions {
  readonly folder: string;
  /** Of the first shard. */
  readonly number: number;
}

/** Builds shards of blobs. Each appears in its folder when it is complete. */
export class ShardWriter {
  readonly #folder: string;
  readonly #done: ShardFiles[] = [];
  #current: OpenShard;

  constructor({ folder, number }: ShardWriterOptions) {
    this.#folder = folder;
    this.#current = this.#open(number);
  }

  /** Adds blobs. The memory of the batch is released. */
  add(batch: BlobBatch): void {
    for (const { id, content } of contentsIn(batch)) {
      if (this.#current.textBytes > maxTextBytes) this.#next();
      this.#current.add(id, content);
    }
    batch.bytes.buffer.transfer(0);
  }

  /** Answers the names of the shards. */
  finish(): string[] {
    this.#done.push(this.#current.commit());
    return this.#done.map(({ name }) => name);
  }

  abandon(): void {
    this.#current.abandon();
    for (const files of this.#done) files.remove();
  }

  #next(): void {
    this.#done.push(this.#current.commit());
    this.#current = this.#open(numberOf(this.#current.files.name) + 1);
  }

  #open(number: number): OpenShard {
    return new OpenShard(new ShardFiles(this.#folder, newShardName(number)));
  }
}

class OpenShard {
  readonly files: ShardFiles;
  readonly #builder = new ShardBuilder({ definitions: definitionWords });
  readonly #documents: string[] = [];
  readonly #binary: string[] = [];
  readonly #text: AppendedFile;

  constructor(files: ShardFiles) {
    this.files = files;
    this.#text = new AppendedFile(files.partialText);
  }

  get textBytes(): number {
    return this.#text.bytes;
  }

  add(id: string, content: Buffer | undefined): void {
    const text = content && !lfsPointer(content) ? indexedText(content) : undefined;
    if (!text) {
      // One that is missing may come with the next fetch.
      if (content) this.#binary.push(id);
      return;
    }
    this.#builder.add(text);
    this.#documents.push(id);
    this.#text.append(text);
  }

  commit(): ShardFiles {
    this.#text.finish();
    this.files.commit(this.#builder.finish(), { documents: this.#documents, binary: this.#binary });
    return this.files;
  }

  /** Also after a `commit` that failed. */
  abandon(): void {
    this.#text.abandon();
    this.files.remove();
  }
}
