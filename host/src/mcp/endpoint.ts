import { isSextantError, requireMcpAccess } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { H3Event, HTTPResponse } from 'h3';
import {
  errorResponse,
  headersOf,
  jsonResponse,
  methodNotAllowed,
  statusOf,
  textResponse,
} from '../http/errors-http.ts';
import type { Generation } from '../server/generation.ts';
import type { ListenerState } from '../http/listener-state.ts';
import { recordRefusal } from '../http/record-refusal.ts';
import { requireCaller } from '../http/request-context.ts';
import { Dispatcher } from './dispatcher.ts';
import { RpcError, rpcCodes } from './errors.ts';

export interface McpEndpointOptions {
  path: string;
  generation: Generation;
  state: ListenerState;
}

/** One MCP endpoint over HTTP: who may come in, and how those are answered who may not. */
export class McpEndpoint {
  readonly #path: string;
  readonly #generation: Generation;
  readonly #state: ListenerState;
  readonly #dispatcher: Dispatcher;

  constructor(options: McpEndpointOptions) {
    this.#path = options.path;
    this.#generation = options.generation;
    this.#state = options.state;
    this.#dispatcher = new Dispatcher(options);
  }

  async respond(event: H3Event): Promise<HTTPResponse | Response> {
    try {
      // Before the method is looked at: clients discover how to sign in from the 401 of a GET, too.
      const caller = await this.#admit(event);
      if (event.req.method !== 'POST') return methodNotAllowed('POST');
      return await this.#dispatcher.answer(event, caller);
    } catch (thrown) {
      return this.#refuse(event, thrown);
    }
  }

  async #admit(event: H3Event): Promise<Caller> {
    const caller = await requireCaller(event, this.#generation, 'explicit');
    requireMcpAccess(caller);
    return caller;
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
