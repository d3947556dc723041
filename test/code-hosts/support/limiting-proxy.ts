import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LimitingProxy extends AsyncDisposable {
  readonly url: string;
  /** Requests to the API that were passed on. */
  readonly passed: number;
  /** Requests to the API that were answered 429. */
  readonly refused: number;
  /** Counts anew, and from now on passes so many requests on. */
  allow(requests: number): void;
}

/** Passes so many requests to the API on in any hour, and refuses the others as code hosts do. Git passes as it is. */
export async function limitingProxy(target: string, { requests }: { requests: number }): Promise<LimitingProxy> {
  let [allowed, passed, refused] = [requests, 0, 0];
  const server = createServer((asked, response) => {
    const { url = '/', method, headers } = asked;
    if (url.startsWith('/api/')) {
      if (passed >= allowed) {
        refused += 1;
        response.writeHead(429, { 'retry-after': '3600' }).end('{"message":"too many requests"}');
        return;
      }
      passed += 1;
    }
    const onward = request(target + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    asked.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get passed() {
      return passed;
    },
    get refused() {
      return refused;
    },
    allow(wanted) {
      [allowed, passed, refused] = [wanted, 0, 0];
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
