import { csvCell } from '@sextant/core';
import type { ReportRow } from '@sextant/core';

/** Most texts whose form in CSV is remembered. */
const mostKnown = 10_000;
/** Room for as much as is usually sent at once; more is made where it does not suffice. */
const usualBytes = 72 * 1024;
/** Digits of the largest number that is written by digits, a comma and a line end. */
const mostAround = 16 + 3;

const [comma, carriageReturn, lineFeed, zero] = [0x2c, 0x0d, 0x0a, 0x30] as const;

const encoder = new TextEncoder();
const truth = encoder.encode('true');
const untruth = encoder.encode('false');

/**
 * The bytes of `csvLines`. Cells are written as bytes, because a report has millions of them, and strings would make the heap
 * grow.
 */
export class CsvLines {
  readonly #known = new Map<string, Uint8Array>();
  #bytes = new Uint8Array(usualBytes);
  #length = 0;

  /** Bytes that wait to be taken. */
  get length(): number {
    return this.#length;
  }

  add(row: ReportRow): void {
    let isFirst = true;
    for (const cell of row) {
      this.#makeRoom(mostAround);
      if (!isFirst) this.#bytes[this.#length++] = comma;
      isFirst = false;
      if (typeof cell === 'number') this.#addNumber(cell);
      else this.#addBytes(typeof cell === 'string' ? this.#written(cell) : cell ? truth : untruth);
    }
    this.#bytes[this.#length++] = carriageReturn;
    this.#bytes[this.#length++] = lineFeed;
  }

  /** What waits. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = new Uint8Array(usualBytes);
    this.#length = 0;
    return taken;
  }

  /** As it is: a negative number is no formula. */
  #addNumber(value: number): void {
    if (value < 0 || !Number.isSafeInteger(value)) return this.#addBytes(encoder.encode(String(value)));
    this.#length += digitsOf(value);
    let at = this.#length;
    let rest = value;
    do {
      const shorter = Math.floor(rest / 10);
      this.#bytes[--at] = zero + (rest - shorter * 10);
      rest = shorter;
    } while (rest > 0);
  }

  #addBytes(added: Uint8Array): void {
    this.#makeRoom(added.length + mostAround);
    for (const byte of added) this.#bytes[this.#length++] = byte;
  }

  /** Each text is made into a cell once: reports say the same names in a million rows. */
  #written(text: string): Uint8Array {
    const known = this.#known.get(text);
    if (known) return known;
    if (this.#known.size === mostKnown) this.#known.clear();
    const written = encoder.encode(csvCell(text));
    this.#known.set(text, written);
    return written;
  }

  #makeRoom(size: number): void {
    if (this.#length + size <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + size));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let power = 10; power <= value; power *= 10) digits += 1;
  return digits;
}
