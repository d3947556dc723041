import { isSextantError, requireMcpAccess } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { SUPPORTED_PROTOCOL_VERSIONS as sessionRevisions } from '@modelcontextprotocol/server';
import { HTTPResponse } from 'h3';
import type { H3Event } from 'h3';
import {
  errorResponse,
  headersOf,
  jsonResponse,
  methodNotAllowed,
  statusOf,
  textResponse,
} from '../http/errors-http.ts';
import { readText } from '../http/limits.ts';
import type { Generation } from '../server/generation.ts';
import type { ListenerState } from '../http/listening/listener-state.ts';
import { recordRefusal } from '../http/record-refusal.ts';
import { enterCall, requestIdOf, requireCaller, whenClosed } from '../http/request-context.ts';
import { RightsWatch } from '../http/rights-watch.ts';
import { canceledByClient } from './cancellations.ts';
import { RpcError, rpcCodes } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { decode } from './messages/json-rpc.ts';
import type { RpcNotification, RpcRequest } from './messages/json-rpc.ts';
import { Methods } from './methods.ts';
import { traceParentIn } from '../metrics/trace-parent.ts';
import { progressSender, progressTokenOf } from './messages/progress.ts';
import { EventReply, jsonReply } from './messages/reply.ts';
import type { SessionEra } from './session-era.ts';
import { StatelessEra, claimsStatelessEra, statelessRevision } from './stateless-era.ts';

type Answer = HTTPResponse | Response;

export interface McpEndpointOptions {
  path: string;
  generation: Generation;
  state: ListenerState;
}

/** One MCP endpoint over HTTP: lets callers in, has their messages answered by the era of each, and refuses the rest. */
export class McpEndpoint {
  readonly #path: string;
  readonly #requestBytes: number;
  readonly #generation: Generation;
  readonly #state: ListenerState;
  /** Loaded in the background: its SDK takes a large part of the start, and plugins work meanwhile. */
  readonly #session: Promise<SessionEra>;
  readonly #stateless: StatelessEra;

  constructor({ path, generation, state }: McpEndpointOptions) {
    const { log, telemetry, toolCalls, processorTime } = state;
    const methods = new Methods({ endpoint: path, generation, log, telemetry, toolCalls, processorTime });
    this.#path = path;
    this.#requestBytes = generation.settings.limits.requestBytes;
    [this.#generation, this.#state] = [generation, state];
    this.#session = import('./session-era.ts').then((era) => new era.SessionEra(methods));
    this.#stateless = new StatelessEra(methods);
  }

  async respond(event: H3Event): Promise<Answer> {
    try {
      // Before the method is looked at: clients discover how to sign in from the 401 of a GET, too.
      const caller = await this.#admit(event);
      if (event.req.method !== 'POST') return methodNotAllowed('POST');
      return await this.#answer(event, caller);
    } catch (thrown) {
      return this.#refuse(event, thrown);
    }
  }

  async #admit(event: H3Event): Promise<Caller> {
    const caller = await requireCaller(event, this.#generation, 'explicit');
    requireMcpAccess(caller);
    return caller;
  }

  /** Answers a POST. Throws an `RpcError` or `SextantError` for what is refused as a whole. */
  async #answer(event: H3Event, caller: Caller): Promise<Answer> {
    requireJson(event.req);
    const count = countOnce(() => enterCall(event, caller, this.#state));
    // A large body counts before it is read: callers could fill the memory with messages that never end.
    const incoming = decode(await readText(event.req, { limit: this.#requestBytes, whenLarge: count }));
    if (incoming.kind === 'response') return accepted();
    const received = { event, caller, count, message: incoming.message, era: eraOf(incoming.message, event.req) };
    if (incoming.kind === 'notification') return this.#take(received);
    return this.#answerRequest({ ...received, message: incoming.message });
  }

  async #take(received: Received): Promise<Answer> {
    const { event, caller, message, era } = received;
    if (message.method === 'notifications/cancelled')
      this.#state.cancellations.cancel({ credential: caller.credential, endpoint: this.#path }, message.params);
    if (era === 'session') return accepted();
    // Only to have its headers compared with its body.
    const exchange = this.#exchangeOf(received, event.req.signal);
    return this.#stateless.answer({ request: event.req, message, exchange, wantsEvents: false });
  }

  async #answerRequest(received: Received & { message: RpcRequest }): Promise<Answer> {
    const { event, caller, message, era } = received;
    received.count();
    const controller = new AbortController();
    const leave = this.#state.cancellations.enter(
      { credential: caller.credential, endpoint: this.#path, id: message.id },
      controller,
    );
    whenClosed(event, (isComplete) => {
      leave();
      if (!isComplete) controller.abort();
    });
    const rights = new RightsWatch({
      event,
      generation: this.#generation,
      state: this.#state,
      caller,
      accepted: 'explicit',
    });
    rights.lost.addEventListener('abort', () => controller.abort());
    const exchange = {
      ...this.#exchangeOf(received, controller.signal),
      requireRights: () => rights.require(),
    };
    const wantsEvents = acceptsEvents(event.req.headers.get('accept'));
    if (era === 'session') return this.#answerInSession(message, exchange, wantsEvents);
    requireServed(message);
    return this.#stateless.answer({ request: event.req, message, exchange, wantsEvents });
  }

  async #answerInSession(message: RpcRequest, exchange: Exchange, wantsEvents: boolean): Promise<Answer> {
    const session = await this.#session;
    if (!wantsEvents) return jsonReply(await session.answer(message, exchange));
    const reply = new EventReply();
    const answering = session.answer(message, { ...exchange, ...progressOver(reply, message) });
    // A client that canceled expects nothing more on the stream.
    void answering.then((bytes) => reply.end(exchange.signal.reason === canceledByClient ? undefined : bytes));
    return reply.response;
  }

  #exchangeOf({ event, caller, message }: Received, signal: AbortSignal): Exchange {
    const sender = { credential: caller.credential, userAgent: event.req.headers.get('user-agent') };
    return {
      caller,
      clientName: this.#state.clientNames.nameIn(message, sender),
      requestId: requestIdOf(event),
      traceParent: traceParentIn(event.req),
      signal,
    };
  }

  #refuse(event: H3Event, thrown: unknown): HTTPResponse {
    if (thrown instanceof RpcError) {
      recordRefusal(this.#state, { code: 'bad_request' });
      return jsonResponse(thrown.status, thrown);
    }
    if (!isSextantError(thrown)) throw thrown;
    recordRefusal(this.#state, thrown, event);
    const { code, message } = thrown;
    switch (code) {
      case 'unauthenticated':
        return jsonResponse(401, { error: { code, message } }, { 'www-authenticate': `Bearer ${this.#challenge}` });
      case 'insufficient_scope':
        return jsonResponse(
          403,
          { error: { code, message } },
          { 'www-authenticate': `Bearer error="${code}", ${this.#challenge}` },
        );
      case 'forbidden':
        return textResponse(403, 'forbidden');
      case 'exhausted':
      case 'too_large':
        return jsonResponse(statusOf[code], new RpcError(rpcCodes.refused, message), headersOf(thrown));
      default:
        return errorResponse(thrown);
    }
  }

  /** Where a client learns how to get a token (RFC 9728 section 5.1). */
  get #challenge(): string {
    const { externalURL } = this.#generation;
    return `resource_metadata="${externalURL}/.well-known/oauth-protected-resource${this.#path}", scope="mcp"`;
  }
}

/** A message of a caller who was let in. */
interface Received {
  event: H3Event;
  caller: Caller;
  message: RpcRequest | RpcNotification;
  era: Era;
  /** Counts it among the calls in flight. Throws `exhausted`. */
  count(): void;
}

function countOnce(enter: () => void): () => void {
  let isCounted = false;
  return () => {
    if (!isCounted) enter();
    isCounted = true;
  };
}

type Era = 'session' | 'stateless';

/** By the header; where there is none, by what the message itself says. `initialize` is how older clients negotiate. */
function eraOf(message: RpcRequest | RpcNotification, { headers }: Request): Era {
  const requested = headers.get('mcp-protocol-version');
  if (claimsStatelessEra(message)) return 'stateless';
  if (message.method === 'initialize' || requested === null || sessionRevisions.includes(requested)) return 'session';
  if (requested === statelessRevision) return 'stateless';
  const supported = [statelessRevision, ...sessionRevisions];
  throw new RpcError(
    rpcCodes.unsupportedProtocolVersion,
    `Unsupported protocol version: ${requested.slice(0, 40)} (supported versions: ${supported.join(', ')})`,
    { data: { supported, requested: requested.slice(0, 40) }, ...('id' in message && { id: message.id }) },
  );
}

function requireJson({ headers }: Request): void {
  const type = headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new RpcError(rpcCodes.refused, 'Content-Type must be application/json', { status: 415 });
}

/** A stream of changes would have to stay open for ever; the lists say how long they hold instead. */
function requireServed({ id, method }: RpcRequest): void {
  if (method !== 'subscriptions/listen') return;
  throw new RpcError(rpcCodes.methodNotFound, 'Method not found: this server announces no changes', {
    id,
    status: 404,
  });
}

function progressOver(reply: EventReply, message: RpcRequest): Pick<Exchange, 'reportProgress'> {
  const progressToken = progressTokenOf(message);
  if (progressToken === undefined) return {};
  const send = (params: object): void => reply.send({ jsonrpc: '2.0', method: 'notifications/progress', params });
  return { reportProgress: progressSender(progressToken, send) };
}

const acceptsEvents = (accept: string | null): boolean =>
  (accept ?? '')
    .split(',')
    .some((range) => /^\s*text\/event-stream\s*(;|$)/i.test(range) && !/;\s*q=0(\.0*)?\s*$/i.test(range));

/** What is sent to acknowledge a message that has no answer. */
const accepted = (): HTTPResponse => new HTTPResponse(null, { status: 202 });
