import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { RpcError, rpcCodes } from '../errors.ts';
import { decode } from './json-rpc.ts';
import type { Incoming } from './json-rpc.ts';

export interface LineTransportOptions {
  input: Readable;
  output: Writable;
  /** Longest line; a longer one ends the connection, for where its message ends nobody can tell. */
  maxBytes: number;
}

/**
 * One message a line. Unlike the SDK's own transport it refuses batches, and answers lines that are no message. When the
 * input ends it still waits for the answers, so that requests can be piped in.
 */
export class LineTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** Resolves when nothing more is read or written. */
  readonly closed: Promise<void>;
  readonly #resolveClosed: () => void;
  readonly #options: LineTransportOptions;
  readonly #unanswered = new Set<string | number>();
  #rest = Buffer.alloc(0);
  #hasEnded = false;
  #isClosed = false;

  constructor(options: LineTransportOptions) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#resolveClosed = resolve;
    this.#options = options;
  }

  async start(): Promise<void> {
    const { input, output } = this.#options;
    input.on('data', this.#receive);
    input.once('end', () => this.#end(Buffer.from('\n')));
    input.once('error', () => void this.close());
    output.once('error', () => void this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#isClosed) this.#options.output.write(`${JSON.stringify(message)}\n`);
    if (!('method' in message) && message.id !== undefined) this.#unanswered.delete(message.id);
    this.#closeWhenDone();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.input.off('data', this.#receive).pause();
    this.onclose?.();
    this.#resolveClosed();
  }

  readonly #receive = (chunk: Buffer | string): void => {
    const received = Buffer.concat([this.#rest, Buffer.from(chunk)]);
    const end = received.lastIndexOf('\n') + 1;
    this.#rest = received.subarray(end);
    for (const line of received.toString('utf8', 0, end).split('\n')) if (line.trim() !== '') this.#take(line);
    if (this.#rest.length <= this.#options.maxBytes) return;
    this.#refuse(new RpcError(rpcCodes.refused, `a message is longer than ${this.#options.maxBytes} bytes`));
    void this.close();
  };

  #end(lastLineEnd: Buffer): void {
    this.#receive(lastLineEnd);
    this.#hasEnded = true;
    this.#closeWhenDone();
  }

  #take(line: string): void {
    try {
      this.#deliver(decode(line));
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown;
      this.#refuse(thrown);
    }
  }

  #deliver(incoming: Incoming): void {
    if (incoming.kind === 'response') return;
    const { message } = incoming;
    if (incoming.kind === 'request') this.#unanswered.add(incoming.message.id);
    const canceled = message.method === 'notifications/cancelled' && message.params?.['requestId'];
    // A request that was canceled is never answered.
    if (typeof canceled === 'string' || typeof canceled === 'number') this.#unanswered.delete(canceled);
    this.onmessage?.({ ...message });
  }

  #refuse(error: RpcError): void {
    this.#options.output.write(`${JSON.stringify(error)}\n`);
  }

  #closeWhenDone(): void {
    if (this.#hasEnded && this.#unanswered.size === 0) void this.close();
  }
}
