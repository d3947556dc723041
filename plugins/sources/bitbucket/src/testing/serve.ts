import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

export interface Served extends AsyncDisposable {
  readonly url: string;
}

/** A server at an address of its own. What throws is answered as a bad request. */
export async function serve(answer: (asked: Asked, url: string) => Answer): Promise<Served> {
  const server = createServer(async (request, response) => {
    const { headers, method = 'GET' } = request;
    let body = '';
    for await (const piece of request) body += String(piece);
    const { pathname, searchParams, origin } = new URL(request.url ?? '', `http://${headers.host}`);
    const asked = { path: decodeURIComponent(pathname), query: searchParams, headers, method, body };
    let given: Answer;
    try {
      given = answer(asked, origin);
    } catch (error) {
      given = { status: 400, body: { error: { message: error instanceof Error ? error.message : '' } } };
    }
    response.writeHead(given.status, given.headers).end(JSON.stringify(given.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
