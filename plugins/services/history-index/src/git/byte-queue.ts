/** Output that arrives in pieces, taken off in parts that end with a byte. No part is looked through twice. */
export class ByteQueue {
  readonly #most: number;
  #bytes = Buffer.allocUnsafe(1 << 17);
  #start = 0;
  #scanned = 0;
  #end = 0;

  /** A part of more than `most` bytes is taken without its rest. */
  constructor(most: number) {
    this.#most = most;
  }

  get isEmpty(): boolean {
    return this.#start === this.#end;
  }

  /** The first byte, or undefined when there is none. */
  get first(): number | undefined {
    return this.isEmpty ? undefined : this.#bytes[this.#start];
  }

  push(chunk: Uint8Array): void {
    const kept = this.#end - this.#start;
    if (this.#end + chunk.length > this.#bytes.length) {
      const needed = kept + chunk.length;
      const target = needed * 2 > this.#bytes.length ? Buffer.allocUnsafe(needed * 2) : this.#bytes;
      this.#bytes.copy(target, 0, this.#start, this.#end);
      this.#bytes = target;
      this.#scanned -= this.#start;
      this.#start = 0;
      this.#end = kept;
    }
    this.#bytes.set(chunk, this.#end);
    this.#end += chunk.length;
    this.#cutLongPart();
  }

  skip(): void {
    this.#start += 1;
    this.#scanned = Math.max(this.#scanned, this.#start);
  }

  /** The bytes before the next `delimiter`, valid until the next push; undefined while it has not arrived. */
  take(delimiter: number): Buffer | undefined {
    const at = this.#bytes.subarray(0, this.#end).indexOf(delimiter, this.#scanned);
    this.#scanned = at < 0 ? this.#end : at + 1;
    if (at < 0) return undefined;
    const part = this.#bytes.subarray(this.#start, Math.min(at, this.#start + this.#most));
    this.#start = at + 1;
    return part;
  }

  /** Of a part that is too long already, only so much is kept in memory. */
  #cutLongPart(): void {
    if (this.#scanned - this.#start <= this.#most) return;
    this.#bytes.copyWithin(this.#start + this.#most, this.#scanned, this.#end);
    this.#end -= this.#scanned - this.#start - this.#most;
    this.#scanned = this.#start + this.#most;
  }
}
