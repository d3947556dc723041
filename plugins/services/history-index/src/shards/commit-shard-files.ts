import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const parts = ['tables', 'lines', 'lines-text', 'messages', 'messages-text', 'hunks'] as const;
export type ShardPart = (typeof parts)[number];

/** The files of one shard. They never change, so an open file stays valid. */
export class CommitShardFiles {
  readonly #base: string;

  constructor(folder: string, name: string) {
    this.#base = join(folder, name);
  }

  /** The name of the shard that a file of the folder belongs to. */
  static nameOf(file: string): string | undefined {
    const [name, part] = file.split('.');
    return parts.some((each) => each === part) ? name : undefined;
  }

  path(part: ShardPart): string {
    return `${this.#base}.${part}`;
  }

  write(part: ShardPart, bytes: Uint8Array): void {
    const file = new AppendedFile(this.path(part));
    try {
      file.append(bytes);
      file.finish();
    } finally {
      file.abandon();
    }
  }

  remove(): void {
    for (const part of parts) rmSync(this.path(part), { force: true });
  }
}

const writeBytes = 1 << 20;

/** A new file that is written in pieces. It is safely on the disk once it is finished. */
export class AppendedFile {
  readonly #descriptor: number;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #bytes = 0;
  #isClosed = false;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'w', 0o600);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Do not change the bytes afterwards: they may be written later. */
  append(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#bytes += bytes.length;
    if (this.#waitingBytes >= writeBytes) this.#write();
  }

  finish(): void {
    this.#write();
    fsyncSync(this.#descriptor);
    this.abandon();
  }

  /** Closes the file as it is, whole or not. It is closed only once, because its number may belong to another file then. */
  abandon(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#descriptor);
  }

  #write(): void {
    const bytes = Buffer.concat(this.#waiting);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}
