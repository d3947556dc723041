import { mkdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { SextantError, backoffMs, isSextantError, joinSignals, messageOf, withinTime } from '@sextant/core';
import type { Call, ErrorCode, Needs, PluginContext, Resolved, ServiceStatus } from '@sextant/core';
import type { IsolatedProcess, ProcessOptions } from './isolated-process.ts';
import { loadProcess } from './loaded-process.ts';
import { answers } from './messages.ts';
import type { AnswerOf, Description, FromPlugin, SentStatus, ToPlugin, Work } from './messages.ts';
import { ServedCall, sentServices } from './served-call.ts';

/** Less than the server waits for any plugin. */
const startMs = 20_000;
const closeMs = 5000;
const pauses = { firstMs: 1000, longestMs: 10 * 60_000 };
/** After so long without an end its failures are forgotten. */
const healthyMs = 60_000;
/** A call should stop within so long when it is canceled. */
const stopMs = 5000;
/** Messages of no call that a plugin may send: answers cross with the end of a call. */
const mostStray = 1000;

/** Where a plugin is and what the operator allows it. */
export interface Isolation extends Pick<ProcessOptions, 'file' | 'publicAPI' | 'memoryMegabytes' | 'readable'> {
  /** What the configuration allows. */
  allowed: readonly string[];
}

interface RunningOptions {
  described: Description;
  isolation: Isolation;
  config: unknown;
  context: PluginContext;
  /** What `start` needs, by the names of its tokens. */
  services: Resolved<Needs>;
  /** A process that has loaded it; undefined where there is none, or none any more. */
  takeSpare(): IsolatedProcess | undefined;
}

interface OpenCall {
  served: ServedCall;
  kind: Work['kind'];
  /** Of a report: takes the rows that come. */
  takeRows?: ((rows: Rows) => void) | undefined;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** One use of something that the plugin brings. */
export interface PartRun<W extends Work> {
  work: W;
  /** By the names of their tokens. */
  services: Resolved<Needs>;
  call: Call;
}

type Rows = readonly (readonly (string | number | boolean)[])[];

const reasonOf = ({ reason }: AbortSignal): { code: ErrorCode; message: string } => ({
  code: isSextantError(reason) ? reason.code : 'canceled',
  message: messageOf(reason),
});

/** An error of the plugin, with its own stack: that of this process tells nothing of it. */
const thrownThere = (message: string, stack = message): Error => Object.assign(new Error(message), { stack });

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

const dataFolderOf = ({ name }: Description, { dataFolder }: PluginContext): string =>
  join(dataFolder, 'plugins', name);

/** A process that has loaded the plugin and may do what its start needs: the one that is there, or a new one. */
export async function processToStart({
  described,
  isolation,
  context,
  takeSpare,
}: Pick<RunningOptions, 'described' | 'isolation' | 'context' | 'takeSpare'>): Promise<IsolatedProcess> {
  requireApart(isolation.readable, context);
  const spare = takeSpare();
  if (spare) return spare;
  const { name, capabilities, usesDataFolder } = described;
  const own = usesDataFolder ? [`${dataFolderOf(described, context)}/`] : [];
  for (const folder of own) await mkdir(folder, { recursive: true, mode: 0o700 });
  const rights = { capabilities, readable: [...isolation.readable, ...own], writable: own };
  const { described: now, process } = await loadProcess({ ...isolation, ...rights }, context.log);
  if (now.name === name) return process;
  process.kill('it has another name now');
  throw new Error(`it calls itself ${now.name}, and was ${name} before`);
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
  #isReady = false;
  #states: Readonly<Record<string, SentStatus>> = {};
  #end: (() => void) | undefined;

  constructor(options: RunningOptions) {
    this.#options = options;
  }

  /** Throws what the plugin says of a start that fails. */
  async start(): Promise<void> {
    const { described, context } = this.#options;
    const own = await processToStart(this.#options);
    if (this.#isClosed) return own.kill('it is not needed any more');
    const started = Promise.withResolvers<void>();
    this.#started = started;
    this.#stray = 0;
    this.#process = own;
    const onEnd = (reason: string): void => this.#ended(reason, own);
    own.give({ onMessage: (message) => this.#take(message, own), onEnd }, context.log);
    this.#begin(own);
    try {
      await withinTime(startMs, `${described.name} starting`, started.promise);
      if (this.#isReady) own.send({ type: 'ready' });
      this.#startedAt = performance.now();
      this.#failure = undefined;
    } catch (error) {
      this.#process = undefined;
      own.kill('its start failed');
      throw error;
    }
  }

  /** Tells it that all plugins have started. */
  async ready(): Promise<void> {
    this.#isReady = true;
    this.#process?.send({ type: 'ready' });
  }

  status(): ServiceStatus {
    const failure = this.#failure;
    const { name } = this.#options.described;
    const ended = failure && { ...failure, name, nextTry: failure.nextTry.toISOString() };
    const failures = [...(ended ? [ended] : []), ...Object.values(this.#states).flatMap((one) => one.failures ?? [])];
    return {
      // The rest of the server waits for no isolated plugin.
      isReady: true,
      detail: { failuresInARow: this.#failures, callsInFlight: this.#calls.size, services: this.#states },
      ...(failures.length > 0 && { failures }),
    };
  }

  /** Lets it close its services, for a limited time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const running = this.#process;
    if (!running) return;
    const ended = new Promise<void>((resolve) => (this.#end = resolve));
    running.send({ type: 'close' });
    const late = setTimeout(() => running.kill('it did not close'), closeMs);
    await ended;
    clearTimeout(late);
  }

  run<W extends Work>(run: PartRun<W>): Promise<AnswerOf<W['kind']>> {
    return this.#open(run).answered;
  }

  /** The rows of a report as they come; more are asked for when these were taken. */
  async *rows(run: PartRun<Extract<Work, { kind: 'report' }>>): AsyncGenerator<Rows> {
    let next = Promise.withResolvers<Rows>();
    const left = new AbortController();
    const call = { ...run.call, signal: joinSignals(run.call.signal, left.signal) };
    const { answered, more } = this.#open({ ...run, call }, (rows) => next.resolve(rows));
    const end = answered.then(() => undefined);
    // It may fail while nobody waits for it; who asks for the next rows is told.
    end.catch(() => {});
    try {
      for (;;) {
        const rows = await Promise.race([next.promise, end]);
        if (!rows) return;
        yield rows;
        next = Promise.withResolvers();
        more();
      }
    } finally {
      left.abort(new SextantError('canceled', 'nobody reads the report any more'));
    }
  }

  #open<W extends Work>(
    { work, services, call }: PartRun<W>,
    takeRows?: (rows: Rows) => void,
  ): { answered: Promise<AnswerOf<W['kind']>>; more(): void } {
    const running = this.#process;
    if (!running || this.#failure) throw this.#unavailable();
    this.#lastCall += 1;
    const id = this.#lastCall;
    const { promise, resolve, reject } = Promise.withResolvers<AnswerOf<W['kind']>>();
    const send = (message: ToPlugin): void => running.send(message);
    const what = `${work.kind} ${work.name}`;
    const onViolation = (did: string): void => this.#tell(`the ${what} ${did}`);
    const served = new ServedCall({ id, what, call, services, send, onViolation });
    this.#calls.set(id, {
      served,
      kind: work.kind,
      takeRows,
      resolve: (value) => resolve(value as AnswerOf<W['kind']>),
      reject,
    });
    const cancel = (): void => this.#cancel(id, reasonOf(call.signal));
    const { caller, endpoint, clientName, remoteAddress, navigation } = call;
    const around = { caller, endpoint, clientName, remoteAddress, navigation };
    const canceled = call.signal.aborted ? reasonOf(call.signal) : undefined;
    send({ type: 'call', call: id, work, ...around, canceled, services: sentServices(services) });
    call.signal.addEventListener('abort', cancel, { once: true });
    if (call.signal.aborted) cancel();
    const answered = promise.finally(() => call.signal.removeEventListener('abort', cancel));
    return { answered, more: () => send({ type: 'more', call: id }) };
  }

  /** Asks it to stop. The caller has been answered already. */
  #cancel(id: number, reason: ReturnType<typeof reasonOf>): void {
    const open = this.#calls.get(id);
    if (!open) return;
    this.#process?.send({ type: 'cancel', call: id, ...reason });
    open.served.end();
    setTimeout(() => {
      if (this.#calls.has(id)) this.#tell(`the ${open.served.what} did not stop within ${stopMs / 1000} s`);
    }, stopMs).unref();
  }

  #take(message: FromPlugin, from: IsolatedProcess): void {
    if (from !== this.#process) return;
    if (message.type === 'described') return from.kill(`it calls itself ${message.plugin.name} after its start`);
    if (message.type === 'started') return this.#started?.resolve();
    if (message.type === 'failed') return this.#started?.reject(new Error(message.reason));
    if (message.type === 'log') return this.#log(message);
    if (message.type === 'metric') return this.#count(message);
    if (message.type === 'pong') return void (this.#states = message.states);
    const open = this.#calls.get(message.call);
    if (!open) return this.#strayed(message, from);
    const { served } = open;
    if (message.type === 'ask' || message.type === 'askObject') return served.ask(message);
    if (message.type === 'aborted') return served.abort(message.signal);
    if (message.type === 'progress') return served.progress(message);
    if (message.type === 'credits') return served.credits(message.credits);
    if (message.type === 'repository') return served.repository(message.name);
    if (message.type === 'counted') return served.counted(message);
    if (message.type === 'rows') return open.takeRows?.(message.rows);
    this.#calls.delete(message.call);
    served.end();
    if (message.type === 'answer') return this.#answer(open, message.value);
    const { code, message: text, stack, retryAfterSeconds } = message;
    const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    open.reject(code === undefined ? thrownThere(text, stack) : new SextantError(code, text, details));
  }

  #answer({ kind, served, resolve, reject }: OpenCall, value: unknown): void {
    const { data, error } = answers[kind].safeParse(value);
    if (error) reject(new Error(`the answer of the ${served.what} is not of the agreed form: ${error.message}`));
    else resolve(data);
  }

  #begin(process: IsolatedProcess): void {
    const { config: settings, services, context, described } = this.#options;
    const { externalURL, configFolder } = context;
    const place = { dataFolder: dataFolderOf(described, context), externalURL, configFolder };
    process.send({ type: 'start', settings, ...place, services: sentServices(services) });
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
    if (from !== this.#process) return;
    this.#end?.();
    if (this.#isClosed) return;
    this.#states = {};
    this.#started?.reject(new Error(reason));
    this.#process = undefined;
    this.#failures = performance.now() - this.#startedAt > healthyMs ? 1 : this.#failures + 1;
    const pauseMs = backoffMs(this.#failures, pauses);
    const nextTry = new Date(Date.now() + pauseMs);
    this.#failure = { reason, since: new Date().toISOString(), nextTry };
    const running = [...new Set([...this.#calls.values()].map(({ served }) => served.what))];
    const { name } = this.#options.described;
    const during = running.length > 0 ? ` while it ran the ${running.join(', the ')}` : '';
    this.#options.context.log.error(
      { plugin: name, running },
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
