/** A set of numbers below a bound, one bit each. */
export class Bits {
  readonly size: number;
  readonly words: Uint32Array;

  constructor(size: number, words: Uint32Array = new Uint32Array(Math.ceil(size / 32))) {
    this.size = size;
    this.words = words;
  }

  static all(size: number): Bits {
    const bits = new Bits(size);
    bits.words.fill(0xffff_ffff);
    const rest = size % 32;
    if (rest > 0) bits.words[bits.words.length - 1] = 2 ** rest - 1;
    return bits;
  }

  /** The same set as bytes, as the block index takes it. */
  get bytes(): Uint8Array {
    return new Uint8Array(this.words.buffer, this.words.byteOffset, this.words.byteLength);
  }

  add(n: number): void {
    this.words[n >>> 5] = (this.words[n >>> 5] ?? 0) | (1 << (n & 31));
  }

  remove(n: number): void {
    this.words[n >>> 5] = (this.words[n >>> 5] ?? 0) & ~(1 << (n & 31));
  }

  has(n: number): boolean {
    return (((this.words[n >>> 5] ?? 0) >>> (n & 31)) & 1) === 1;
  }

  and(other: Bits): Bits {
    return new Bits(
      this.size,
      this.words.map((word, i) => word & (other.words[i] ?? 0)),
    );
  }

  or(other: Bits): Bits {
    return new Bits(
      this.size,
      this.words.map((word, i) => word | (other.words[i] ?? 0)),
    );
  }

  without(other: Bits): Bits {
    return new Bits(
      this.size,
      this.words.map((word, i) => word & ~(other.words[i] ?? 0)),
    );
  }

  get isEmpty(): boolean {
    for (const word of this.words) if (word !== 0) return false;
    return true;
  }

  get count(): number {
    let count = 0;
    for (const word of this.words) {
      const pairs = word - ((word >>> 1) & 0x5555_5555);
      const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
      count += Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
    }
    return count;
  }

  /** The numbers in it, ascending. */
  *[Symbol.iterator](): Generator<number> {
    for (const [i, whole] of this.words.entries())
      for (let word = whole; word !== 0; word &= word - 1) yield i * 32 + (31 - Math.clz32(word & -word));
  }
}
