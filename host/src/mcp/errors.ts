import type { ErrorCode, SextantError } from '@sextant/core';
import { retrySecondsOf } from '../http/errors-http.ts';
import type { Params } from './messages/json-rpc.ts';

/** Error codes of JSON-RPC 2.0, and those that MCP adds. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  refused: -32000,
  /** Of revisions before 2026-07-28; the SDK sends newer clients `invalidParams`. */
  resourceNotFound: -32002,
  unsupportedProtocolVersion: -32022,
} as const;

export type RpcId = string | number | null;

export interface RpcErrorDetails {
  /** The HTTP status where the error is the whole answer to a POST. */
  status?: number;
  id?: RpcId;
  data?: unknown;
}

/** A failure that is answered as an error of the protocol. Both SDKs pass `code`, `message` and `data` on. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly status: number;
  readonly id: RpcId;
  readonly data: unknown;

  constructor(code: number, message: string, { status = 400, id = null, data }: RpcErrorDetails = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.id = id;
    this.data = data;
  }

  toJSON(): object {
    const { code, message, data } = this;
    return { jsonrpc: '2.0', id: this.id, error: { code, message, ...(data !== undefined && { data }) } };
  }
}

/** A result of `tools/call`, as both protocol eras have it. */
export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  [key: string]: unknown;
}

/**
 * Decides how the failure of a tool reaches the client; no other place does. As a result, the model reads it and can do
 * better. As an error of the protocol, only the client's program sees it.
 */
const channelOf: Readonly<Record<ErrorCode, 'result' | 'protocol'>> = {
  invalid_argument: 'result',
  not_found: 'result',
  unauthenticated: 'result',
  insufficient_scope: 'result',
  forbidden: 'result',
  conflict: 'result',
  too_large: 'result',
  exhausted: 'result',
  timeout: 'result',
  unavailable: 'result',
  internal: 'result',
  // Nobody waits for it any more.
  canceled: 'protocol',
};

/**
 * The result that tells a model what went wrong, and its program when to try again. Throws an `RpcError` for what a model
 * need not know.
 */
export function toErrorResult(error: SextantError): ToolResult {
  const { code, message } = error;
  if (channelOf[code] === 'protocol') throw new RpcError(rpcCodes.refused, message);
  const retryAfterSeconds = retrySecondsOf(error);
  const typed = retryAfterSeconds !== undefined && { _meta: { 'sextant/error': { code, retryAfterSeconds } } };
  return { content: [{ type: 'text', text: message }], isError: true, ...typed };
}

/** Throws for a cursor: every list of this server has one page only. */
export function requireFirstPage(method: string, params: Params | undefined): void {
  if (params?.['cursor'] === undefined) return;
  throw new RpcError(rpcCodes.invalidParams, `unknown cursor; ${method} has one page, ask for it without a cursor`);
}
