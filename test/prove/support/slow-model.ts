import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Questions with this word keep the model busy. */
export const slowWord = 'unhurriedly';

export interface SlowModel extends AsyncDisposable {
  readonly url: string;
  /** When questions with the word arrived, by `performance.now()`. */
  readonly asked: readonly number[];
  /** Answers all that wait. */
  release(): void;
}

/**
 * A language model that does not answer questions with the word until `release`, and refuses others at once: these are
 * answered by the built-in researcher.
 */
export async function startSlowModel(): Promise<SlowModel> {
  const asked: number[] = [];
  let waiting = Promise.withResolvers<void>();
  const server = createServer(async (message, response) => {
    let body = '';
    for await (const piece of message) body += String(piece);
    if (body.includes(slowWord)) {
      asked.push(performance.now());
      await waiting.promise;
    }
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    release() {
      waiting.resolve();
      waiting = Promise.withResolvers();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
