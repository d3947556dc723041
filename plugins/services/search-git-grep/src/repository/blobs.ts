import { LRUCache } from 'lru-cache';
import type { StoredRepository } from '@sextant/contracts';

const newline = 10;

/** Bytes of blobs that are remembered. */
const bytesKept = 64 << 20;

/** The contents of blobs, of which the last ones are remembered. */
export class Blobs {
  readonly #known = new LRUCache<string, Uint8Array>({
    maxSize: bytesKept,
    sizeCalculation: ({ length }) => length + 1,
  });

  /** In the order of their ids; undefined for one that is missing, as in a partial clone. */
  async *read(
    repository: StoredRepository,
    ids: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array | undefined, void, void> {
    const known = ids.map((id) => this.#known.get(id));
    const unknown = ids.filter((_, index) => known[index] === undefined);
    const missing = readBlobs(repository, unknown, signal);
    try {
      for (const [index, id] of ids.entries()) {
        const bytes = known[index] ?? (await missing.next()).value;
        if (bytes) this.#known.set(id, bytes);
        yield bytes ?? undefined;
      }
    } finally {
      await missing.return();
    }
  }
}

async function* readBlobs(
  repository: StoredRepository,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array | undefined, void, void> {
  if (ids.length === 0) return;
  const input = [Buffer.from(ids.map((id) => `${id}\n`).join(''))];
  const source = repository.stream({ args: ['cat-file', '--batch'], input, signal })[Symbol.asyncIterator]();
  const output = new ByteReader(source);
  try {
    for (let index = 0; index < ids.length; index += 1) {
      const header = (await output.takeLine()).toString('latin1');
      const size = /^[0-9a-f]+ blob (\d+)$/.exec(header)?.[1];
      // A copy: the piece that it came in is larger, and would stay with it. A blob ends with a line end that is not its own.
      yield size === undefined ? undefined : new Uint8Array((await output.take(Number(size) + 1)).subarray(0, -1));
    }
  } finally {
    await source.return?.();
  }
}

/** Takes bytes off the front of a stream. */
class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(source: AsyncIterator<Uint8Array>) {
    this.#source = source;
  }

  async take(length: number): Promise<Buffer> {
    while (this.#length < length) await this.#read();
    const all = this.#join();
    this.#keep(all.subarray(length));
    return all.subarray(0, length);
  }

  /** Without its end. */
  async takeLine(): Promise<Buffer> {
    for (;;) {
      const all = this.#join();
      const end = all.indexOf(newline);
      this.#keep(end < 0 ? all : all.subarray(end + 1));
      if (end >= 0) return all.subarray(0, end);
      await this.#read();
    }
  }

  async #read(): Promise<void> {
    const { value, done } = await this.#source.next();
    if (done) throw new Error('the output of git cat-file ended early');
    this.#chunks.push(value);
    this.#length += value.length;
  }

  #join(): Buffer {
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(this.#chunks);
  }

  #keep(bytes: Buffer): void {
    this.#chunks = [bytes];
    this.#length = bytes.length;
  }
}
