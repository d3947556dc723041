import {
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  Server,
  createMcpHandler,
} from '@modelcontextprotocol/server';
import type { McpHttpHandler, ServerContext } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import type { Exchange } from './exchange.ts';
import { serverInfo, serverName } from './identity.ts';
import { isRecord } from './messages/json-rpc.ts';
import type { Params, RpcNotification, RpcRequest } from './messages/json-rpc.ts';
import type { MethodName, MethodResults, Methods } from './methods.ts';
import { progressSender, progressTokenOf } from './messages/progress.ts';
import type { ProgressToken } from './messages/progress.ts';

/** The revision that has neither `initialize` nor sessions: each request says in `_meta` what it needs. */
export const statelessRevision = '2026-07-28';

/** How long a client may keep the list of tools. A change of the configuration is then seen a minute later. */
const listTtlMs = 60_000;

/** Made once: a server makes its own where it is given none, which costs more than a call. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** In each answer instead of all that the server tells of itself, which the SDK would repeat. */
const nameStamp = { [SERVER_INFO_META_KEY]: serverName };

/** Where a server gets its answers from. */
export interface Answers {
  /** Those in force now. */
  methods(): Methods;
  /** Answers one request with what `work` makes of its exchange. */
  during<T extends Readonly<Record<string, unknown>>>(
    context: ServerContext,
    work: (exchange: Exchange) => Promise<T>,
  ): Promise<T>;
}

const listHint = { ttlMs: listTtlMs, cacheScope: 'private' } as const;
const cacheHints = {
  'tools/list': listHint,
  'resources/list': listHint,
  'resources/templates/list': listHint,
  'prompts/list': listHint,
};

/** A server of the second SDK line. It keeps state of one connection, so there is one for each request or pipe. */
export function newServer({ methods, during }: Answers): Server {
  const { capabilities, tools } = methods();
  const server = new Server(serverInfo, {
    capabilities,
    instructions: tools.instructions,
    jsonSchemaValidator,
    cacheHints,
  });
  const answering =
    <M extends MethodName>(method: M) =>
    ({ params }: { params?: Params | undefined }, context: ServerContext): Promise<MethodResults[M]> =>
      during(context, (exchange) => methods().answer(method, params, exchange));
  server.setRequestHandler('tools/list', answering('tools/list'));
  server.setRequestHandler('tools/call', answering('tools/call'));
  if (capabilities.resources) {
    server.setRequestHandler('resources/list', answering('resources/list'));
    server.setRequestHandler('resources/templates/list', answering('resources/templates/list'));
    server.setRequestHandler('resources/read', answering('resources/read'));
  }
  if (capabilities.prompts) {
    server.setRequestHandler('prompts/list', answering('prompts/list'));
    server.setRequestHandler('prompts/get', answering('prompts/get'));
  }
  if (capabilities.completions) server.setRequestHandler('completion/complete', answering('completion/complete'));
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
  readonly #methods: Methods;
  readonly #served = new WeakMap<Request, StatelessRequest>();

  constructor(methods: Methods) {
    this.#methods = methods;
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
      methods: () => this.#methods,
      during: async (context, work) => {
        const progress = wantsEvents ? progressThrough(context, progressTokenOf(message)) : {};
        return { ...(await work({ ...exchange, ...progress })), _meta: nameStamp };
      },
    });
  }
}

/** Whether a message claims in itself to be of this era. */
export function claimsStatelessEra({ method, params }: RpcRequest | RpcNotification): boolean {
  const meta = params?.['_meta'];
  return method === 'server/discover' || (isRecord(meta) && PROTOCOL_VERSION_META_KEY in meta);
}
