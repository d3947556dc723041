import { registerHooks } from 'node:module';
import { Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import { SextantError, complete, isPlugin, isSextantError, messageOf, pluginProblem } from '@sextant/core';
import type { Call, Logger, Metrics, Needs, Plugin, PluginContext, Resolved, ThisPlugin, Tool } from '@sextant/core';
import { z } from 'zod';
import { FrameReader, frameOf, mostReceived, mostSent } from '../frames.ts';
import type { Description, StartedCall, ToPlugin } from '../messages.ts';
import { closeFence } from './fence.ts';
import { Questions, RemoteCall, callMark } from './remote-services.ts';

/** What the server says on the command line of the process. */
interface Orders {
  file: string;
  /** A module of ours that knows the packages of the public API. */
  publicAPI: string;
  capabilities: readonly string[];
}

const channel = new Socket({ fd: 3 });
const orders: Orders = JSON.parse(process.argv[2] ?? '{}');
const send = (message: object): void => void channel.write(frameOf(message));
const questions = new Questions(send);
const calls = new Map<number, { abort: (reason: unknown) => void; remote: RemoteCall }>();
let plugin: Plugin | undefined;
let own: ThisPlugin<unknown> | undefined;

// The server is gone, or has no use for this process any more.
channel.on('close', () => process.exit(0)).on('error', () => process.exit(0));
process.on('uncaughtException', (error) => tell('error', `nobody caught: ${messageOf(error)}`, stackOf(error)));
closeFence(orders.capabilities, (what) => tell('warn', what));
// As in the server: whoever adds a property to the prototype of all objects fails, at that line.
for (const { prototype } of [Object, Array, Function, String]) Object.preventExtensions(prototype);
sharePublicAPI(orders.publicAPI);
const reader = new FrameReader(mostReceived);
channel.on('data', (piece: Buffer) => {
  // What comes from the server has the shape that the server gave it.
  for (const message of reader.read(piece)) take(message as ToPlugin);
});
try {
  const module: { default?: unknown } = await import(pathToFileURL(orders.file).href);
  if (!isPlugin(module.default)) throw new Error('it has no plugin as its default export');
  plugin = complete(module.default);
  const problem = pluginProblem(plugin);
  if (problem !== undefined) throw new Error(problem);
  send({ type: 'described', plugin: describe(plugin) });
} catch (error) {
  send({ type: 'failed', reason: `${placeOf(error)} failed while loading: ${messageOf(error)}` });
}

function take(message: ToPlugin): void {
  if (message.type === 'ping') send({ type: 'pong' });
  else if (message.type === 'start') void start(message);
  else if (message.type === 'call') void run(message);
  else if (message.type === 'cancel') calls.get(message.call)?.abort(new SextantError(message.code, message.message));
  else if (message.type === 'callback')
    calls.get(message.call)?.remote.functions.get(message.function)?.(...message.args);
  else if (message.ok) questions.answer(message.id, message.value);
  else questions.fail(message.id, message.error);
}

async function start({
  settings,
  dataFolder,
  externalURL,
  configFolder,
}: Extract<ToPlugin, { type: 'start' }>): Promise<void> {
  try {
    if (!plugin) throw new Error('it is not loaded');
    const config = plugin.config.parse(settings);
    const context: PluginContext = { log, metrics, dataFolder, externalURL, configFolder };
    own = Object.freeze({ settings: config, log, metrics, dataFolder, externalURL });
    await plugin.start(config, {}, context);
    send({ type: 'started' });
  } catch (error) {
    send({ type: 'failed', reason: error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error) });
  }
}

async function run(started: StartedCall): Promise<void> {
  const { call: id } = started;
  const controller = new AbortController();
  const { signal } = controller;
  const remote = new RemoteCall({ call: id, caller: started.caller, signal, questions, send, onClaim });
  calls.set(id, { abort: (reason) => controller.abort(reason), remote });
  try {
    const tool = plugin?.tools.find(({ name }) => name === started.tool);
    if (!tool) throw new Error(`it has no tool ${started.tool}`);
    answer(id, await answerOf(tool, started, { remote, signal }));
  } catch (error) {
    send({ type: 'error', call: id, ...errorOf(error) });
  } finally {
    calls.delete(id);
  }
}

type Answer = { structured: Record<string, unknown>; text: string; files: readonly string[] };

/** What the tool gave is not sent. */
const onClaim = (): void => tell('warn', 'a tool named another caller than its own; the server uses its own');

async function answerOf(
  tool: Tool,
  started: StartedCall,
  { remote, signal }: { remote: RemoteCall; signal: AbortSignal },
): Promise<Answer> {
  const { call: id, input, caller, endpoint, clientName, remoteAddress } = started;
  const call = {
    // Of the shape that the server made it.
    caller: caller as Call['caller'],
    endpoint,
    ...(clientName !== undefined && { clientName }),
    ...(remoteAddress !== undefined && { remoteAddress }),
    signal,
    log,
    reportProgress: (progress) => send({ type: 'progress', call: id, ...progress }),
    noteCredits: (credits) => send({ type: 'credits', call: id, credits }),
    [callMark]: id,
  } satisfies Call & { [callMark]: number };
  const structured = tool.parseOutput(await tool.run(tool.parseInput(input), servicesOf(tool, started, remote), call));
  return { structured, text: tool.toText(structured), files: tool.filesOf(structured) };
}

function servicesOf({ needs }: Tool, { services }: StartedCall, remote: RemoteCall): Resolved<Needs> {
  const found = Object.entries(needs).map(([key, need]) => {
    const sent = services[key];
    return [key, need.isOwn ? own : sent && remote.service(key, sent)];
  });
  return Object.freeze(Object.fromEntries(found));
}

/** An answer that is too large is the tool's mistake, which need not end the process. */
function answer(call: number, given: Answer): void {
  const frame = frameOf({ type: 'answer', call, ...given });
  if (frame.length <= mostSent) return void channel.write(frame);
  const megabytes = Math.ceil(frame.length / 1024 / 1024);
  tell('error', `an answer of ${megabytes} MB was not sent; ${mostSent / 1024 / 1024} MB are allowed`);
  send({ type: 'error', call, code: 'too_large', message: 'the answer is too large; ask for less at once' });
}

function errorOf(error: unknown): object {
  if (!isSextantError(error)) return { message: `${messageOf(error)}${stackOf(error)['stack'] ?? ''}`.slice(0, 8000) };
  const { code, message, retryAfterSeconds } = error;
  return { code, message: message.slice(0, 8000), ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

function stackOf(error: unknown): { stack?: string } {
  const stack = error instanceof Error ? error.stack : undefined;
  return stack === undefined ? {} : { stack: `\n${stack}` };
}

function placeOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const folder = pathToFileURL(orders.file).href.replace(/[^/]+$/, '');
  const at = stack.indexOf(folder);
  const line = at < 0 ? undefined : /^[^\s:]+:(?:[^\s:?]+)?:(\d+)/.exec(stack.slice(at));
  return line ? `${decodeURIComponent(line[0].replace(/^file:\/\//, ''))}` : orders.file;
}

function tell(level: keyof Logger, message: string, fields: object = {}): void {
  try {
    send({ type: 'log', level, fields, message: message.slice(0, 2000) });
  } catch {
    // Fields that cannot be sent.
    send({ type: 'log', level, fields: {}, message: message.slice(0, 2000) });
  }
}

const said =
  (level: keyof Logger) =>
  (fields: object, message: string): void =>
    tell(level, message, fields);
const log: Logger = { debug: said('debug'), info: said('info'), warn: said('warn'), error: said('error') };

const counting =
  (kind: string, definition: object) =>
  (value: number, labels: object = {}) =>
    send({ type: 'metric', kind, definition, value, labels });
const metrics: Metrics = {
  counter: (definition) => {
    const add = counting('counter', definition);
    return { add: (amount = 1, labels = {}) => add(amount, labels) };
  },
  gauge: (definition) => ({ set: counting('gauge', definition) }),
  histogram: (definition) => ({ observe: counting('histogram', definition) }),
};

/** A plugin imports the public API without installing it: what it installed itself comes first. */
function sharePublicAPI(parentURL: string): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        if (!/^(@sextant\/(core|contracts)|zod)(\/|$)/.test(specifier)) throw error;
        return nextResolve(specifier, { ...context, parentURL });
      }
    },
  });
}

function describe(described: Plugin): Description {
  const { name, capabilities, config, topLevel, tools } = described;
  const kinds = [
    'provides',
    'needs',
    'reports',
    'pages',
    'authenticators',
    'commands',
    'contributions',
    'wrappers',
    'resources',
    'prompts',
    'dataFiles',
  ] as const;
  return {
    name,
    capabilities: [...capabilities],
    topLevel: [...topLevel],
    configSchema: Object.fromEntries(
      Object.entries(z.toJSONSchema(config, { io: 'input', reused: 'inline', unrepresentable: 'any' })),
    ),
    unfit: kinds.filter((kind) => Object.keys(described[kind]).length > 0),
    tools: tools.map((tool) => ({
      name: tool.name,
      title: tool.title,
      description: tool.description,
      endpoints: [...tool.endpoints],
      activity: tool.activity,
      guidance: { ...tool.guidance },
      isReadOnly: tool.isReadOnly,
      rest: tool.rest,
      inputSchema: tool.inputSchema,
      outputSchema: tool.outputSchema,
      needs: Object.fromEntries(
        Object.entries(tool.needs).map(([key, need]) => [
          key,
          { name: need.name, isOptional: need.isOptional === true, isOwn: need.isOwn === true },
        ]),
      ),
    })),
  };
}
