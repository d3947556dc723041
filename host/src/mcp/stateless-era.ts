import { PROTOCOL_VERSION_META_KEY, Server, createMcpHandler } from '@modelcontextprotocol/server';
import type { McpHttpHandler, ServerContext } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import type { ToolResult } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { capabilities, serverInfo } from './identity.ts';
import { isRecord } from './json-rpc.ts';
import type { Params, RpcNotification, RpcRequest } from './json-rpc.ts';
import { progressSender, progressTokenOf } from './progress.ts';
import type { ProgressToken } from './progress.ts';
import type { ToolList, ToolTable } from './tool-table.ts';

/** The revision that has neither `initialize` nor sessions: each request says in `_meta` what it needs. */
export const statelessRevision = '2026-07-28';

/** How long a client may keep the list of tools. A change of the configuration is then seen a minute later. */
const listTtlMs = 60_000;

/** Made once: a server makes its own where it is given none, which costs more than a call. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** Where a server gets its answers from. */
export interface Answers {
  instructions: string;
  page(params: Params | undefined): ToolList;
  call(params: Params | undefined, context: ServerContext): Promise<ToolResult>;
}

/** A server of the second SDK line. It keeps state of one connection, so there is one for each request or pipe. */
export function newServer({ instructions, page, call }: Answers): Server {
  const cacheHints = { 'tools/list': { ttlMs: listTtlMs, cacheScope: 'private' } } as const;
  const server = new Server(serverInfo, { capabilities, instructions, jsonSchemaValidator, cacheHints });
  server.setRequestHandler('tools/list', async ({ params }) => page(params));
  server.setRequestHandler('tools/call', ({ params }, context) => call(params, context));
  return server;
}

/** Sends progress in the exchange of the context under the client's token; nothing where it gave none. */
export function progressThrough(
  { mcpReq }: ServerContext,
  token: ProgressToken | undefined,
): Pick<Exchange, 'reportProgress'> {
  if (token === undefined) return {};
  return {
    reportProgress: progressSender(token, (params) => void mcpReq.notify({ method: 'notifications/progress', params })),
  };
}

/** One request of this era, with what its headers need to be compared to. */
export interface StatelessRequest {
  request: Request;
  message: RpcRequest | RpcNotification;
  exchange: Exchange;
  /** Whether the client reads event streams. */
  wantsEvents: boolean;
}

/** One endpoint for clients of the newest revision. */
export class StatelessEra {
  readonly #handlers: Readonly<Record<'events' | 'json', McpHttpHandler>>;
  readonly #table: ToolTable;
  readonly #instructions: string;
  readonly #served = new WeakMap<Request, StatelessRequest>();

  constructor(table: ToolTable) {
    this.#table = table;
    this.#instructions = table.instructions;
    const factory = ({ requestInfo }: { requestInfo?: Request }): Server => this.#serverFor(requestInfo);
    this.#handlers = {
      events: createMcpHandler(factory, { legacy: 'reject', responseMode: 'sse' }),
      // Becomes a stream only when progress is sent, and `#serverFor` sends none to a client that cannot read it.
      json: createMcpHandler(factory, { legacy: 'reject', responseMode: 'auto' }),
    };
  }

  async answer(served: StatelessRequest): Promise<Response> {
    this.#served.set(served.request, served);
    const handler = this.#handlers[served.wantsEvents ? 'events' : 'json'];
    return handler.fetch(served.request, { parsedBody: served.message });
  }

  #serverFor(request: Request | undefined): Server {
    const served = request && this.#served.get(request);
    if (!served) throw new Error('a server was made for a request that is not being answered');
    const { exchange, message, wantsEvents } = served;
    return newServer({
      instructions: this.#instructions,
      page: (params) => this.#table.page(params),
      call: (params, context) =>
        this.#table.call(params, {
          ...exchange,
          ...(wantsEvents && progressThrough(context, progressTokenOf(message))),
        }),
    });
  }
}

/** Whether a message claims in itself to be of this era. */
export function claimsStatelessEra({ method, params }: RpcRequest | RpcNotification): boolean {
  const meta = params?.['_meta'];
  return method === 'server/discover' || (isRecord(meta) && PROTOCOL_VERSION_META_KEY in meta);
}
