/** One object of `git cat-file --batch`; without content where git has none of that name. */
export interface BatchObject {
  readonly id: string;
  readonly content: Buffer | undefined;
}

const newline = 10;

/** Takes the output of `git cat-file --batch` apart, however it is cut into pieces. */
export class BatchParser {
  #pieces: Buffer[] = [];
  #length = 0;
  #header: { id: string; size: number } | undefined;

  /** The objects that end in this piece. Their content is a view of memory that nobody else writes. */
  *push(piece: Buffer): Generator<BatchObject> {
    this.#pieces.push(piece);
    this.#length += piece.length;
    for (let object = this.#next(); object; object = this.#next()) yield object;
  }

  /** Whether everything that was begun has ended. */
  get isComplete(): boolean {
    return this.#length === 0 && !this.#header;
  }

  #next(): BatchObject | undefined {
    if (!this.#header) {
      const line = this.#line();
      if (line === undefined) return undefined;
      const [id = '', type = '', size = ''] = line.split(' ');
      if (type !== 'blob') return { id, content: undefined };
      this.#header = { id, size: Number(size) };
    }
    const { id, size } = this.#header;
    if (this.#length < size + 1) return undefined;
    this.#header = undefined;
    return { id, content: this.#take(size + 1).subarray(0, size) };
  }

  #line(): string | undefined {
    if (this.#pieces.length > 1 && !this.#pieces[0]?.includes(newline)) this.#join();
    const end = this.#pieces[0]?.indexOf(newline) ?? -1;
    return end < 0 ? undefined : this.#take(end + 1).toString('latin1', 0, end);
  }

  #take(length: number): Buffer {
    if ((this.#pieces[0]?.length ?? 0) < length) this.#join();
    const [first = Buffer.alloc(0)] = this.#pieces;
    this.#length -= length;
    if (first.length === length) this.#pieces.shift();
    else this.#pieces[0] = first.subarray(length);
    return first.subarray(0, length);
  }

  #join(): void {
    this.#pieces = [Buffer.concat(this.#pieces)];
  }
}
