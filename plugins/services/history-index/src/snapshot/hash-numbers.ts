/** Finds the number of a hash among many that stand one after the other. */
export class HashNumbers {
  readonly #hashes: Buffer;
  readonly #hashBytes: number;
  /** A number and one more for it; 0 where nothing is. */
  readonly #slots: Uint32Array;

  constructor(hashes: Uint8Array, hashBytes: number) {
    this.#hashes = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.length);
    this.#hashBytes = hashBytes;
    const count = hashes.length / hashBytes;
    this.#slots = new Uint32Array(1 << (34 - Math.clz32(count + 1)));
    for (let number = 0; number < count; number++) this.#put(number);
  }

  /** The first number of the hash that stands in `bytes` at `at`. */
  find(bytes: Buffer, at = 0): number | undefined {
    for (let slot = this.#slotOf(bytes, at); ; slot = this.#next(slot)) {
      const number = (this.#slots[slot] ?? 0) - 1;
      if (number < 0) return undefined;
      if (this.#isAt(number, bytes, at)) return number;
    }
  }

  #put(number: number): void {
    const at = number * this.#hashBytes;
    let slot = this.#slotOf(this.#hashes, at);
    while (this.#slots[slot] !== 0) {
      if (this.#isAt((this.#slots[slot] ?? 0) - 1, this.#hashes, at)) return;
      slot = this.#next(slot);
    }
    this.#slots[slot] = number + 1;
  }

  #isAt(number: number, bytes: Buffer, at: number): boolean {
    const from = number * this.#hashBytes;
    return this.#hashes.compare(bytes, at, at + this.#hashBytes, from, from + this.#hashBytes) === 0;
  }

  /** Hashes are random: their first bytes are as good as any. */
  #slotOf(bytes: Buffer, at: number): number {
    return at + 4 <= bytes.length ? bytes.readUInt32LE(at) & (this.#slots.length - 1) : 0;
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }
}
