import { SextantError } from '@sextant/core';

/** One field of the outermost message of a SCIP file. */
export interface TopMessage {
  readonly field: number;
  readonly bytes: Uint8Array;
}

/** Only fields with a length stand in the outermost message. */
const lengthDelimited = 2;
export const metadataField = 1;
export const documentField = 2;
const externalSymbolField = 3;
const fields = new Set([metadataField, documentField, externalSymbolField]);
const longestVarint = 10;

/**
 * Takes a SCIP file apart as it comes, one document in memory at a time; external symbols are passed over. Throws `invalid_argument` for what is none or ends
 * too early, `too_large` for a document of more than `maxBytes`.
 */
export async function* topMessages(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<TopMessage, void, void> {
  const pending = new ByteQueue();
  let at = 0;
  for await (const chunk of chunks) {
    pending.push(chunk);
    for (let header = headerOf(pending, at); header; header = headerOf(pending, at)) {
      if (header.length > maxBytes)
        throw new SextantError('too_large', `a document of ${header.length} bytes at byte ${at}; at most ${maxBytes}`);
      if (pending.length < header.size + header.length) break;
      const bytes = pending.take(header.size + header.length).subarray(header.size);
      at += header.size + header.length;
      if (header.field !== externalSymbolField) yield { field: header.field, bytes };
    }
  }
  if (pending.length > 0)
    throw new SextantError('invalid_argument', `the SCIP index ends in the middle, at byte ${at}`);
}

interface Header {
  readonly field: number;
  /** Of the header itself, and of what follows. */
  readonly size: number;
  readonly length: number;
}

/** Undefined while too little of it has come. */
function headerOf(pending: ByteQueue, at: number): Header | undefined {
  const start = pending.peek(2 * longestVarint);
  const tag = varintIn(start, 0, at);
  const length = tag && varintIn(start, tag.next, at);
  if (tag && ((tag.value & 7) !== lengthDelimited || !fields.has(tag.value >>> 3))) throw notScip(at);
  if (!tag || !length) return undefined;
  return { field: tag.value >>> 3, size: length.next, length: length.value };
}

function varintIn(bytes: Uint8Array, from: number, at: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let index = from; index < bytes.length && index < from + longestVarint; index += 1) {
    const byte = bytes[index] ?? 0;
    value += (byte & 127) * 2 ** (7 * (index - from));
    if (byte < 128) return { value, next: index + 1 };
  }
  if (bytes.length >= from + longestVarint) throw notScip(at);
  return undefined;
}

const notScip = (at: number): SextantError =>
  new SextantError(
    'invalid_argument',
    `this is no SCIP index: byte ${at} does not begin metadata, a document or an external symbol`,
  );

/** Bytes that came in pieces, taken from the front; put together only when they are wanted. */
class ByteQueue {
  #pieces: Uint8Array[] = [];
  length = 0;

  push(piece: Uint8Array): void {
    if (piece.length > 0) this.#pieces.push(piece);
    this.length += piece.length;
  }

  /** At most so many bytes from the front, which stay. */
  peek(count: number): Uint8Array {
    const [first] = this.#pieces;
    if (first && (first.length >= count || this.#pieces.length === 1)) return first.subarray(0, count);
    return this.#joined().subarray(0, count);
  }

  take(count: number): Uint8Array {
    const [first] = this.#pieces;
    const all = first && first.length >= count ? first : this.#joined();
    const [, ...others] = this.#pieces;
    const rest = all.subarray(count);
    this.#pieces = rest.length > 0 ? [rest, ...others] : others;
    this.length -= count;
    return all.subarray(0, count);
  }

  #joined(): Uint8Array {
    const all = Buffer.concat(this.#pieces);
    this.#pieces = all.length > 0 ? [all] : [];
    return all;
  }
}
