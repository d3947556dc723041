import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

export interface NodeOptions {
  /** Links in answers begin with it, whatever the request called this server. */
  externalURL: string;
  remoteAddress?: string | undefined;
  /** What the request says, where it is not to be read from the request. */
  body?: string;
}

/** A request and an answer as a library for Node's own server knows them, without a connection. */
export interface NodeExchange {
  readonly request: IncomingMessage;
  readonly response: CapturedResponse;
}

/**
 * A page gets a `Request` and answers a `Response`; the library of the protocol wants Node's pair. It could be mounted at
 * the border of the host, but then it would be the only thing that no page's access rule, limit or header applies to.
 */
export async function nodeExchange(request: Request, options: NodeOptions): Promise<NodeExchange> {
  const { externalURL, remoteAddress, body = await request.text() } = options;
  const { host, protocol } = new URL(externalURL);
  const { pathname, search } = new URL(request.url);
  const socket = Object.assign(new Socket(), { encrypted: protocol === 'https:' });
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
  const incoming = new IncomingMessage(socket);
  incoming.method = request.method;
  incoming.url = pathname + search;
  incoming.headers = { ...Object.fromEntries(request.headers), host };
  if (request.method === 'POST') incoming.headers['content-length'] = String(Buffer.byteLength(body));
  delete incoming.headers['transfer-encoding'];
  incoming.push(body);
  incoming.push(null);
  return { request: incoming, response: new CapturedResponse(incoming) };
}

/** Keeps what would be sent. */
export class CapturedResponse extends ServerResponse {
  readonly answered: Promise<Response>;
  readonly #answer: (answer: Response) => void;

  constructor(request: IncomingMessage) {
    super(request);
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.answered = promise;
    this.#answer = resolve;
  }

  override end(chunk?: unknown): this {
    const body = typeof chunk === 'string' || chunk instanceof Uint8Array ? Buffer.from(chunk) : undefined;
    this.#answer(
      new Response(hasBody(this.statusCode) ? (body ?? null) : null, { status: this.statusCode, headers: this.sent }),
    );
    return this;
  }

  /** The headers that stand by now. */
  get sent(): Headers {
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.getHeaders()))
      for (const each of [value ?? []].flat()) headers.append(name, String(each));
    headers.delete('content-length');
    return headers;
  }
}

const hasBody = (status: number): boolean => status !== 204 && status !== 304;
