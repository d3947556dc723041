import { deserialize, serialize } from 'node:v8';

/** Largest message of an isolated plugin, in bytes: what it asks, logs or answers. */
export const mostSent = 8 * 1024 * 1024;
/** Largest message to it: a file that it reads. */
export const mostReceived = 96 * 1024 * 1024;

const headerBytes = 4;

/** A message behind its length: what is sent over the pipe between the server and an isolated plugin. */
export function frameOf(message: unknown): Buffer {
  const body = serialize(message);
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(body.length);
  return Buffer.concat([header, body]);
}

/** Puts the messages of a pipe together. Throws for one that is too large before it is read, and for one that is none. */
export class FrameReader {
  readonly #most: number;
  #pieces: Buffer[] = [];
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  *read(piece: Buffer): Generator<unknown> {
    this.#pieces.push(piece);
    this.#held += piece.length;
    for (let length = this.#length(); length !== undefined; length = this.#length()) {
      if (length > this.#most)
        throw new Error(`it sent a message of ${megabytes(length)} MB; ${megabytes(this.#most)} MB are allowed`);
      if (this.#held < headerBytes + length) return;
      const all = this.#joined();
      const rest = all.subarray(headerBytes + length);
      this.#pieces = rest.length > 0 ? [rest] : [];
      this.#held = rest.length;
      yield deserialize(all.subarray(headerBytes, headerBytes + length));
    }
  }

  /** Of the message that comes next, as soon as it is known. */
  #length(): number | undefined {
    if (this.#held < headerBytes) return undefined;
    const first = this.#pieces[0];
    return (first && first.length >= headerBytes ? first : this.#joined()).readUInt32BE();
  }

  #joined(): Buffer {
    const all = this.#pieces.length === 1 && this.#pieces[0] ? this.#pieces[0] : Buffer.concat(this.#pieces);
    this.#pieces = [all];
    return all;
  }
}

const megabytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
