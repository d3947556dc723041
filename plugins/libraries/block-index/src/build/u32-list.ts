/** A growing list of u32. */
export class U32List {
  #values = new Uint32Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(this.#length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }

  toBytes(): Uint8Array {
    return new Uint8Array(this.#values.buffer, 0, this.#length * 4);
  }
}
