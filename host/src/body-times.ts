import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** How long the body of a request may take. */
export interface BodyTimes {
  /** Milliseconds for the whole of it. */
  readonly wholeMs: number;
  /** Bytes that must come in each `wholeMs` where a body may take longer. */
  readonly leastBytes: number;
}

/** A client that sends slowly holds nothing for long; a large upload over a slow link comes through. */
export const bodyTimes: BodyTimes = { wholeMs: 60_000, leastBytes: 1 << 20 };

const checksPerLimit = 12;
const unhurried = new WeakSet<object>();

/** Lets the body of a request take as long as it comes at the least pace: for those who may send large ones. */
export const allowLongBody = (request: object): void => void unhurried.add(request);

interface Coming {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  since: number;
  bytes: number;
}

/**
 * Ends connections whose request body does not come in time, as the `requestTimeout` of a Node server would, which knows no
 * exceptions. Returns the function that stops it.
 */
export function limitBodyTimes(server: Server, { wholeMs, leastBytes }: BodyTimes): () => void {
  const coming = new Set<Coming>();
  server.on('request', (request, response) => {
    if (!hasBody(request)) return;
    const one = { request, response, since: performance.now(), bytes: request.socket.bytesRead };
    coming.add(one);
    request.once('close', () => request.complete && coming.delete(one));
  });
  const check = (one: Coming): void => {
    const { request, response } = one;
    if (request.complete || request.socket.destroyed) coming.delete(one);
    else if (isHeldBack(request)) one.since = performance.now();
    else if (performance.now() - one.since >= wholeMs) {
      const { bytesRead } = request.socket;
      if (!unhurried.has(request) || bytesRead - one.bytes < leastBytes) refuse(request, response);
      [one.since, one.bytes] = [performance.now(), bytesRead];
    }
  };
  const timer = setInterval(() => coming.forEach(check), wholeMs / checksPerLimit).unref();
  return () => clearInterval(timer);
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Whether it is the server that does not read on. */
const isHeldBack = (request: IncomingMessage): boolean =>
  unhurried.has(request) && request.readableLength >= request.readableHighWaterMark;

function refuse({ socket }: IncomingMessage, { headersSent }: ServerResponse): void {
  if (!headersSent) socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  socket.destroySoon();
}
