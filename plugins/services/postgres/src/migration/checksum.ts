import { createHash } from 'node:crypto';

/** Of rows in any order: the sum of a hash of each. */
export class Checksum {
  #sum = 0n;
  #rows = 0;

  add(row: readonly unknown[]): void {
    const text = JSON.stringify(row, (_key, value: unknown) => (value instanceof Uint8Array ? hashOf(value) : value));
    this.#sum = BigInt.asUintN(64, this.#sum + createHash('sha256').update(text).digest().readBigUInt64BE());
    this.#rows += 1;
  }

  get rows(): number {
    return this.#rows;
  }

  toString(): string {
    return this.#sum.toString(16).padStart(16, '0');
  }
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
