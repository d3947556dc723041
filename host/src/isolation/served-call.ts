import { SextantError, currentMeter, isSextantError, joinSignals, messageOf, metered, remoteOf } from '@sextant/core';
import type { Call, Needs, Remote, Resolved } from '@sextant/core';
import type { FromPlugin, ReplyValue, SentError, SentService, SentServices, ToPlugin } from './messages.ts';

/** Questions that one call may ask in all, and at once; more wait. */
const mostQuestions = 10_000;
const mostAtOnce = 16;
const mostWaiting = 1000;
/** Objects of the server that one call may hold, such as opened repositories. */
const mostObjects = 1000;
const mostMarks = 10_000;

type Question = Extract<FromPlugin, { type: 'ask' | 'askObject' }>;

export interface ServedCallOptions {
  id: number;
  /** What it runs, as the operator is told: `tool todo_report`. */
  what: string;
  call: Call;
  /** By the names of their tokens. */
  services: Resolved<Needs>;
  send(message: ToPlugin): void;
  /** Told of what an honest plugin does not do. */
  onViolation(what: string): void;
}

/**
 * The server's side of one call of an isolated plugin. The caller of every question is the caller of this call, whatever
 * the plugin says. When the call has ended nothing is answered any more.
 */
export class ServedCall {
  readonly #options: ServedCallOptions;
  readonly #objects: { value: object; methods: readonly string[] }[] = [];
  readonly #signals = new Map<number, AbortController>();
  readonly #waiting: Question[] = [];
  readonly #meter = currentMeter();
  #running = 0;
  #asked = 0;
  #hasEnded = false;

  constructor(options: ServedCallOptions) {
    this.#options = options;
  }

  get what(): string {
    return this.#options.what;
  }

  end(): void {
    this.#hasEnded = true;
    this.#waiting.length = 0;
    for (const controller of this.#signals.values())
      controller.abort(new SextantError('canceled', 'the call has ended'));
  }

  abort(signal: number): void {
    this.#signals.get(signal)?.abort(new SextantError('canceled', 'the call was canceled'));
  }

  progress({ progress, total, message }: Extract<FromPlugin, { type: 'progress' }>): void {
    const { call } = this.#options;
    call.reportProgress({ progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) });
  }

  counted({ tool, files }: Extract<FromPlugin, { type: 'counted' }>): void {
    this.#options.call.countAs?.(tool, files);
  }

  credits(credits: number): void {
    this.#options.call.noteCredits?.(credits);
  }

  repository(name: string): void {
    this.#options.call.noteRepository?.(name);
  }

  ask(question: Question): void {
    this.#asked += 1;
    if (this.#asked > mostQuestions) {
      if (this.#asked === mostQuestions + 1) this.#options.onViolation(`asked more than ${mostQuestions} questions`);
      return this.#refuse(question, 'exhausted', `a call may ask ${mostQuestions} questions`);
    }
    if (this.#running < mostAtOnce) return void metered(this.#meter, () => this.#answer(question));
    if (this.#waiting.length >= mostWaiting) return this.#refuse(question, 'exhausted', 'too many questions at once');
    this.#waiting.push(question);
  }

  #refuse({ id }: Question, code: SentError['code'], message: string): void {
    this.#options.send({ type: 'reply', id, ok: false, error: { code, message } });
  }

  async #answer(question: Question): Promise<void> {
    this.#running += 1;
    try {
      const value = await this.#run(question);
      if (!this.#hasEnded) this.#options.send({ type: 'reply', id: question.id, ok: true, value });
    } catch (error) {
      if (!this.#hasEnded)
        this.#options.send({ type: 'reply', id: question.id, ok: false, error: this.#sentError(error, question) });
    } finally {
      this.#running -= 1;
      const next = this.#waiting.shift();
      if (next) void metered(this.#meter, () => this.#answer(next));
    }
  }

  #sentError(error: unknown, { method }: Question): SentError {
    if (isSextantError(error))
      return { code: error.code, message: error.message, retryAfterSeconds: error.retryAfterSeconds };
    const { call, what } = this.#options;
    call.log.error({ what, method, err: error }, `a service failed for an isolated plugin: ${messageOf(error)}`);
    return { code: 'internal', message: `the service failed at ${method}` };
  }

  async #run(question: Question): Promise<ReplyValue> {
    if (question.type === 'askObject') {
      const object = this.#objects[question.ref];
      if (!object?.methods.includes(question.method)) throw this.#unknown(`the method ${question.method} of an object`);
      return { kind: 'value', value: await invoke(object.value, question.method, this.#decoded(question.args)) };
    }
    const { service: name, method } = question;
    const { services } = this.#options;
    const service: unknown = Object.hasOwn(services, name) ? services[name] : undefined;
    const methods = remoteOf(service);
    const how = methods && Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (typeof service !== 'object' || service === null || how === undefined || how === 'data')
      throw this.#unknown(`the method ${method} of the service ${name}`);
    const { by, gives } = typeof how === 'string' ? { by: how, gives: undefined } : how;
    const args = this.#decoded(question.args);
    const value = await invoke(service, method, by === 'caller' ? [this.#options.call.caller, ...args] : args);
    return gives && typeof value === 'object' && value !== null ? this.#object(value, gives) : { kind: 'value', value };
  }

  #unknown(what: string): SextantError {
    this.#options.onViolation(`asked for ${what.slice(0, 200)}, which is not offered to it`);
    return new SextantError('forbidden', `${what.slice(0, 200)} is not offered to isolated plugins`);
  }

  #object(value: object, gives: readonly string[]): ReplyValue {
    if (this.#objects.length >= mostObjects)
      throw new SextantError('exhausted', `a call may hold ${mostObjects} objects of the server`);
    const members = gives.map((name) => [name, Reflect.get(value, name)] as const);
    const methods = members.filter(([, member]) => typeof member === 'function').map(([name]) => name);
    this.#objects.push({ value, methods });
    const data = Object.fromEntries(members.filter(([, member]) => typeof member !== 'function'));
    return { kind: 'object', ref: this.#objects.length - 1, methods, data };
  }

  /** Puts a signal, a function or this call in the place of each mark that stands for one. */
  #decoded(args: readonly unknown[]): unknown[] {
    return args.map((arg) => {
      if (!isPlain(arg)) return arg;
      const decoded = this.#unmarked(arg);
      if (decoded !== arg) return decoded;
      return Object.fromEntries(
        Object.entries(arg).map(([key, item]) => [key, isPlain(item) ? this.#unmarked(item) : item]),
      );
    });
  }

  #unmarked(value: Record<string, unknown>): unknown {
    const { $signal: signal, $function: fn, $call: call } = value;
    if (typeof signal === 'number') return this.#signal(signal, value['aborted'] === true);
    if (typeof fn === 'number')
      return (...args: unknown[]) => {
        const sent = {
          type: 'callback',
          call: this.#options.id,
          function: fn,
          args: args.filter((arg) => typeof arg !== 'function'),
        } as const;
        if (!this.#hasEnded) this.#options.send(sent);
      };
    if (!isPlain(call)) return value;
    const own = this.#unmarked(call);
    return { ...this.#options.call, ...(own instanceof AbortSignal && { signal: own }) };
  }

  #signal(mark: number, isAborted: boolean): AbortSignal {
    const { signal: ofCall } = this.#options.call;
    if (mark === 0) return ofCall;
    if (this.#signals.size >= mostMarks) throw new SextantError('exhausted', 'too many signals in one call');
    const controller = this.#signals.get(mark) ?? new AbortController();
    this.#signals.set(mark, controller);
    if (isAborted) controller.abort(new SextantError('canceled', 'the call was canceled'));
    return joinSignals(ofCall, controller.signal);
  }
}

/** What the plugin's side is told of services. */
export function sentServices(services: Resolved<Needs>): SentServices {
  const sent = Object.entries(services).flatMap(([name, service]): [string, SentService][] => {
    const methods = remoteOf(service);
    return methods ? [[name, { methods, data: dataOf(service, methods) }]] : [];
  });
  return Object.fromEntries(sent);
}

function dataOf(service: unknown, methods: Remote): Record<string, unknown> {
  if (typeof service !== 'object' || service === null) return {};
  const names = Object.keys(methods).filter((name) => methods[name] === 'data');
  // Plain values alone: what has functions in it stays here.
  return Object.fromEntries(
    names.map((name) => [name, JSON.parse(JSON.stringify(Reflect.get(service, name) ?? null))]),
  );
}

function invoke(target: object, method: string, args: readonly unknown[]): unknown {
  const found: unknown = Reflect.get(target, method);
  if (typeof found !== 'function') throw new SextantError('not_found', `there is no method ${method}`);
  return Reflect.apply(found, target, args);
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.getPrototypeOf(value) === Object.prototype;
