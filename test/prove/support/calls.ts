import { setTimeout } from 'node:timers/promises';
import { Agent, request } from 'undici';

export interface Outcome {
  readonly tool: string;
  /** By `performance.now()`. */
  readonly endedAt: number;
  readonly ms: number;
  /** The host that made the answer, as the balancer names it. */
  readonly host: string;
  /** `answered`; `refused`: an error that says when to try again; `broken`: anything else. */
  readonly kind: 'answered' | 'refused' | 'broken';
  readonly detail: string;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: object;
}

interface Target {
  readonly url: string;
  readonly token: string;
}

/** Each call has a connection of its own: the balancer spreads them, and none is cut off between two calls. */
const agent = new Agent({ pipelining: 0, headersTimeout: 90_000, bodyTimeout: 90_000 });

/** Calls a tool over HTTP as a client does. Never throws. */
export async function callTool({ url, token }: Target, call: ToolCall, path = '/.api/mcp/all'): Promise<Outcome> {
  const begun = now();
  try {
    const { statusCode, headers, body } = await request(url + path, {
      method: 'POST',
      dispatcher: agent,
      headers: { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
    });
    const text = await body.text();
    const host =
      String(headers['x-host'] ?? '')
        .split(', ')
        .at(-1) ?? '';
    return {
      ...judged(statusCode, Number(headers['retry-after']), text),
      tool: call.name,
      endedAt: now(),
      ms: now() - begun,
      host,
    };
  } catch (error) {
    return { kind: 'broken', detail: String(error), tool: call.name, endedAt: now(), ms: now() - begun, host: '' };
  }
}

const now = (): number => performance.now();

function judged(status: number, retryAfter: number, text: string): Pick<Outcome, 'kind' | 'detail'> {
  const detail = `${status} ${text.slice(0, 300)}`;
  if (status === 429 || status === 503)
    return { kind: retryAfter > 0 && /"(code|message)"/.test(text) ? 'refused' : 'broken', detail };
  const { result } = jsonOf(text);
  if (status !== 200 || !result) return { kind: 'broken', detail };
  if (result.isError !== true) return { kind: 'answered', detail: text };
  return { kind: (result._meta?.['sextant/error']?.retryAfterSeconds ?? 0) > 0 ? 'refused' : 'broken', detail };
}

interface Answer {
  result?: {
    isError?: boolean;
    _meta?: { 'sextant/error'?: { retryAfterSeconds?: number } };
  };
}

function jsonOf(text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return {};
  }
}

/** Callers that call one after another until they are stopped, each in turn of what it is given. */
export class Load {
  readonly outcomes: Outcome[] = [];
  readonly #stopping = new AbortController();
  readonly #callers: Promise<void>[];

  constructor(target: Target, calls: readonly ToolCall[], { callers, pauseMs }: { callers: number; pauseMs: number }) {
    const caller = async (first: number): Promise<void> => {
      for (let turn = first; !this.#stopping.signal.aborted; turn += 1) {
        const call = calls[turn % calls.length];
        if (call) this.outcomes.push(await callTool(target, call));
        await setTimeout(pauseMs);
      }
    };
    this.#callers = Array.from({ length: callers }, (_, first) => caller(first));
  }

  async stop(): Promise<readonly Outcome[]> {
    this.#stopping.abort();
    await Promise.all(this.#callers);
    return this.outcomes;
  }
}
