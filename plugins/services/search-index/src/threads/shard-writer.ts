import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { ShardBuilder } from '@sextant/library-block-index';
import { BatchParser } from '../index/batch-parser.ts';
import { indexedText } from '../index/text-rule.ts';
import type { ShardTable, SkipReason } from './protocol.ts';
import { ShardFiles } from './shard-files.ts';
import { newShardName, numberOf } from './shard-name.ts';

/** Text of one shard: builds stay within some hundred megabytes of memory. */
const maxTextBytes = 256 << 20;
const writeBytes = 1 << 20;

/** Makes shards of the objects that git prints, beside their place; they appear when they are complete. */
export class ShardWriter {
  readonly #folder: string;
  readonly #parser = new BatchParser();
  readonly #done: { files: ShardFiles; table: ShardTable }[] = [];
  #current: OpenShard;

  constructor(folder: string, number: number) {
    this.#folder = folder;
    this.#current = new OpenShard(new ShardFiles(folder, newShardName(number)));
  }

  /** Returns how many objects have ended in this piece. */
  push(piece: Buffer): number {
    let count = 0;
    for (const { id, content } of this.#parser.push(piece)) {
      if (this.#current.textBytes > maxTextBytes) this.#next();
      this.#current.add(id, content);
      count += 1;
    }
    return count;
  }

  /** Throws when git stopped in the middle of an object. */
  finish(): readonly { files: ShardFiles; table: ShardTable }[] {
    if (!this.#parser.isComplete) throw new Error('git ended in the middle of an object');
    this.#done.push(this.#current.commit());
    return this.#done;
  }

  abandon(): void {
    this.#current.abandon();
    for (const { files } of this.#done) files.remove();
  }

  #next(): void {
    this.#done.push(this.#current.commit());
    const name = newShardName(numberOf(this.#current.files.name) + 1);
    this.#current = new OpenShard(new ShardFiles(this.#folder, name));
  }
}

class OpenShard {
  readonly files: ShardFiles;
  readonly #builder = new ShardBuilder();
  readonly #documents: string[] = [];
  readonly #skipped: Record<string, SkipReason> = {};
  readonly #descriptor: number;
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  constructor(files: ShardFiles) {
    this.files = files;
    this.#descriptor = openSync(files.partialText, 'w', 0o600);
  }

  get textBytes(): number {
    return this.#builder.contentBytes;
  }

  add(id: string, content: Buffer | undefined): void {
    const text = content && indexedText(content);
    if (!text) {
      this.#skipped[id] = content ? 'binary' : 'missing';
      return;
    }
    this.#builder.add(text);
    this.#documents.push(id);
    this.#held.push(text);
    this.#heldBytes += text.length;
    if (this.#heldBytes >= writeBytes) this.#write();
  }

  commit(): { files: ShardFiles; table: ShardTable } {
    this.#write();
    fsyncSync(this.#descriptor);
    closeSync(this.#descriptor);
    const table = { documents: this.#documents, skipped: this.#skipped };
    this.files.commit(this.#builder.finish(), table);
    return { files: this.files, table };
  }

  abandon(): void {
    closeSync(this.#descriptor);
    this.files.remove();
  }

  #write(): void {
    const bytes = Buffer.concat(this.#held);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
    this.#held = [];
    this.#heldBytes = 0;
  }
}
