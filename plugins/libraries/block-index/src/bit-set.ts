/** A set of numbers below a bound, one bit each. */
export class BitSet {
  readonly size: number;
  readonly words: Uint32Array;

  constructor(size: number, words: Uint32Array = new Uint32Array(Math.ceil(size / 32))) {
    this.size = size;
    this.words = words;
  }

  static all(size: number): BitSet {
    const bits = new BitSet(size);
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

  and(other: BitSet): BitSet {
    return this.#with(other, (a, b) => a & b);
  }

  or(other: BitSet): BitSet {
    return this.#with(other, (a, b) => a | b);
  }

  without(other: BitSet): BitSet {
    return this.#with(other, (a, b) => a & ~b);
  }

  copy(): BitSet {
    return new BitSet(this.size, this.words.slice());
  }

  get isEmpty(): boolean {
    const { words } = this;
    for (let i = 0; i < words.length; i += 1) if (words[i] !== 0) return false;
    return true;
  }

  get count(): number {
    let count = 0;
    for (let i = 0; i < this.words.length; i += 1) {
      const word = this.words[i] ?? 0;
      const pairs = word - ((word >>> 1) & 0x5555_5555);
      const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
      count += Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
    }
    return count;
  }

  /** The numbers in it, ascending. */
  numbers(): Uint32Array {
    const found = new Uint32Array(this.count);
    let size = 0;
    for (let i = 0; i < this.words.length; i += 1)
      for (let word = this.words[i] ?? 0; word !== 0; word &= word - 1)
        found[size++] = i * 32 + (31 - Math.clz32(word & -word));
    return found;
  }

  #with({ words }: BitSet, joined: (a: number, b: number) => number): BitSet {
    return new BitSet(
      this.size,
      this.words.map((word, i) => joined(word, words[i] ?? 0)),
    );
  }

  /** Iterates over `numbers()`. A loop over that array itself makes no object for each number. */
  [Symbol.iterator](): Iterator<number> {
    return this.numbers()[Symbol.iterator]();
  }
}
