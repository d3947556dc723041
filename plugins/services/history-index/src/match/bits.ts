/** A set of numbers below a size. */
export class BitSet {
  /** Bit n & 7 of byte n >> 3. */
  readonly bytes: Uint8Array;

  constructor(size: number) {
    this.bytes = new Uint8Array(Math.ceil(size / 8));
  }

  get isEmpty(): boolean {
    return this.bytes.every((byte) => byte === 0);
  }

  add(number: number): void {
    this.bytes[number >> 3] = (this.bytes[number >> 3] ?? 0) | (1 << (number & 7));
  }

  has(number: number): boolean {
    return ((this.bytes[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }

  /** Those that are not in the other. */
  without(other: BitSet): BitSet {
    const left = new BitSet(this.bytes.length * 8);
    for (let i = 0; i < this.bytes.length; i++) left.bytes[i] = (this.bytes[i] ?? 0) & ~(other.bytes[i] ?? 0);
    return left;
  }
}
