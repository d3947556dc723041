import { IncomingMessage, STATUS_CODES } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { codeOf } from '../../server/data-folder.ts';

/** Milliseconds. All but `quietMs` are what Node's HTTP server calls so; Node enforces them. */
export interface RequestTimes {
  readonly headersTimeout: number;
  /** For a whole request, its body included. */
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly connectionsCheckingInterval: number;
  /** Without a byte in either direction, beyond what a call may take: nobody reads the answer, or an upload has stopped. */
  readonly quietMs: number;
}

/** Keep-alive is longer than the usual proxy's 60 s. */
export const requestTimes: RequestTimes = {
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  quietMs: 300_000,
};

const longBodies = new WeakSet<IncomingMessage>();

/**
 * Lets the body of a request take longer than `requestTimeout` as long as it keeps coming, for callers who may send
 * large bodies over slow links.
 */
export function allowLongBody(request: object | undefined): void {
  if (!(request instanceof IncomingMessage)) return;
  longBodies.add(request);
  request.on('timeout', (socket: Socket) => {
    // It is the server that does not read on.
    if (request.readableLength >= request.readableHighWaterMark) socket.setTimeout(socket.timeout ?? 0);
    else refuse(socket, 408);
  });
}

/**
 * Ends connections that break Node's limits, with the status that Node gives them; Node knows no exception for long bodies.
 * `callMs` is how long an answer may be in the making without a byte.
 */
export function enforceTimes(server: Server, { quietMs, callMs }: { quietMs: number; callMs: () => number }): void {
  const latest = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>();
  server.on('request', (request, response) => {
    latest.set(request.socket, { request, response });
    request.socket.setTimeout(callMs() + quietMs);
  });
  server.on('clientError', (error, socket) => {
    const exchange = latest.get(socket);
    const isLate = codeOf(error) === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (isLate && exchange && !exchange.request.complete && longBodies.has(exchange.request)) return;
    const isAnswering = exchange?.response.headersSent && !exchange.response.writableFinished;
    if (isAnswering) socket.destroy();
    else refuse(socket, statusOfClientError[codeOf(error) ?? ''] ?? 400);
  });
}

/** By the code of the error, as Node itself answers them. */
const statusOfClientError: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/** Answers on the bare connection and ends it, where no request is there that could be answered. */
export function refuse(socket: Duplex, status: number, { headers = '', body = '' } = {}): void {
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  socket.destroy();
}
