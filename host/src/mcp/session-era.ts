import { messageOf } from '@sextant/core';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { InitializeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { answerBytes } from './messages/answer-bytes.ts';
import { RpcError, rpcCodes } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { serverInfo } from './identity.ts';
import type { RpcRequest } from './messages/json-rpc.ts';
import type { Methods } from './methods.ts';

/** One endpoint for clients that begin with `initialize`, or with nothing: no session is ever required. */
export class SessionEra {
  readonly #methods: Methods;
  readonly #transport = new MuxTransport();
  readonly #connected: Promise<void>;
  #listBytes: Buffer | undefined;

  constructor(methods: Methods) {
    this.#methods = methods;
    const { capabilities, tools } = methods;
    const server = new Server(serverInfo, { capabilities, instructions: tools.instructions });
    server.fallbackRequestHandler = async ({ method }) => {
      throw new RpcError(rpcCodes.methodNotFound, `Method not found: ${method.slice(0, 100)}`);
    };
    this.#connected = server.connect(this.#transport);
  }

  /** The message that answers a request, with a result or an error, in UTF-8. */
  async answer(request: RpcRequest, exchange: Exchange): Promise<Buffer<ArrayBuffer>> {
    const { id, method, params } = request;
    // Not through the SDK, which keeps state of each request and validates each message more than once.
    if (this.#methods.has(method))
      return this.#bytesOf(await resultOf(id, () => this.#methods.answer(method, params, exchange)));
    await this.#connected;
    const answer = await this.#transport.ask(request);
    const problem = 'error' in answer && method === 'initialize' ? problemOf(request) : undefined;
    return problem ? Buffer.from(JSON.stringify(problem)) : answerBytes(answer);
  }

  /** The list of tools is by far the longest result that is always the same: it becomes bytes once. */
  #bytesOf(answer: JSONRPCMessage): Buffer<ArrayBuffer> {
    const { list } = this.#methods.tools;
    if (!('result' in answer) || answer.result !== list) return answerBytes(answer);
    this.#listBytes ??= Buffer.from(`${JSON.stringify(list)}}`);
    return Buffer.concat([
      Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(answer.id)},"result":`),
      this.#listBytes,
    ]);
  }
}

type RequestId = RpcRequest['id'];

/** The message with the result of a request, or the error that it ended with. */
async function resultOf(id: RequestId, run: () => Promise<Readonly<Record<string, unknown>>>): Promise<JSONRPCMessage> {
  try {
    return { jsonrpc: '2.0', id, result: await run() };
  } catch (error) {
    const { code, message, data } =
      error instanceof RpcError ? error : new RpcError(rpcCodes.internalError, messageOf(error));
    return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
  }
}

/** Checks `initialize` before the SDK, which answers an internal error. */
function problemOf({ id, method, params }: RpcRequest): RpcError | undefined {
  const issue = InitializeRequestSchema.safeParse({ method, params }).error?.issues[0];
  return (
    issue && new RpcError(rpcCodes.invalidParams, `initialize: "${issue.path.join('.')}": ${issue.message}`, { id })
  );
}

interface Pending {
  readonly id: RequestId;
  resolve(answer: JSONRPCMessage): void;
}

/**
 * Lets one server answer the requests of all clients of an endpoint at once, which is faster than a server for each
 * request. Clients choose their ids without knowing of each other, so ids are replaced on the way in and out.
 */
class MuxTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #pending = new Map<RequestId, Pending>();
  #lastId = 0;

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  ask({ id, method, params }: RpcRequest): Promise<JSONRPCMessage> {
    this.#lastId += 1;
    const muxed = this.#lastId;
    return new Promise((resolve) => {
      this.#pending.set(muxed, { id, resolve });
      this.onmessage?.({ jsonrpc: '2.0', id: muxed, method, ...(params && { params }) });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message || message.id === undefined) return;
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    pending?.resolve({ ...message, id: pending.id });
  }
}
