import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { InitializeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { answerBytes } from './answer-bytes.ts';
import { RpcError, rpcCodes } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { capabilities, serverInfo } from './identity.ts';
import type { RpcRequest } from './json-rpc.ts';
import type { ToolTable } from './tool-table.ts';

/** One endpoint for clients that begin with `initialize`, or with nothing: no session is ever required. */
export class SessionEra {
  readonly #transport = new MuxTransport();
  readonly #connected: Promise<void>;
  readonly #list: object;
  #listBytes: Buffer | undefined;

  constructor(table: ToolTable) {
    this.#list = table.list;
    const server = new Server(serverInfo, { capabilities, instructions: table.instructions });
    // Instead of typed handlers, which would parse with zod what the tool table checks itself, once more and twice for results.
    server.fallbackRequestHandler = async ({ method, params }, { requestId }) => {
      if (method === 'tools/call') return table.call(params, this.#transport.exchangeOf(requestId));
      if (method === 'tools/list') return table.page(params);
      throw new RpcError(rpcCodes.methodNotFound, `Method not found: ${method.slice(0, 100)}`);
    };
    this.#connected = server.connect(this.#transport);
  }

  /** The message that answers a request, with a result or an error, in UTF-8. */
  async answer(request: RpcRequest, exchange: Exchange): Promise<Buffer<ArrayBuffer>> {
    await this.#connected;
    const answer = await this.#transport.ask(request, exchange);
    const problem = 'error' in answer && request.method === 'initialize' ? problemOf(request) : undefined;
    return problem ? Buffer.from(JSON.stringify(problem)) : this.#bytesOf(answer);
  }

  /** The list of tools is by far the longest result that is always the same: it becomes bytes once. */
  #bytesOf(answer: JSONRPCMessage): Buffer<ArrayBuffer> {
    if (!('result' in answer) || answer.result !== this.#list) return answerBytes(answer);
    this.#listBytes ??= Buffer.from(`${JSON.stringify(this.#list)}}`);
    return Buffer.concat([
      Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(answer.id)},"result":`),
      this.#listBytes,
    ]);
  }
}

/** What is wrong with an introduction: the SDK answers an internal error. */
function problemOf({ id, method, params }: RpcRequest): RpcError | undefined {
  const issue = InitializeRequestSchema.safeParse({ method, params }).error?.issues[0];
  return (
    issue && new RpcError(rpcCodes.invalidParams, `initialize: "${issue.path.join('.')}": ${issue.message}`, { id })
  );
}

interface Pending {
  readonly id: string | number;
  readonly exchange: Exchange;
  resolve(answer: JSONRPCMessage): void;
}

/**
 * Lets one server answer the requests of all clients of an endpoint at once, which is several times faster than a server
 * for each request. Clients choose their ids without knowing of each other, so ids are replaced on the way in and out.
 */
class MuxTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #pending = new Map<string | number, Pending>();
  #lastId = 0;

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  ask({ id, method, params }: RpcRequest, exchange: Exchange): Promise<JSONRPCMessage> {
    this.#lastId += 1;
    const muxed = this.#lastId;
    return new Promise((resolve) => {
      this.#pending.set(muxed, { id, exchange, resolve });
      this.onmessage?.({ jsonrpc: '2.0', id: muxed, method, ...(params && { params }) });
    });
  }

  /** The exchange behind an id that the server was given. */
  exchangeOf(muxed: string | number): Exchange {
    const pending = this.#pending.get(muxed);
    if (!pending) throw new Error(`no exchange ${muxed} is pending`);
    return pending.exchange;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message || message.id === undefined) return;
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    pending?.resolve({ ...message, id: pending.id });
  }
}
