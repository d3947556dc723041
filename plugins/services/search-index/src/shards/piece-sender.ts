/** Bytes of one part, and how many parts there are: while one is filled, others are worked on. */
const partBytes = 1 << 20;
const parts = 3;

/** Memory through which pieces go to a thread without being copied twice. */
export const memoryForPieces = (): SharedArrayBuffer => new SharedArrayBuffer(parts * partBytes);

/** Where a part of that memory was filled. */
export interface FilledPart {
  readonly offset: number;
  readonly length: number;
}

/** Fills the parts in turn; each is sent when it is full, and filled again when the thread is done with it. */
export class PieceSender {
  readonly #memory: Uint8Array;
  readonly #send: (part: FilledPart) => Promise<void>;
  readonly #sent: Promise<void>[] = Array.from({ length: parts }, () => Promise.resolve());
  #part = 0;
  #filled = 0;

  constructor(memory: SharedArrayBuffer, send: (part: FilledPart) => Promise<void>) {
    this.#memory = new Uint8Array(memory);
    this.#send = send;
  }

  /** Takes a piece; nobody else may use it afterwards. */
  async push(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length; ) {
      if (this.#filled === 0) await this.#sent[this.#part];
      const length = Math.min(partBytes - this.#filled, piece.length - at);
      this.#memory.set(piece.subarray(at, at + length), this.#part * partBytes + this.#filled);
      at += length;
      this.#filled += length;
      if (this.#filled === partBytes) this.#sendPart();
    }
    giveBack(piece);
  }

  /** Sends what is left and waits for everything. */
  async end(): Promise<void> {
    if (this.#filled > 0) this.#sendPart();
    await Promise.all(this.#sent);
  }

  #sendPart(): void {
    const sent = this.#send({ offset: this.#part * partBytes, length: this.#filled });
    // Whoever waits for this part, or for the end, is told.
    sent.catch(() => undefined);
    this.#sent[this.#part] = sent;
    this.#part = (this.#part + 1) % parts;
    this.#filled = 0;
  }
}

/** Without waiting until it is collected: for that, the main thread would look through all of its memory fifty times a gigabyte. */
function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
