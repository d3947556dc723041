import type { RestartableThread } from '@sextant/library-workers';
import type { IngestCalls } from '../threads/thread-calls.ts';

/** Bytes of git's output that the thread is given at once. */
const partBytes = 512 << 10;
/** Bytes of git's output that wait for the thread, of each command: as much as it prints while a shard is finished. */
const mostWaiting = 16 << 20;

export type IngestThread = Pick<RestartableThread<IngestCalls>, 'call'>;

/** Gives the thread what git prints, in large parts, and waits when it has too much to do. */
export class RunReader {
  readonly #run: number;
  readonly #thread: IngestThread;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #waiting = 0;
  #held = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(run: number, thread: IngestThread) {
    this.#run = run;
    this.#thread = thread;
  }

  /** Bytes of whole commits that the thread held when it answered last. */
  get held(): number {
    return this.#held;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= partBytes) this.#send();
    if (this.#waiting > mostWaiting) await this.#last;
  }

  async finish(): Promise<void> {
    this.#send();
    await this.#last;
  }

  #send(): void {
    if (this.#bytes === 0) return;
    const bytes = new Uint8Array(this.#bytes);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks = [];
    this.#bytes = 0;
    // What fails of a part fails also those behind it.
    this.#last = Promise.all([this.#last, this.#give(bytes)]).then(() => undefined);
    // Who adds more or finishes hears of it.
    this.#last.catch(() => undefined);
  }

  async #give(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const { length } = bytes;
    this.#waiting += length;
    this.#held = await this.#thread.call('read', { run: this.#run, bytes }, { transfer: [bytes.buffer] });
    this.#waiting -= length;
  }
}
