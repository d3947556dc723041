import { deflateRawSync, inflateRawSync } from 'node:zlib';

const longestBytes = 64 * 1024 * 1024;

/** Numbers from 0 on, a bit each; as text it is deflated, so that a few numbers far apart stay short. */
export class BitSet {
  readonly #bits: Uint8Array;

  private constructor(bits: Uint8Array) {
    this.#bits = bits;
  }

  static of(numbers: readonly number[]): BitSet {
    const last = numbers.reduce((largest, each) => Math.max(largest, each), -1);
    const bits = new Uint8Array(Math.ceil((last + 1) / 8));
    for (const number of numbers) bits[number >> 3] = (bits[number >> 3] ?? 0) | (1 << (number & 7));
    return new BitSet(bits);
  }

  /** Reads what `toText` wrote. Throws for anything else. */
  static fromText(text: string): BitSet {
    return new BitSet(inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: longestBytes }));
  }

  get bytes(): number {
    return this.#bits.length;
  }

  has(number: number): boolean {
    return ((this.#bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }

  toText(): string {
    return deflateRawSync(this.#bits).toString('base64');
  }
}
