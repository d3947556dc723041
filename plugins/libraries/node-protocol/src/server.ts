import { createSecureServer, createServer } from 'node:http2';
import type {
  Http2Server,
  IncomingHttpHeaders,
  SecureServerOptions,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { SextantError, isSextantError, messageOf, unlessAborted } from '@sextant/core';
import type { Caller, Logger } from '@sextant/core';
import type { z } from 'zod';
import type { CallerVerifier } from './claims.ts';
import { frameOf } from './frames.ts';
import type { SentError } from './frames.ts';
import type { AnswerOf, ArgumentsOf, Method, Methods } from './method.ts';
import { protocolHeader, protocolVersion, statusOf, windows } from './wire.ts';

/** Largest request: a query, and the names of the repositories that it is about. */
const mostAsked = 16 * 1024 * 1024;
const longestMs = 3_600_000;

const spoken = { [protocolHeader]: protocolVersion };

/** What surrounds one call of a method. */
export interface ServedCall {
  /** Undefined where a host speaks for itself. */
  readonly caller: Caller | undefined;
  /** Of the placement by which the host chose this node; empty where it does not matter. */
  readonly epoch: string;
  /** Aborts when the host no longer wants an answer, and at its deadline. */
  readonly signal: AbortSignal;
}

/** How each method of a table is answered. */
export type Handlers<M extends Methods> = {
  readonly [K in keyof M]: (
    args: ArgumentsOf<M[K]>,
    call: ServedCall,
  ) => M[K]['isStream'] extends true ? AsyncIterable<AnswerOf<M[K]>> : Promise<AnswerOf<M[K]>>;
};

export interface NodeServerOptions<M extends Methods> {
  readonly methods: M;
  readonly handlers: Handlers<M>;
  readonly verifier: CallerVerifier;
  /** Throws what says that this node does not own what a call is about. Before it the arguments are checked, and the caller. */
  admit(args: unknown, call: ServedCall): void;
  /** Certificate, key and the authority of hosts; without them it serves plain HTTP/2. */
  readonly tls: Pick<SecureServerOptions, 'ca' | 'cert' | 'key'> | undefined;
  readonly log: Logger;
  /** Told of each call that ended: `ok`, or the code of its error. */
  onCall?(method: string, outcome: string): void;
}

type Handler = (args: unknown, call: ServedCall) => Promise<unknown> | AsyncIterable<unknown>;

/**
 * Serves a table of methods over HTTP/2. A call is `POST /<method>` with JSON; the answer begins as soon as the call is
 * accepted, so that a host can tell a node that works from one that is gone.
 */
export class NodeServer<M extends Methods> {
  readonly #options: NodeServerOptions<M>;
  readonly #server: Http2Server;
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(options: NodeServerOptions<M>) {
    this.#options = options;
    const { tls } = options;
    const settings = { settings: windows.settings };
    this.#server = tls
      ? createSecureServer({ ...settings, ...tls, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' })
      : createServer(settings);
    this.#server.on('session', (session) => {
      this.#sessions.add(session);
      session.setLocalWindowSize(windows.session);
      session.on('close', () => this.#sessions.delete(session));
      session.on('error', (error) => options.log.debug({ err: error }, 'a host broke its connection'));
    });
    this.#server.on('stream', (stream, headers) => void this.#serve(stream, headers));
  }

  /** Answers the port. */
  async listen({ host, port }: { host: string; port: number }): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    // While a changed configuration starts, two generations listen: the older one goes when the newer one is there.
    this.#server.listen({ port, host, reusePort: process.platform === 'linux' && port !== 0 }, resolve);
    await promise;
    return (this.#server.address() as AddressInfo).port;
  }

  /** Takes no more calls. Those in flight may end within `graceMs`, and are cut off then. */
  async close(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const session of this.#sessions) session.close();
    const late = setTimeout(() => {
      for (const session of this.#sessions) session.destroy();
    }, graceMs);
    await closed;
    clearTimeout(late);
  }

  async #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    stream.on('error', () => undefined);
    const name = String(headers[':path']).slice(1);
    const controller = new AbortController();
    const cancel = (): void =>
      controller.abort(new SextantError('canceled', 'the host no longer waits for the answer'));
    stream.on('close', cancel);
    let outcome = 'ok';
    try {
      const { method, args, call } = await this.#accepted(name, { stream, headers, controller });
      stream.respond({ ':status': 200, ...spoken });
      await answer({ stream, method, signal: call.signal }, (this.#options.handlers[name] as Handler)(args, call));
    } catch (error) {
      const sent = this.#sentError(name, error);
      outcome = sent.code;
      if (stream.destroyed) return;
      if (!stream.headersSent) stream.respond({ ':status': statusOf(sent.code), ...spoken });
      stream.end(frameOf({ error: sent }));
    } finally {
      stream.off('close', cancel);
      this.#options.onCall?.(name, outcome);
    }
  }

  async #accepted(name: string, { stream, headers, controller }: Asked): Promise<Accepted> {
    const { methods, verifier, admit } = this.#options;
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (!method || headers[':method'] !== 'POST')
      throw new SextantError('internal', `the node has no method "${name.slice(0, 100)}": it runs another version`);
    const { caller } = verifier.verify(String(headers['authorization'] ?? '').replace(/^Bearer /, ''));
    const ms = Math.min(longestMs, Math.max(1, Number(headers['sextant-deadline-ms']) || longestMs));
    const late = setTimeout(() => controller.abort(new SextantError('timeout', 'the call took too long')), ms);
    stream.on('close', () => clearTimeout(late));
    const args = parsed(method.args, await bodyOf(stream), 'invalid_argument');
    const call = { caller, epoch: String(headers['sextant-epoch'] ?? ''), signal: controller.signal };
    admit(args, call);
    return { method, args, call };
  }

  #sentError(method: string, error: unknown): SentError {
    if (isSextantError(error)) {
      const { code, message, retryAfterSeconds } = error;
      return { code, message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
    }
    this.#options.log.error({ method, err: error }, `a call of a host failed: ${messageOf(error)}`);
    return { code: 'internal', message: `the node failed at ${method}` };
  }
}

interface Asked {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly controller: AbortController;
}

interface Accepted {
  readonly method: Method;
  readonly args: unknown;
  readonly call: ServedCall;
}

function parsed(schema: z.ZodType, value: unknown, code: 'invalid_argument' | 'internal'): unknown {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new SextantError(code, `the protocol does not have this: ${read.error.message.slice(0, 500)}`);
}

/** Throws `too_large` as soon as it is: the stream stays open for the refusal. */
async function bodyOf(stream: ServerHttp2Stream): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const pieces: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= mostAsked) pieces.push(piece);
    else reject(new SextantError('too_large', `a call may have ${mostAsked} bytes`));
  });
  stream.once('end', resolve);
  const breakOff = (): void => reject(new SextantError('canceled', 'the host broke off'));
  stream.once('close', breakOff);
  await promise;
  stream.off('close', breakOff);
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch {
    throw new SextantError('invalid_argument', 'the call is no JSON');
  }
}

interface Answering {
  readonly stream: ServerHttp2Stream;
  readonly method: Method;
  readonly signal: AbortSignal;
}

async function answer(
  { stream, method: { isStream, result }, signal }: Answering,
  given: Promise<unknown> | AsyncIterable<unknown>,
): Promise<void> {
  if (isStream) {
    for await (const value of given as AsyncIterable<unknown>) {
      // The host has what it wanted.
      if (stream.destroyed) return;
      await written(stream, frameOf({ value: parsed(result, value, 'internal') }), signal);
    }
    stream.end(frameOf({ end: true }));
  } else stream.end(frameOf({ value: parsed(result, await given, 'internal') }));
}

/** Waits while the host reads more slowly than the node answers. Throws at the deadline, which a host that vanished never ends. */
async function written(stream: ServerHttp2Stream, frame: Buffer, signal: AbortSignal): Promise<void> {
  if (stream.write(frame) || stream.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.on('drain', resolve).on('close', resolve);
  try {
    await unlessAborted(promise, signal);
  } finally {
    stream.off('drain', resolve).off('close', resolve);
  }
}
