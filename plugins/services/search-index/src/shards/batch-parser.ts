/** One object of `git cat-file --batch`; without content where git has none of that name. */
export interface BatchObject {
  readonly id: string;
  /** A view that is good until the next object is asked for. */
  readonly content: Buffer | undefined;
}

const newline = 10;
/** What git says of an object may not be so; nothing as large is asked for. */
const mostBytes = 64 << 20;

/** Takes the output of `git cat-file --batch` apart, however it is cut into pieces. */
export class BatchParser {
  #buffer = Buffer.allocUnsafeSlow(1 << 16);
  /** What is not taken yet stands between these. */
  #start = 0;
  #end = 0;
  #header: { id: string; size: number } | undefined;

  /** The objects that end in this piece, which is copied. */
  *push(piece: Uint8Array): Generator<BatchObject> {
    this.#append(piece);
    for (let object = this.#next(); object; object = this.#next()) yield object;
  }

  /** Whether everything that was begun has ended. */
  get isComplete(): boolean {
    return this.#start === this.#end && !this.#header;
  }

  #append({ buffer, byteOffset, length }: Uint8Array): void {
    const held = this.#buffer.subarray(this.#start, this.#end);
    const needed = held.length + length;
    if (needed > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(2 * needed);
    this.#buffer.set(held);
    // `set` would take three times as long from a memory that threads share.
    Buffer.from(buffer).copy(this.#buffer, held.length, byteOffset, byteOffset + length);
    [this.#start, this.#end] = [0, needed];
  }

  #next(): BatchObject | undefined {
    if (!this.#header) {
      const end = this.#buffer.subarray(this.#start, this.#end).indexOf(newline);
      if (end < 0) return undefined;
      const [id = '', type = '', size = ''] = this.#take(end + 1)
        .toString('latin1', 0, end)
        .split(' ');
      if (type !== 'blob') return { id, content: undefined };
      this.#header = { id, size: Number(size) };
      if (this.#header.size > mostBytes) throw new Error(`git gives ${size} bytes of ${id}, which were not asked for`);
    }
    const { id, size } = this.#header;
    if (this.#end - this.#start < size + 1) return undefined;
    this.#header = undefined;
    return { id, content: this.#take(size + 1).subarray(0, size) };
  }

  #take(length: number): Buffer {
    this.#start += length;
    return this.#buffer.subarray(this.#start - length, this.#start);
  }
}
