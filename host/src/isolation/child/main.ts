import { registerHooks } from 'node:module';
import { Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import { SextantError, complete, isPlugin, isSextantError, messageOf, pluginProblem } from '@sextant/core';
import type {
  Call,
  Logger,
  Metrics,
  Needs,
  NavigationLink,
  Plugin,
  PluginContext,
  Provider,
  Resolved,
  ThisPlugin,
} from '@sextant/core';
import { z } from 'zod';
import { formatHint, readAsModule } from '../../plugins/module-format.ts';
import { FrameReader, frameOf, mostReceived, mostSent } from '../frames.ts';
import type { SentServices, StartedCall, ToPlugin } from '../messages.ts';
import { describe } from './describe.ts';
import { closeFence } from './fence.ts';
import { runPart } from './parts.ts';
import { Questions, RemoteCall, callMark, isCall, remoteService } from './remote-services.ts';

/** What the server says on the command line of the process. */
interface Orders {
  file: string;
  /** A module of ours that knows the packages of the public API. */
  publicAPI: string;
  capabilities: readonly string[];
}

/** What Node's permission model refuses, by its own names (Node, "Permission Model"), and the capability that has it. */
const capabilityFor: Readonly<Record<string, string>> = {
  FileSystemRead: 'filesystem',
  FileSystemWrite: 'filesystem',
  ChildProcess: 'process',
  WorkerThreads: 'process',
};

const channel = new Socket({ fd: 3 });
const orders: Orders = JSON.parse(process.argv[2] ?? '{}');
const send = (message: object): void => void channel.write(frameOf(message));
const questions = new Questions(send);
/** The calls that run, by their numbers. */
const calls = new Map<number, RunningCall>();
/** The call of each object that a part was given as its caller. */
const callers = new WeakMap<object, number>();
let plugin: Plugin | undefined;
let own: ThisPlugin<unknown> | undefined;
/** What `start` gave for each service that the plugin provides. */
let providers: Readonly<Record<string, Provider<unknown>>> = {};

interface RunningCall {
  abort(reason: unknown): void;
  readonly remote: RemoteCall;
  /** Resolves the wait for the next rows of a report. */
  more?: (() => void) | undefined;
}

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
  send({ type: 'failed', reason: `${placeOf(error)} failed while loading: ${reasonOf(error)}${formatHint(error)}` });
}

function take(message: ToPlugin): void {
  switch (message.type) {
    case 'ping':
      return send({ type: 'pong', states: states() });
    case 'start':
      return void start(message);
    case 'ready':
      return void ready();
    case 'close':
      return void close();
    case 'call':
      return void run(message);
    case 'more':
      return calls.get(message.call)?.more?.();
    case 'cancel':
      return calls.get(message.call)?.abort(new SextantError(message.code, message.message));
    case 'callback':
      return void calls.get(message.call)?.remote.functions.get(message.function)?.(...message.args);
    case 'reply':
      return message.ok ? questions.answer(message.id, message.value) : questions.fail(message.id, message.error);
  }
}

async function start({ settings, services, ...given }: Extract<ToPlugin, { type: 'start' }>): Promise<void> {
  try {
    if (!plugin) throw new Error('it is not loaded');
    const config = plugin.config.parse(settings);
    const { dataFolder, externalURL, configFolder } = given;
    const context: PluginContext = { log, metrics, dataFolder, externalURL, configFolder };
    own = Object.freeze({ settings: config, log, metrics, dataFolder, externalURL });
    // One that provides nothing may return nothing.
    const started: typeof providers | undefined = await plugin.start(config, neededByStart(plugin, services), context);
    for (const [key, { name }] of Object.entries(plugin.provides))
      if (!started?.[key]) throw new Error(`it declares "${name}" but its start did not return it as "${key}"`);
    providers = started ?? {};
    send({ type: 'started' });
  } catch (error) {
    send({ type: 'failed', reason: error instanceof z.ZodError ? z.prettifyError(error) : reasonOf(error) });
  }
}

/** Each may be asked only within a call, by its caller: for whom `start` would ask, nobody knows. */
function neededByStart({ needs }: Plugin, services: SentServices): Resolved<Needs> {
  const found = Object.entries(needs).map(([key, { name }]) => {
    const sent = services[name];
    return [key, sent && remoteService(name, sent, callNamedBy)];
  });
  return Object.freeze(Object.fromEntries(found));
}

function callNamedBy(given: unknown): RemoteCall {
  const id = isCall(given) ? given[callMark] : typeof given === 'object' && given ? callers.get(given) : undefined;
  return running(id === undefined ? undefined : calls.get(id)?.remote);
}

/** Throws for a call that has ended: the server answers nothing more in its name. */
function running(remote: RemoteCall | undefined): RemoteCall {
  if (remote && [...calls.values()].some((call) => call.remote === remote)) return remote;
  throw new SextantError('forbidden', 'a service is asked only during a call, with the caller that the call came with');
}

async function ready(): Promise<void> {
  for (const provider of Object.values(providers))
    await attempt(async () => provider.ready?.(), 'getting ready failed');
}

async function close(): Promise<void> {
  for (const provider of Object.values(providers).toReversed())
    await attempt(async () => provider.close?.(), 'closing failed');
  // What it logged last is sent before the process ends.
  channel.end(() => process.exit(0));
}

async function attempt(work: () => Promise<void>, what: string): Promise<void> {
  try {
    await work();
  } catch (error) {
    tell('error', `${what}: ${messageOf(error)}`, stackOf(error));
  }
}

/** How the plugin's services are, by the names of their tokens. */
function states(): object {
  const told = Object.entries(providers).flatMap(([key, provider]) => {
    const name = plugin?.provides[key]?.name;
    return provider.status && name !== undefined ? [[name, stateOf(provider.status)] as const] : [];
  });
  return Object.fromEntries(told);
}

function stateOf(status: NonNullable<Provider<unknown>['status']>): object {
  try {
    const { isReady, detail, failures } = status();
    return { isReady, detail, ...(failures && { failures: failures.map(({ name, reason }) => ({ name, reason })) }) };
  } catch (error) {
    const reason = `cannot tell its state: ${messageOf(error)}`;
    return { isReady: false, detail: {}, failures: [{ name: plugin?.name ?? '', reason }] };
  }
}

async function run(started: StartedCall): Promise<void> {
  const { call: id, caller, work, services, canceled } = started;
  const controller = new AbortController();
  if (canceled) controller.abort(new SextantError(canceled.code, canceled.message));
  const { signal } = controller;
  const remote = new RemoteCall({ call: id, caller, signal, questions, send, onClaim });
  const running: RunningCall = { abort: (reason) => controller.abort(reason), remote };
  calls.set(id, running);
  if (typeof caller === 'object' && caller !== null) callers.set(caller, id);
  try {
    if (!plugin) throw new Error('it is not loaded');
    const servicesOf = ({ needs }: { readonly needs: Needs }): Resolved<Needs> => servicesFor(needs, services, remote);
    const sendRows = (rows: readonly unknown[]): Promise<void> =>
      new Promise((resolve, reject) => {
        running.more = resolve;
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        send({ type: 'rows', call: id, rows });
      });
    answer(id, await runPart(plugin, work, { call: callOf(started, signal), servicesOf, sendRows }));
  } catch (error) {
    send({ type: 'error', call: id, ...errorOf(error) });
  } finally {
    calls.delete(id);
  }
}

/** What the plugin gave is not sent. */
const onClaim = (): void => tell('warn', 'it named another caller than its own; the server uses that of the call');

function callOf(started: StartedCall, signal: AbortSignal): Call {
  const { call: id, caller, endpoint, clientName, remoteAddress, navigation } = started;
  const call: Call & { [callMark]: number } = {
    // Of the shape that the server made it.
    caller: caller as Call['caller'],
    endpoint,
    ...(clientName !== undefined && { clientName }),
    ...(remoteAddress !== undefined && { remoteAddress }),
    ...(navigation !== undefined && { navigation: navigation as readonly NavigationLink[] }),
    signal,
    log,
    reportProgress: (progress) => send({ type: 'progress', call: id, ...progress }),
    noteCredits: (credits) => send({ type: 'credits', call: id, credits }),
    noteRepository: (name) => send({ type: 'repository', call: id, name }),
    countAs: (tool, files = []) => send({ type: 'counted', call: id, tool, files }),
    [callMark]: id,
  };
  return call;
}

function servicesFor(needs: Needs, services: SentServices, remote: RemoteCall): Resolved<Needs> {
  const found = Object.entries(needs).map(([key, need]) => {
    if (need.isOwn) return [key, own];
    const local = Object.entries(plugin?.provides ?? {}).find(([, { name }]) => name === need.name);
    if (local) return [key, providers[local[0]]?.value];
    const sent = services[need.name];
    return [key, sent && remoteService(need.name, sent, () => running(remote))];
  });
  return Object.freeze(Object.fromEntries(found));
}

/** An answer that is too large is the tool's mistake, which need not end the process. */
function answer(call: number, value: unknown): void {
  const frame = frameOf({ type: 'answer', call, value });
  if (frame.length <= mostSent) return void channel.write(frame);
  const megabytes = Math.ceil(frame.length / 1024 / 1024);
  tell('error', `an answer of ${megabytes} MB was not sent; ${mostSent / 1024 / 1024} MB are allowed`);
  send({ type: 'error', call, code: 'too_large', message: 'the answer is too large; ask for less at once' });
}

function errorOf(error: unknown): object {
  if (!isSextantError(error)) return { message: reasonOf(error).slice(0, 8000), ...stackOf(error) };
  const { code, message, retryAfterSeconds } = error;
  return { code, message: message.slice(0, 8000), ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

function stackOf(error: unknown): { stack?: string } {
  const stack = error instanceof Error ? error.stack : undefined;
  return stack === undefined ? {} : { stack: stack.slice(0, 8000) };
}

function placeOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const folder = pathToFileURL(orders.file).href.replace(/[^/]+$/, '');
  const at = stack.indexOf(folder);
  const line = at < 0 ? undefined : /^[^\s:]+:(?:[^\s:?]+)?:(\d+)/.exec(stack.slice(at));
  return line ? `${decodeURIComponent(line[0].replace(/^file:\/\//, ''))}` : orders.file;
}

/** The message of an error. Node's own names an option of the command line where this plugin lacks a capability. */
function reasonOf(error: unknown): string {
  const permission = error instanceof Error && 'permission' in error ? String(error.permission) : '';
  const capability = capabilityFor[permission];
  if (capability === undefined) return messageOf(error);
  const resource = error instanceof Error && 'resource' in error && error.resource ? ` of ${error.resource}` : '';
  const may =
    capability === 'filesystem'
      ? '. It may read installed packages and the files of its own folder (a file among others, the modules beside it), and write to its data folder'
      : '';
  return `refused, for ${permission}${resource} needs the capability "${capability}"${may}`;
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
    load: readAsModule,
  });
}
