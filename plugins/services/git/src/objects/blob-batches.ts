import { missingBlob } from '@sextant/contracts';
import type { BlobBatch } from '@sextant/contracts';
import { SextantError } from '@sextant/core';

/** Bytes of a batch; a larger blob has one of its own. */
const batchBytes = 1 << 20;
/** Of a batch: many blobs may be empty or missing. */
const mostBlobs = 4096;
/** Of the line that git writes before an object. */
const mostHeaderBytes = 4096;
const newline = 10;

/** Collects contents in memory of their own. */
export class BlobCollector {
  #ids: string[] = [];
  #sizes: number[] = [];
  #bytes: Uint8Array<ArrayBuffer> | undefined;
  #end = 0;

  /** Begins a blob; answers the batch that was filled until then, if it has no room for this one. */
  begin(id: string, size: number): BlobBatch | undefined {
    const isFull = this.#ids.length === mostBlobs || (this.#bytes && this.#end + size > this.#bytes.length);
    const filled = isFull ? this.take() : undefined;
    if (size > 0) this.#bytes ??= new Uint8Array(Math.max(size, batchBytes));
    this.#ids.push(id);
    this.#sizes.push(size);
    return filled;
  }

  /** Adds bytes of the blob that was begun last. */
  add(content: Uint8Array): void {
    this.#bytes?.set(content, this.#end);
    this.#end += content.length;
  }

  /** What was collected; undefined where that is nothing. */
  take(): BlobBatch | undefined {
    const batch = { ids: this.#ids, sizes: this.#sizes, bytes: (this.#bytes ?? noBytes).subarray(0, this.#end) };
    [this.#ids, this.#sizes, this.#bytes, this.#end] = [[], [], undefined, 0];
    return batch.ids.length > 0 ? batch : undefined;
  }
}

const noBytes = new Uint8Array(0);

/**
 * Reads blobs from the output of `git cat-file --batch`, however it is cut into pieces. Throws if the output ends in the
 * middle, and for a blob with more bytes than asked for: what git says of a damaged blob may be wrong.
 */
export async function* blobBatches(
  output: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<BlobBatch, void, void> {
  const collector = new BlobCollector();
  let header = '';
  let isBlob = false;
  /** Bytes that are still to come of a content and its line end. */
  let left = 0;
  for await (const piece of output) {
    for (let at = 0; at < piece.length; ) {
      if (left > 0) {
        const taken = Math.min(left, piece.length - at);
        // The last byte is the line end.
        if (isBlob) collector.add(piece.subarray(at, at + Math.min(taken, left - 1)));
        left -= taken;
        at += taken;
        continue;
      }
      const end = piece.indexOf(newline, at);
      header += piece.toString('latin1', at, end < 0 ? piece.length : end);
      if (header.length > mostHeaderBytes) throw unexpected('a line that is no answer');
      if (end < 0) break;
      at = end + 1;
      const [id = '', type, digits] = header.split(' ');
      header = '';
      isBlob = type === 'blob';
      if (digits !== undefined) left = Number(digits) + 1;
      if (isBlob && left > maxBytes + 1) throw unexpected(`${digits} bytes of ${id}`);
      const filled = collector.begin(id, isBlob ? left - 1 : missingBlob);
      if (filled) yield filled;
    }
    giveBack(piece);
  }
  if (left > 0 || header !== '') throw unexpected('the beginning of an object');
  const last = collector.take();
  if (last) yield last;
}

const unexpected = (what: string): SextantError =>
  new SextantError('unavailable', 'git could not read the repository; it may be damaged or gone', {
    cause: new Error(`git cat-file printed ${what}, which was not asked for`),
  });

/** Releases the memory of a piece at once. To find gigabytes of them, the garbage collector would look through all memory again and again. */
function giveBack({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
