import { mkdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { SextantError, backoffMs, definePlugin, messageOf, optional, remoteOf, token, withinTime } from '@sextant/core';
import type {
  Call,
  JsonSchema,
  Needs,
  Plugin,
  PluginContext,
  Resolved,
  ServiceStatus,
  Token,
  Tool,
} from '@sextant/core';
import { z } from 'zod';
import { IsolatedProcess } from './isolated-process.ts';
import type { ProcessOptions } from './isolated-process.ts';
import type { DescribedTool, Description, FromPlugin, ToPlugin } from './messages.ts';
import { ServedCall } from './served-call.ts';

const loadMs = 30_000;
const startMs = 60_000;
const pauses = { firstMs: 1000, longestMs: 10 * 60_000 };
/** After so long without an end its failures are forgotten. */
const healthyMs = 60_000;
/** A tool should stop within so long when its call is canceled. */
const stopMs = 5000;
/** Messages of no call that a plugin may send: answers cross with the end of a call. */
const mostStray = 1000;

/** Where a plugin is and what the operator allows it. */
export interface Isolation extends Pick<ProcessOptions, 'file' | 'publicAPI' | 'memoryMegabytes' | 'readable'> {
  /** What the configuration allows. */
  allowed: readonly string[];
}

/** Asks a plugin in a process of its own what it is, and ends that process. Nothing of it is loaded here. */
export async function describeIsolated(isolation: Isolation, log: PluginContext['log']): Promise<Description> {
  const { promise, resolve, reject } = Promise.withResolvers<Description>();
  const asked = new IsolatedProcess({
    ...isolation,
    capabilities: [],
    writable: [],
    log,
    onMessage: (message) => {
      if (message.type === 'described') resolve(message.plugin);
      if (message.type === 'failed') reject(new Error(message.reason));
    },
    onEnd: (reason) => reject(new Error(`${isolation.file}: ${reason} while it was loaded`)),
  });
  try {
    return await withinTime(loadMs, `loading ${isolation.file}`, promise);
  } finally {
    asked.kill('it was described');
  }
}

/** A plugin for the registry whose tools run in a process of their own. Throws where it has what cannot run there. */
export function isolatedPlugin(described: Description, isolation: Isolation): Plugin {
  const { name } = described;
  requireFit(described, isolation);
  const running = token<RunningPlugin>(`process-of-${name}`);
  const tools = described.tools.map((tool) => isolatedTool(tool, running));
  const needs = Object.fromEntries(
    described.tools.flatMap((tool) =>
      Object.values(tool.needs)
        .filter((need) => !need.isOwn)
        .map((need) => [need.name, tokenOf(need)] as const),
    ),
  );
  return definePlugin({
    name,
    config: configOf(described.configSchema),
    needs,
    provides: { process: running },
    tools,
    capabilities: described.capabilities,
    async start(config, services, context) {
      requireRemote(described, services);
      const plugin = new RunningPlugin({ described, isolation, config, context });
      try {
        await plugin.start();
      } catch (error) {
        // Who is not started is not tried again.
        await plugin.close();
        throw error;
      }
      return { process: { value: plugin, status: () => plugin.status(), close: () => plugin.close() } };
    },
  });
}

const tokenOf = ({ name, isOptional }: { name: string; isOptional: boolean }): Token<unknown> =>
  isOptional ? optional(token(name)) : token(name);

function requireFit({ name, unfit, topLevel, capabilities, tools }: Description, { allowed }: Isolation): void {
  const refuse = (why: string): never => {
    throw new SextantError('invalid_argument', `the plugin ${name} ${why}`);
  };
  if (unfit.length > 0)
    refuse(
      `has ${unfit.join(', ')}; a process of its own (isolation: process) can hold tools so far. If you trust it like the server, say "trusted: true"`,
    );
  if (topLevel.length > 0) refuse('reads keys at the top of the configuration, which an isolated plugin cannot');
  const needsModel = tools.some(({ needs }) => Object.values(needs).some((need) => need.name === 'language-model'));
  if (needsModel && !capabilities.includes('language-model'))
    refuse('needs the language model and does not declare the capability "language-model"');
  const missing = capabilities.filter((capability) => !allowed.includes(capability));
  if (missing.length > 0)
    refuse(
      `wants ${missing.join(', ')}, which the configuration does not allow; "allow: [${missing.join(', ')}]" does`,
    );
}

function requireRemote({ tools }: Description, services: Resolved<Needs>): void {
  for (const tool of tools)
    for (const need of Object.values(tool.needs))
      if (!need.isOwn && services[need.name] !== undefined && !remoteOf(services[need.name]))
        throw new Error(
          `the tool ${tool.name} needs "${need.name}", which only a plugin in the server's process can have; if you trust it like the server, say "trusted: true"`,
        );
}

/** The host's own check of settings. The plugin applies its schema itself when it starts. */
function configOf(schema: JsonSchema): z.ZodObject {
  const read = z.fromJSONSchema(plainSchema(schema) as Parameters<typeof z.fromJSONSchema>[0]);
  return read instanceof z.ZodObject ? read : z.looseObject({});
}

/** Without what could take long to check: a plugin's own pattern on its own text. */
function plainSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plainSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    ([key, value]) =>
      !(['pattern', 'format', '$ref', '$defs', '$schema'].includes(key) && typeof value !== 'object') &&
      key !== 'patternProperties',
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, plainSchema(value)]));
}

/** What a plugin may read must hold neither the database nor the configuration. */
function requireApart(readable: readonly string[], { dataFolder, configFolder }: PluginContext): void {
  for (const secret of [dataFolder, configFolder]) {
    const around = readable.find((path) => path.endsWith(sep) && `${secret}${sep}`.startsWith(path));
    if (around !== undefined)
      throw new Error(
        `its folder ${around} holds ${secret}, which an isolated plugin must not read; keep it in a folder of its own`,
      );
  }
}

interface IsolatedAnswer {
  structured: Record<string, unknown>;
  text: string;
  files: readonly string[];
}

/** Key under which a tool gets the process that it runs in. */
const processKey = 'process of the plugin';

function isolatedTool(described: DescribedTool, running: Token<RunningPlugin>): Tool {
  const needs = Object.fromEntries(
    Object.entries(described.needs)
      .filter(([, need]) => !need.isOwn)
      .map(([key, need]) => [key, tokenOf(need)]),
  );
  const output = z.fromJSONSchema(plainSchema(described.outputSchema) as Parameters<typeof z.fromJSONSchema>[0]);
  const answers = new WeakMap<object, IsolatedAnswer>();
  const answerFor = (structured: unknown): IsolatedAnswer | undefined =>
    typeof structured === 'object' && structured !== null ? answers.get(structured) : undefined;
  return {
    ...described,
    needs: { ...needs, [processKey]: running },
    // The plugin checks its arguments itself.
    parseInput: (given) => given ?? {},
    async run(input, { [processKey]: plugin, ...services }, call) {
      if (!(plugin instanceof RunningPlugin)) throw new Error('the process of the plugin is not there');
      const answer = await plugin.run({ tool: described.name, input, needs, services, call });
      answers.set(answer.structured, answer);
      return answer.structured;
    },
    parseOutput(structured) {
      const parsed = output.safeParse(structured);
      const answer = answerFor(structured);
      if (!parsed.success || !answer) throw new Error(`the answer is not as declared: ${parsed.error?.message ?? ''}`);
      return answer.structured;
    },
    toText: (structured) => answerFor(structured)?.text ?? '',
    filesOf: (structured) => answerFor(structured)?.files ?? [],
  };
}

interface RunningOptions {
  described: Description;
  isolation: Isolation;
  config: unknown;
  context: PluginContext;
}

interface OpenCall {
  served: ServedCall;
  resolve(answer: IsolatedAnswer): void;
  reject(error: unknown): void;
}

interface ToolRun {
  tool: string;
  input: unknown;
  needs: Needs;
  services: Resolved<Needs>;
  call: Call;
}

/** A plugin that runs in a process of its own: started again after growing pauses when that process ends. */
export class RunningPlugin {
  readonly #options: RunningOptions;
  readonly #calls = new Map<number, OpenCall>();
  #process: IsolatedProcess | undefined;
  #started: PromiseWithResolvers<void> | undefined;
  #lastCall = 0;
  #stray = 0;
  #failures = 0;
  #startedAt = 0;
  #failure: { reason: string; since: string; nextTry: Date } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: RunningOptions) {
    this.#options = options;
  }

  /** Throws what the plugin says of a start that fails. */
  async start(): Promise<void> {
    const { described, isolation, config, context } = this.#options;
    const dataFolder = join(context.dataFolder, 'plugins', described.name);
    requireApart(isolation.readable, context);
    await mkdir(dataFolder, { recursive: true, mode: 0o700 });
    const started = Promise.withResolvers<void>();
    this.#started = started;
    this.#stray = 0;
    const own: IsolatedProcess = new IsolatedProcess({
      ...isolation,
      readable: [...isolation.readable, `${dataFolder}/`],
      writable: [`${dataFolder}/`],
      capabilities: described.capabilities,
      log: context.log,
      onMessage: (message) => this.#take(message, own),
      onEnd: (reason) => this.#ended(reason, own),
    });
    this.#process = own;
    this.#dataFolder = dataFolder;
    this.#settings = config;
    try {
      await withinTime(startMs, `${described.name} starting`, started.promise);
      this.#startedAt = performance.now();
      this.#failure = undefined;
    } catch (error) {
      this.#process = undefined;
      own.kill('its start failed');
      throw error;
    }
  }

  #dataFolder = '';
  #settings: unknown;

  status(): ServiceStatus {
    const failure = this.#failure;
    const { name } = this.#options.described;
    return {
      // The rest of the server waits for no plugin.
      isReady: true,
      detail: { failuresInARow: this.#failures, callsInFlight: this.#calls.size },
      ...(failure && {
        failures: [{ name, reason: failure.reason, since: failure.since, nextTry: failure.nextTry.toISOString() }],
      }),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#process?.kill('the plugin is closed');
    this.#process = undefined;
  }

  run({ tool, input, needs, services, call }: ToolRun): Promise<IsolatedAnswer> {
    const running = this.#process;
    if (!running || this.#failure) throw this.#unavailable();
    this.#lastCall += 1;
    const id = this.#lastCall;
    const { promise, resolve, reject } = Promise.withResolvers<IsolatedAnswer>();
    const send = (message: ToPlugin): void => running.send(message);
    const onViolation = (what: string): void => this.#tell(`the tool ${tool} ${what}`);
    const served = new ServedCall({ id, tool, call, needs, services, send, onViolation });
    this.#calls.set(id, { served, resolve, reject });
    const cancel = (): void => this.#cancel(id, call.signal.reason);
    call.signal.addEventListener('abort', cancel, { once: true });
    const { caller, endpoint, clientName, remoteAddress } = call;
    send({
      type: 'call',
      call: id,
      tool,
      input,
      caller,
      endpoint,
      clientName,
      remoteAddress,
      services: served.sentServices(),
    });
    return promise.finally(() => call.signal.removeEventListener('abort', cancel));
  }

  /** Asks the tool to stop. The guard has answered the caller already. */
  #cancel(id: number, reason: unknown): void {
    const open = this.#calls.get(id);
    if (!open) return;
    const code = reason instanceof SextantError ? reason.code : 'canceled';
    this.#process?.send({ type: 'cancel', call: id, code, message: messageOf(reason) });
    open.served.end();
    setTimeout(() => {
      if (this.#calls.has(id)) this.#tell(`the tool ${open.served.tool} did not stop within ${stopMs / 1000} s`);
    }, stopMs).unref();
  }

  #take(message: FromPlugin, from: IsolatedProcess): void {
    if (from !== this.#process) return;
    if (message.type === 'described') return this.#begin(message.plugin, from);
    if (message.type === 'started') return this.#started?.resolve();
    if (message.type === 'failed') return this.#started?.reject(new Error(message.reason));
    if (message.type === 'log') return this.#log(message);
    if (message.type === 'metric') return this.#count(message);
    if (message.type === 'pong') return undefined;
    const open = this.#calls.get(message.call);
    if (!open) return this.#strayed(message, from);
    const { served } = open;
    if (message.type === 'ask' || message.type === 'askObject') return served.ask(message);
    if (message.type === 'aborted') return served.abort(message.signal);
    if (message.type === 'progress') return served.progress(message);
    if (message.type === 'credits') return served.credits(message.credits);
    this.#calls.delete(message.call);
    served.end();
    if (message.type === 'answer') return open.resolve(message);
    const { code, message: text, retryAfterSeconds } = message;
    const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    open.reject(code === undefined ? new Error(text) : new SextantError(code, text, details));
  }

  #begin({ name }: Description, from: IsolatedProcess): void {
    const { described, context } = this.#options;
    if (name !== described.name) return from.kill(`it calls itself ${name}, and was ${described.name} before`);
    const { externalURL, configFolder } = context;
    from.send({ type: 'start', settings: this.#settings, dataFolder: this.#dataFolder, externalURL, configFolder });
  }

  /** A question of a call that is none, or has ended: a plugin that claims a caller. */
  #strayed(message: { type: string; call: number }, from: IsolatedProcess): void {
    const isLate = message.call > 0 && message.call <= this.#lastCall;
    this.#stray += 1;
    if (!isLate) return from.kill(`it asked in the name of a call that there never was (${message.call})`);
    if (this.#stray === 1) this.#tell('asked in the name of a call that has ended; nothing is answered');
    if (this.#stray > mostStray) from.kill('it goes on asking in the name of calls that have ended');
  }

  #log({ level, fields, message }: Extract<FromPlugin, { type: 'log' }>): void {
    const text = JSON.stringify(fields);
    const shown = text.length > 4096 ? { fields: text.slice(0, 4096) } : fields;
    this.#options.context.log[level]({ ...shown, isolated: true }, message.slice(0, 2000));
  }

  #count({ kind, definition, value, labels }: Extract<FromPlugin, { type: 'metric' }>): void {
    const { metrics } = this.#options.context;
    const { labels: names, buckets, ...rest } = definition;
    const made = { ...rest, ...(names && { labels: names }), ...(buckets && { buckets }) };
    try {
      if (kind === 'counter') metrics.counter(made).add(value, labels);
      else if (kind === 'gauge') metrics.gauge(made).set(value, labels);
      else metrics.histogram(made).observe(value, labels);
    } catch (error) {
      this.#tell(`cannot count: ${messageOf(error)}`);
    }
  }

  #ended(reason: string, from: IsolatedProcess): void {
    if (from !== this.#process || this.#isClosed) return;
    this.#started?.reject(new Error(reason));
    this.#process = undefined;
    this.#failures = performance.now() - this.#startedAt > healthyMs ? 1 : this.#failures + 1;
    const pauseMs = backoffMs(this.#failures, pauses);
    const nextTry = new Date(Date.now() + pauseMs);
    this.#failure = { reason, since: new Date().toISOString(), nextTry };
    const tools = [...new Set([...this.#calls.values()].map(({ served }) => served.tool))];
    const { name } = this.#options.described;
    const during = tools.length > 0 ? ` while it ran ${tools.join(', ')}` : '';
    this.#options.context.log.error(
      { plugin: name, tools },
      `the plugin ${name} was stopped${during}: ${reason}; started again in ${Math.ceil(pauseMs / 1000)} s`,
    );
    const failed = this.#unavailable();
    for (const [id, { served, reject }] of this.#calls) {
      this.#calls.delete(id);
      served.end();
      reject(failed);
    }
    this.#timer = setTimeout(() => void this.#again(), pauseMs).unref();
  }

  async #again(): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.start();
      this.#options.context.log.info({}, `the plugin ${this.#options.described.name} runs again`);
    } catch (error) {
      const own = this.#process;
      if (own === undefined && this.#failure) this.#retry(messageOf(error));
    }
  }

  #retry(reason: string): void {
    if (this.#isClosed) return;
    this.#failures += 1;
    const pauseMs = backoffMs(this.#failures, pauses);
    this.#failure = {
      reason,
      since: this.#failure?.since ?? new Date().toISOString(),
      nextTry: new Date(Date.now() + pauseMs),
    };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#again(), pauseMs).unref();
  }

  #unavailable(): SextantError {
    const { name } = this.#options.described;
    const seconds = Math.max(1, Math.ceil(((this.#failure?.nextTry.getTime() ?? 0) - Date.now()) / 1000));
    return new SextantError(
      'unavailable',
      `the plugin ${name} was stopped and is started again in ${seconds} s; try again then`,
      {
        retryAfterSeconds: seconds,
        ...(this.#failure && { cause: new Error(this.#failure.reason) }),
      },
    );
  }

  #tell(what: string): void {
    const { name } = this.#options.described;
    this.#options.context.log.warn({ plugin: name }, `the isolated plugin ${name}: ${what}`);
  }
}
