import { SextantError } from '@sextant/core';

/**
 * A frame is the length of its JSON, the length of its bytes (4 bytes each, big-endian), then both. `bytes` of a value
 * that has them travel as they are, without a detour over text.
 */
const headerBytes = 8;

/** Largest frame: a file of 64 MiB, with what its text may grow by. */
export const mostFrame = 160 * 1024 * 1024;

/** What a frame says: a value, why there is none, or that a stream is at its end. */
export type Frame = { readonly value: unknown } | { readonly error: SentError } | { readonly end: true };

export interface SentError {
  readonly code: string;
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
}

const hasBytes = (value: unknown): value is { readonly bytes: Uint8Array } =>
  typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array;

export function frameOf(frame: Frame): Buffer {
  const attached = 'value' in frame && hasBytes(frame.value) ? frame.value.bytes : undefined;
  const said = attached === undefined ? frame : { value: { ...withoutBytes(frame) }, isAttached: true };
  const json = Buffer.from(JSON.stringify(said));
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(json.length);
  header.writeUInt32BE(attached?.length ?? 0, 4);
  return Buffer.concat(attached === undefined ? [header, json] : [header, json, attached]);
}

function withoutBytes(frame: Frame): object {
  const { bytes: _attached, ...rest } = 'value' in frame && hasBytes(frame.value) ? frame.value : { bytes: undefined };
  return rest;
}

/** Puts the frames of an answer together. Throws `too_large` for one above the limit before it is read. */
export class FrameReader {
  readonly #most: number;
  #pieces: Buffer[] = [];
  #held = 0;
  #wanted = headerBytes;

  constructor(most = mostFrame) {
    this.#most = most;
  }

  *read(piece: Buffer): Generator<Frame> {
    this.#pieces.push(piece);
    this.#held += piece.length;
    while (this.#held >= this.#wanted) {
      const all = this.#pieces.length === 1 && this.#pieces[0] ? this.#pieces[0] : Buffer.concat(this.#pieces);
      this.#pieces = [all];
      const [jsonBytes, attached] = [all.readUInt32BE(), all.readUInt32BE(4)];
      const whole = headerBytes + jsonBytes + attached;
      if (whole > this.#most)
        throw new SextantError('too_large', `a node answered ${whole} bytes at once; ${this.#most} are allowed`);
      if (all.length < whole) {
        this.#wanted = whole;
        return;
      }
      const rest = all.subarray(whole);
      this.#pieces = rest.length > 0 ? [rest] : [];
      this.#held = rest.length;
      this.#wanted = headerBytes;
      yield frameIn(all.subarray(headerBytes, headerBytes + jsonBytes), all.subarray(headerBytes + jsonBytes, whole));
    }
  }
}

function frameIn(json: Buffer, bytes: Buffer): Frame {
  const frame = JSON.parse(json.toString()) as Frame & { readonly isAttached?: true };
  if (!frame.isAttached || !('value' in frame) || typeof frame.value !== 'object') return frame;
  // Memory of its own: whoever reads it may transfer it to a thread.
  return { value: { ...frame.value, bytes: new Uint8Array(bytes) } };
}
