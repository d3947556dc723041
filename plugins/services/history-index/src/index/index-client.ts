import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Answered, Asked, IndexAnswer, IndexRequest } from './protocol.ts';

/** The thread that builds and searches shards, one request after the other. */
export class IndexClient {
  readonly #worker = new Worker(new URL(`./index-thread${extname(import.meta.url)}`, import.meta.url));
  readonly #waiting = new Map<number, PromiseWithResolvers<IndexAnswer>>();
  #lastId = 0;
  #failure: Error | undefined;

  constructor() {
    this.#worker.unref();
    this.#worker.on('message', (answered: Answered) => this.#settle(answered));
    this.#worker.once('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    this.#worker.once('exit', () => this.#fail(new Error('the thread of the index has ended')));
  }

  ask(request: IndexRequest): Promise<IndexAnswer> {
    if (this.#failure) return Promise.reject(this.#failure);
    const waiting = Promise.withResolvers<IndexAnswer>();
    this.#lastId += 1;
    this.#waiting.set(this.#lastId, waiting);
    const asked: Asked = { id: this.#lastId, request };
    this.#worker.postMessage(asked);
    return waiting.promise;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle({ id, answer, failure }: Answered): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (failure === undefined) waiting?.resolve(answer);
    else waiting?.reject(new Error(failure));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
