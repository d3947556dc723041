const alignment = 4;
const aligned = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

/** Hands out the parts of a memory: whoever asks for the same in the same order, in whatever thread, has the same. */
export class SharedNumbers {
  readonly memory: SharedArrayBuffer;
  #end = 0;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
  }

  /** Bytes of memory that so many numbers of 1, 2 and 4 bytes take when they are asked for one after the other. */
  static bytesFor(...lengths: readonly (readonly [count: number, bytes: number])[]): number {
    return lengths.reduce((sum, [count, bytes]) => sum + aligned(count * bytes), 0);
  }

  bytes(count: number): Uint8Array {
    return new Uint8Array(this.memory, this.#take(count), count);
  }

  shorts(count: number): Uint16Array {
    return new Uint16Array(this.memory, this.#take(2 * count), count);
  }

  words(count: number): Uint32Array {
    return new Uint32Array(this.memory, this.#take(4 * count), count);
  }

  integers(count: number): Int32Array {
    return new Int32Array(this.memory, this.#take(4 * count), count);
  }

  floats(count: number): Float32Array {
    return new Float32Array(this.memory, this.#take(4 * count), count);
  }

  #take(bytes: number): number {
    const at = this.#end;
    this.#end += aligned(bytes);
    return at;
  }
}
