const newline = 10;

export interface Line {
  readonly bytes: Buffer;
  /** Whether the line is longer than what is kept of it. */
  readonly isCut: boolean;
}

/** Cuts output that arrives in pieces into lines, keeping only so much of each. */
export class LineSplitter {
  readonly #maxBytes: number;
  #rest: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this piece completes, without their ends. */
  *take(chunk: Buffer): Generator<Line, void, void> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      yield this.#complete();
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(piece: Buffer): void {
    if (this.#length < this.#maxBytes) this.#rest.push(piece);
    this.#length += piece.length;
  }

  #complete(): Line {
    const [only] = this.#rest;
    const bytes = (only && this.#rest.length === 1 ? only : Buffer.concat(this.#rest)).subarray(0, this.#maxBytes);
    const isCut = this.#length > this.#maxBytes;
    this.#rest = [];
    this.#length = 0;
    return { bytes, isCut };
  }
}
