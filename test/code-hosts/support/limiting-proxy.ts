import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LimitingProxy extends AsyncDisposable {
  readonly url: string;
  /** Requests that were answered 429. */
  readonly refused: number;
}

/** Passes so many requests on in any hour, and refuses the others as code hosts do. */
export async function limitingProxy(target: string, { requests }: { requests: number }): Promise<LimitingProxy> {
  let [passed, refused] = [0, 0];
  const server = createServer(async ({ url = '/', headers }, response) => {
    if (passed >= requests) {
      refused += 1;
      response.writeHead(429, { 'retry-after': '3600' }).end('{"message":"too many requests"}');
      return;
    }
    passed += 1;
    const { authorization = '' } = headers;
    const answer = await fetch(target + url, { headers: { authorization } });
    response.writeHead(answer.status, { 'x-total-count': answer.headers.get('x-total-count') ?? '' });
    response.end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get refused() {
      return refused;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
