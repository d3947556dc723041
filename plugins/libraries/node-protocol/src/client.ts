import { connect, constants } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream, SecureClientSessionOptions } from 'node:http2';
import { SextantError, errorCodes, unlessAborted } from '@sextant/core';
import type { Caller, ErrorCode } from '@sextant/core';
import type { CallerSigner } from './claims.ts';
import { FrameReader } from './frames.ts';
import type { Frame, SentError } from './frames.ts';
import type { AnswerOf, ArgumentsOf, Method, Methods } from './method.ts';
import { protocolHeader, protocolVersion, windows } from './wire.ts';

/** What surrounds one call of a node. */
export interface CallOptions {
  /** Undefined: the host asks for itself. */
  readonly caller: Caller | undefined;
  readonly signal: AbortSignal;
  /** Of the placement by which the node was chosen. */
  readonly epoch?: string;
  /** Milliseconds until the node gives up; longest unless said. */
  readonly deadlineMs?: number;
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
    for await (const value of this.#frames(name, args, options)) return value as AnswerOf<M[K]>;
    throw new NodeRefusal(this.node, 'answered nothing');
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
    const { signal } = options;
    signal.throwIfAborted();
    const method = this.#options.methods[name] as Method;
    const stream = this.#request(name, options);
    const cancel = (): void => stream.close(constants.NGHTTP2_CANCEL);
    signal.addEventListener('abort', cancel, { once: true });
    const status = new Promise<number>((resolve, reject) => {
      stream.once('response', ({ ':status': code, [protocolHeader]: version = '0' }) => {
        if (Number(version) === protocolVersion) resolve(Number(code));
        else reject(this.#otherVersion(String(version)));
      });
      stream.once('error', reject);
      stream.once('close', () => reject(new Error('its connection was closed')));
    });
    status.catch(() => undefined);
    stream.end(JSON.stringify(args));
    let isDone = false;
    try {
      const code = await unlessAborted(status, signal);
      if (code === 200) options.onAccepted?.();
      for await (const frame of framesOf(stream, signal)) {
        if ('value' in frame) yield method.result.parse(frame.value);
        if (!method.isStream || !('value' in frame)) isDone = true;
        if ('error' in frame) throw this.#thrown(frame.error, code);
        if (isDone) return;
      }
      throw new Error('it broke off');
    } catch (error) {
      signal.throwIfAborted();
      if (isDone || error instanceof SextantError || error instanceof NodeRefusal) throw error;
      throw new NodeRefusal(this.node, 'cannot be reached', { cause: error });
    } finally {
      signal.removeEventListener('abort', cancel);
      if (!isDone) cancel();
    }
  }

  #request(name: string, { caller, epoch = '', deadlineMs }: CallOptions): ClientHttp2Stream {
    const { signer, node } = this.#options;
    try {
      return this.#connected().request({
        ':method': 'POST',
        ':path': `/${name}`,
        authorization: `Bearer ${signer.claimsFor(caller, node)}`,
        'sextant-epoch': epoch,
        ...(deadlineMs !== undefined && { 'sextant-deadline-ms': Math.ceil(deadlineMs) }),
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
