/** Bytes of an empty list. */
const SMALL = 4096;
/** The memory of a larger list is not reused. */
const LARGE = 1 << 22;

/** A growing list of bytes. */
export class ByteList {
  #bytes = Buffer.allocUnsafe(SMALL);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  addByte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  /** Adds a number below 2^32 as a varint: seven bits a byte, the lowest first, the high bit set in all bytes but the last. */
  addVarint(value: number): void {
    let rest = value;
    for (; rest >= 128; rest >>>= 7) this.addByte((rest & 127) | 128);
    this.addByte(rest);
  }

  /** A copy of the bytes. The list is empty then. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    if (this.#bytes.length > LARGE) this.#bytes = Buffer.allocUnsafe(SMALL);
    return taken;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
