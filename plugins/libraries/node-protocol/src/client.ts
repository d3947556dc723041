import { connect, constants } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream, SecureClientSessionOptions } from 'node:http2';
import { SextantError, deadlineOf, errorCodes, unlessAborted } from '@sextant/core';
import type { Caller, ErrorCode } from '@sextant/core';
import type { CallerSigner } from './claims.ts';
import { FrameReader } from './frames.ts';
import type { Frame, SentError } from './frames.ts';
import type { AnswerOf, ArgumentsOf, Method, Methods } from './method.ts';
import { protocolHeader, protocolVersion, windows } from './wire.ts';

/** Milliseconds that a node has longer than its host, whose error says more. */
const graceMs = 1000;
/** Characters of what a schema says of an answer. */
const mostProblem = 500;

/** What surrounds one call of a node. */
export interface CallOptions {
  /** Undefined: the host asks for itself. */
  readonly caller: Caller | undefined;
  /** Its deadline goes to the node, which gives up a little later. */
  readonly signal: AbortSignal;
  /** Of the placement by which the node was chosen. */
  readonly epoch?: string;
  /** Called when the node has accepted the call: from then on it works on it. */
  onAccepted?(): void;
}

/** A node that did not take a call, or broke off: another copy may be asked. */
export class NodeRefusal extends Error {
  readonly node: string;
  /** Of HTTP; undefined where there was no answer. */
  readonly status: number | undefined;

  constructor(node: string, message: string, details: { status?: number | undefined; cause?: unknown } = {}) {
    super(`the node ${node} ${message}`, { cause: details.cause });
    this.node = node;
    this.status = details.status;
  }
}

/** An answer that its schema does not have: the node runs another release, or has a defect. */
export class MalformedAnswer extends NodeRefusal {
  readonly method: string;

  constructor(node: string, method: string, problem: string) {
    super(node, `answered ${method} with what the protocol does not have: ${problem}`);
    this.method = method;
  }
}

interface Sending {
  readonly options: CallOptions;
  onFailure(error: Error): void;
}

/** A call under way. */
interface Sent {
  readonly stream: ClientHttp2Stream;
  readonly name: string;
  readonly method: Method;
  /** Of HTTP; 0 until the answer begins. */
  readonly status: number;
  /** All was answered. */
  end(): void;
  /** No more of an answer is wanted. */
  cancel(): void;
}

export interface NodeClientOptions<M extends Methods> {
  /** Its name in the cluster. */
  readonly node: string;
  readonly url: string;
  readonly methods: M;
  readonly signer: CallerSigner;
  /** Certificate and key of this host, and the authority of nodes. */
  readonly tls: Pick<SecureClientSessionOptions, 'ca' | 'cert' | 'key'> | undefined;
}

/** Asks one node. Keeps one connection, and makes another when that one broke. */
export class NodeClient<M extends Methods> {
  readonly #options: NodeClientOptions<M>;
  #session: ClientHttp2Session | undefined;

  constructor(options: NodeClientOptions<M>) {
    this.#options = options;
  }

  get node(): string {
    return this.#options.node;
  }

  get url(): string {
    return this.#options.url;
  }

  /** Throws what the method throws on the node, and `NodeRefusal` where the node did not answer to the end. */
  async call<K extends keyof M & string>(
    name: K,
    args: ArgumentsOf<M[K]>,
    options: CallOptions,
  ): Promise<AnswerOf<M[K]>> {
    const { promise, resolve, reject } = Promise.withResolvers<Frame>();
    const sent = this.#send(name, args, { options, onFailure: reject });
    const reader = new FrameReader();
    sent.stream.on('data', (piece: Buffer) => {
      try {
        for (const frame of reader.read(piece)) resolve(frame);
      } catch (error) {
        reject(error);
      }
    });
    try {
      const frame = await promise;
      sent.end();
      return this.#valueIn(frame, sent) as AnswerOf<M[K]>;
    } catch (error) {
      throw this.#failure(error, options.signal);
    } finally {
      sent.cancel();
    }
  }

  stream<K extends keyof M & string>(
    name: K,
    args: ArgumentsOf<M[K]>,
    options: CallOptions,
  ): AsyncGenerator<AnswerOf<M[K]>> {
    return this.#frames(name, args, options) as AsyncGenerator<AnswerOf<M[K]>>;
  }

  close(): void {
    this.#session?.destroy();
  }

  async *#frames(name: string, args: unknown, options: CallOptions): AsyncGenerator<unknown> {
    const sent = this.#send(name, args, { options, onFailure: (error) => sent.stream.destroy(error) });
    try {
      for await (const frame of framesOf(sent.stream, options.signal)) {
        if ('end' in frame) return sent.end();
        yield this.#valueIn(frame, sent);
      }
      throw new Error('it broke off');
    } catch (error) {
      throw this.#failure(error, options.signal);
    } finally {
      sent.cancel();
    }
  }

  /** Sends a call. `onFailure` is told why no answer comes, or no more of it. */
  #send(name: string, args: unknown, { options, onFailure }: Sending): Sent {
    const { signal } = options;
    signal.throwIfAborted();
    const stream = this.#request(name, options);
    const sent = { stream, name, method: this.#options.methods[name] as Method, status: 0, isOver: false };
    const end = (): void => {
      sent.isOver = true;
      signal.removeEventListener('abort', abort);
    };
    const cancel = (): void => {
      if (!sent.isOver) stream.close(constants.NGHTTP2_CANCEL);
      end();
    };
    const abort = (): void => {
      cancel();
      onFailure(signal.reason);
    };
    signal.addEventListener('abort', abort);
    stream.once('response', ({ ':status': status, [protocolHeader]: version = '0' }) => {
      if (Number(version) !== protocolVersion) return onFailure(this.#otherVersion(String(version)));
      sent.status = Number(status);
      if (sent.status === 200) options.onAccepted?.();
    });
    stream.once('error', onFailure);
    stream.once('close', () => void (sent.isOver || onFailure(new Error('its connection was closed'))));
    stream.end(JSON.stringify(args));
    return Object.assign(sent, { end, cancel });
  }

  #valueIn(frame: Frame, { name, method, status }: Sent): unknown {
    if ('value' in frame) {
      const read = method.result.safeParse(frame.value);
      if (read.success) return read.data;
      const problem = read.error.message.slice(0, mostProblem);
      throw new MalformedAnswer(this.node, name, problem);
    }
    throw 'error' in frame ? this.#thrown(frame.error, status) : new NodeRefusal(this.node, 'answered nothing');
  }

  /** What the caller is told. */
  #failure(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    if (error instanceof SextantError || error instanceof NodeRefusal) return error;
    return new NodeRefusal(this.node, 'cannot be reached', { cause: error });
  }

  #request(name: string, { caller, epoch = '', signal }: CallOptions): ClientHttp2Stream {
    const { signer, node } = this.#options;
    const deadline = deadlineOf(signal);
    try {
      return this.#connected().request({
        ':method': 'POST',
        ':path': `/${name}`,
        authorization: `Bearer ${signer.claimsFor(caller, node)}`,
        'sextant-epoch': epoch,
        ...(deadline !== undefined && {
          'sextant-deadline-ms': Math.max(1, Math.ceil(deadline - performance.now() + graceMs)),
        }),
      });
    } catch (error) {
      throw new NodeRefusal(node, 'cannot be reached', { cause: error });
    }
  }

  #connected(): ClientHttp2Session {
    const known = this.#session;
    if (known && !known.closed && !known.destroyed) return known;
    const { url, tls } = this.#options;
    const session = connect(url, { settings: windows.settings, minVersion: 'TLSv1.3', ...tls });
    session.on('connect', () => session.setLocalWindowSize(windows.session));
    // Each call tells of it.
    session.on('error', () => undefined);
    session.unref();
    this.#session = session;
    return session;
  }

  #otherVersion(version: string): NodeRefusal {
    const message = `speaks version ${version} of the protocol of nodes, and this host ${protocolVersion}: run one release`;
    return new NodeRefusal(this.node, message);
  }

  #thrown({ code, message, retryAfterSeconds }: SentError, status: number): Error {
    if (status !== 200) return new NodeRefusal(this.node, `refused the call: ${message}`, { status });
    const known = errorCodes.find((each): each is ErrorCode => each === code) ?? 'internal';
    return new SextantError(known, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
  }
}

async function* framesOf(stream: ClientHttp2Stream, signal: AbortSignal): AsyncGenerator<Frame> {
  const reader = new FrameReader();
  const pieces = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await unlessAborted(pieces.next(), signal);
    if (done) return;
    yield* reader.read(value);
  }
}
