import { RpcError, rpcCodes } from '../errors.ts';

export type Params = Readonly<Record<string, unknown>>;

export interface RpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly method: string;
  readonly params?: Params;
}

export interface RpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: Params;
}

/** A message from a client. Responses are accepted and ignored: this server asks clients nothing. */
export type Incoming =
  | { kind: 'request'; message: RpcRequest }
  | { kind: 'notification'; message: RpcNotification }
  | { kind: 'response' };

/** Values in one message, far more than any tool takes: each costs the schemas of the protocol much more than its bytes. */
const mostValues = 10_000;

/** Decodes one message. Throws an `RpcError` for what is not JSON, a batch, too much, or no JSON-RPC 2.0 message. */
export function decode(text: string): Incoming {
  if (hasMoreValues(text, mostValues))
    throw new RpcError(rpcCodes.invalidRequest, `the message has more than ${mostValues} values, the most it may have`);
  const message = parse(text);
  if (Array.isArray(message))
    throw new RpcError(rpcCodes.invalidRequest, 'batches are not part of MCP; send one message a request');
  if (!isRecord(message) || message['jsonrpc'] !== '2.0')
    throw new RpcError(rpcCodes.invalidRequest, 'not a JSON-RPC message: an object with "jsonrpc": "2.0" was expected');
  const { id, method, params } = message;
  if (method === undefined && ('result' in message || 'error' in message)) return { kind: 'response' };
  if (typeof method !== 'string')
    throw new RpcError(rpcCodes.invalidRequest, 'not a JSON-RPC request: "method" must be a string');
  if (params !== undefined && !isRecord(params))
    throw new RpcError(
      rpcCodes.invalidRequest,
      'not an MCP message: "params" must be an object',
      isId(id) ? { id } : {},
    );
  const rest = { jsonrpc: '2.0', method, ...(params && { params }) } as const;
  if (!('id' in message)) return { kind: 'notification', message: rest };
  if (!isId(id))
    throw new RpcError(rpcCodes.invalidRequest, 'not an MCP request: "id" must be a string or a whole number');
  return { kind: 'request', message: { ...rest, id } };
}

const [quote, backslash, comma, bracket, brace] = [...'"\\,[{'].map((character) => character.charCodeAt(0));

/** Counts the beginnings of values in text that may be JSON, outside of strings. */
function hasMoreValues(text: string, most: number): boolean {
  let count = 0;
  for (let at = 0; at < text.length && count <= most; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === comma || code === bracket || code === brace) count += 1;
  }
  return count > most;
}

/** Where the string ends that begins there: at a quote with an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === backslash) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError(rpcCodes.parseError, 'the body is not valid JSON');
  }
}

export const isRecord = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (id: unknown): id is string | number => typeof id === 'string' || Number.isInteger(id);
