import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { threadId } from 'node:worker_threads';

const writeBytes = 1 << 20;

/** A new file that is written in pieces. It is safely on the disk once it is finished. */
export class AppendedFile {
  readonly #descriptor: number;
  readonly #held = Buffer.allocUnsafeSlow(writeBytes);
  #heldBytes = 0;
  #bytes = 0;
  #isClosed = false;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'w', 0o600);
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#heldBytes + bytes.length > writeBytes) this.#writeHeld();
    if (bytes.length > writeBytes) return this.#write(bytes);
    this.#held.set(bytes, this.#heldBytes);
    this.#heldBytes += bytes.length;
  }

  finish(): void {
    this.#writeHeld();
    fsyncSync(this.#descriptor);
    this.abandon();
  }

  /** Closes the file as it is, whole or not. It is closed only once, because its number may belong to another file then. */
  abandon(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#descriptor);
  }

  #writeHeld(): void {
    this.#write(this.#held.subarray(0, this.#heldBytes));
    this.#heldBytes = 0;
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
  }
}

/**
 * Writes a file that appears as a whole or not at all, also where several threads and processes write it. A durable file is on the disk afterwards;
 * any other may be lost.
 */
export function replaceFile(path: string, bytes: Uint8Array | string, { isDurable = false } = {}): void {
  const partial = `${path}.${process.pid}-${threadId}.partial`;
  try {
    const descriptor = openSync(partial, 'w', 0o600);
    try {
      writeFileSync(descriptor, bytes);
      if (isDurable) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
