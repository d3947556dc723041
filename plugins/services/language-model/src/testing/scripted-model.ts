import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** What the server answers to one request. */
export type Reply =
  | { readonly say: string; readonly tokens?: number }
  | {
      readonly calls: readonly { readonly name: string; readonly input: unknown }[];
      /** What it says before it calls. */
      readonly thought?: string;
      readonly tokens?: number;
    }
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  /** As an answer with status 200. */
  | { readonly raw: string; readonly type?: string }
  /** Never anything: nothing at all, or the beginning of a text. */
  | { readonly hang: 'before' | 'after beginning' }
  /** The same text again and again, as fast as it is read. */
  | { readonly endless: string }
  | { readonly reset: true };

export interface SentRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

export interface ScriptedModel extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly SentRequest[];
}

/** A server on a free port that speaks the chat completions of OpenAI, or the messages of Anthropic, from a script; its last reply repeats. */
export async function scriptedModel(
  protocol: 'openai' | 'anthropic',
  replies: readonly Reply[],
): Promise<ScriptedModel> {
  const requests: SentRequest[] = [];
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    requests.push({ path, headers, body: JSON.parse(await text(request)) });
    const reply = replies[Math.min(requests.length, replies.length) - 1];
    if (reply) send(response, reply, protocol === 'openai' ? openAIEvents : anthropicEvents);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Events = (reply: Said) => string[];
type Said = Extract<Reply, { say: string } | { calls: unknown }>;

function send(response: ServerResponse, reply: Reply, events: Events): void {
  if ('reset' in reply) return void response.destroy();
  if ('status' in reply) return void response.writeHead(reply.status, reply.headers).end(reply.body);
  if ('raw' in reply)
    return void response.writeHead(200, { 'content-type': reply.type ?? 'text/event-stream' }).end(reply.raw);
  if ('hang' in reply) {
    if (reply.hang === 'after beginning')
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(events({ say: 'It begins' })[0]);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if ('endless' in reply) return sayEndlessly(response, events({ say: reply.endless }).slice(0, -2).join(''));
  for (const event of events(reply)) response.write(event);
  response.end();
}

function sayEndlessly(response: ServerResponse, events: string): void {
  while (!response.destroyed && response.write(events));
  if (!response.destroyed) response.once('drain', () => sayEndlessly(response, events));
}

function openAIEvents(reply: Said): string[] {
  const chunk = (choice: object, more: object = {}): string =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }], ...more })}\n\n`;
  const usage = { prompt_tokens: reply.tokens ?? 10, completion_tokens: 0, total_tokens: reply.tokens ?? 10 };
  const end = (reason: string): string[] => [
    chunk({ delta: {}, finish_reason: reason }, { usage }),
    'data: [DONE]\n\n',
  ];
  if ('say' in reply) {
    const words = reply.say.split(/(?<= )/);
    return [...words.map((content) => chunk({ delta: { role: 'assistant', content } })), ...end('stop')];
  }
  const calls = reply.calls.map(({ name, input }, index) => ({
    index,
    id: `call_${index}_${Math.random().toString(36).slice(2)}`,
    type: 'function',
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }));
  const thought = reply.thought === undefined ? [] : [chunk({ delta: { role: 'assistant', content: reply.thought } })];
  return [...thought, chunk({ delta: { role: 'assistant', tool_calls: calls } }), ...end('tool_calls')];
}

function anthropicEvents(reply: Said): string[] {
  const event = (type: string, more: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const blocks =
    'say' in reply
      ? [{ start: { type: 'text', text: '' }, delta: { type: 'text_delta', text: reply.say } }]
      : reply.calls.map(({ name, input }, index) => ({
          start: { type: 'tool_use', id: `toolu_${index}`, name, input: {} },
          delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
        }));
  const usage = { input_tokens: reply.tokens ?? 10, output_tokens: 0 };
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage };
  return [
    event('message_start', { message }),
    ...blocks.flatMap(({ start, delta }, index) => [
      event('content_block_start', { index, content_block: start }),
      event('content_block_delta', { index, delta }),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', { delta: { stop_reason: 'say' in reply ? 'end_turn' : 'tool_use' }, usage }),
    event('message_stop', {}),
  ];
}
