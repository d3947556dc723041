import { SextantError, currentMeter, isSextantError, metered } from '@sextant/core';
import type { ProcessorMeter } from '@sextant/core';
import { BoundedWorker } from '@sextant/library-workers';
import type { Script, ScriptOutcome } from '../vm/script-vm.ts';
import type { Answer, LuaThreadData, Question, ThreadMessage, ThreadRequest } from './protocol.ts';
import { SharedOutput } from './shared-output.ts';

export interface ScriptThreadOptions {
  readonly lua: WebAssembly.Module;
  /** Most memory of a script. */
  readonly maxBytes: number;
  /** Room for what a script prints. */
  readonly outputBytes: number;
}

/** Whom a thread asks while it runs a script. */
export interface ScriptWatcher {
  /** Answers with JSON; an error for callers is raised in the script, any other ends it. */
  answer(question: Question): Promise<string>;
  /** The script printed more than there is room for and stands still. */
  onFull(): void;
}

/** JavaScript's own memory in a thread: answers as text and as values, on their way to the script. */
const heapMegabytes = 256;

interface Running {
  readonly watcher: ScriptWatcher;
  readonly meter: ProcessorMeter | undefined;
  readonly end: PromiseWithResolvers<ScriptOutcome>;
}

const compiled = process.env['NODE_COMPILE_CACHE'];

/** A thread that runs scripts, as the one sees it that started it. */
export class ScriptThread {
  readonly #worker: BoundedWorker;
  readonly #output: SharedOutput;
  readonly #ready = Promise.withResolvers<void>();
  #running: Running | undefined;
  /** Milliseconds by the clock in which the script ran, before it was last paused. */
  #ranMs = 0;
  /** Undefined while it waits. */
  #since: number | undefined;
  #failure: Error | undefined;

  constructor({ lua, maxBytes, outputBytes }: ScriptThreadOptions) {
    this.#output = SharedOutput.ofSize(outputBytes);
    const data: LuaThreadData = { lua, maxBytes, output: this.#output.buffer };
    this.#worker = new BoundedWorker(new URL('./lua-thread.ts', import.meta.url), {
      workerData: data,
      // Nothing of the server's is there to be found, but where modules are that were compiled before: to remove their types takes longest of a start.
      env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled },
      heapMegabytes,
    });
    this.#worker.on('message', (message: ThreadMessage) => this.#receive(message));
    this.#worker.once('error', (error) => this.#fail(error));
    this.#worker.once('exit', () => this.#fail(ended()));
    // Nobody waits for a thread that ends before it is needed.
    this.#ready.promise.catch(() => {});
  }

  /** Settled when it can take its first script; throws when it could not start. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Whether it can run another script. */
  get isAlive(): boolean {
    return this.#failure === undefined;
  }

  /** What the script printed until now. */
  get printed(): Uint8Array {
    return this.#output.printed;
  }

  /** Runs a script, one at a time. Throws when the thread ends before the script does. */
  run(script: Script, watcher: ScriptWatcher): Promise<ScriptOutcome> {
    if (this.#failure) return Promise.reject(this.#failure);
    const end = Promise.withResolvers<ScriptOutcome>();
    this.#running = { watcher, meter: currentMeter(), end };
    this.#output.clear();
    this.#ranMs = 0;
    this.#since = performance.now();
    this.#post({ script });
    return end.promise;
  }

  /** Ends it, whatever it does. */
  async terminate(): Promise<void> {
    this.#pause();
    // It can no longer tell what it had.
    this.#running?.meter?.add(this.#ranMs);
    await this.#worker.terminate();
  }

  #receive(message: ThreadMessage): void {
    if (message.kind === 'ready') return this.#ready.resolve();
    if (!this.#running) return;
    const { watcher, meter, end } = this.#running;
    this.#pause();
    if (message.kind === 'full') return watcher.onFull();
    if (message.kind === 'question') {
      const running = this.#running;
      return void metered(meter, () => this.#answer(message.question, running));
    }
    this.#running = undefined;
    meter?.add(message.spent);
    end.resolve(message.outcome);
  }

  async #answer(question: Question, { watcher, end }: Running): Promise<void> {
    let answer: Answer;
    try {
      answer = { value: await watcher.answer(question) };
    } catch (error) {
      if (!isSextantError(error)) return end.reject(error);
      answer = { refusal: error.message };
    }
    this.#since = performance.now();
    this.#post({ answer });
    this.#output.wake();
  }

  #pause(): void {
    if (this.#since !== undefined) this.#ranMs += performance.now() - this.#since;
    this.#since = undefined;
  }

  #post(request: ThreadRequest): void {
    this.#worker.postMessage(request);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#ready.reject(error);
    this.#running?.end.reject(error);
  }
}

const ended = (): SextantError => new SextantError('unavailable', 'the thread of the script ended; run it again');
