import { isUtf8 } from 'node:buffer';
import { SextantError } from '@sextant/core';
import type { Call, Caller } from '@sextant/core';
import type { Evaluation, Evaluator, GeneratedFile, StoredFile } from '@sextant/contracts';
import type { Limits } from './config.ts';
import { scriptError, withDone } from './failure-text.ts';
import type { FileStore } from './files/file-store.ts';
import { filesPath } from './files/page.ts';
import type { Functions } from './functions/functions.ts';
import { ScriptRun } from './script-run.ts';
import type { ScriptThread } from './threads/script-thread.ts';
import type { ThreadPool } from './threads/thread-pool.ts';
import type { ScriptOutcome } from './vm/script-vm.ts';

export interface LuaEvaluatorParts {
  readonly pool: ThreadPool;
  readonly functions: Functions;
  readonly files: FileStore;
  readonly limits: Limits;
  readonly externalURL: string;
}

/** Runs each script in a thread, and ends it from outside when it must. */
export class LuaEvaluator implements Evaluator {
  readonly #parts: LuaEvaluatorParts;

  constructor(parts: LuaEvaluatorParts) {
    this.#parts = parts;
  }

  async run(script: string, call: Call): Promise<Evaluation> {
    const { pool, functions, limits } = this.#parts;
    const run = new ScriptRun({
      functions,
      limits,
      call,
      addFile: (name, content) => this.#addFile(call.caller, { name, content }),
    });
    const thread = await pool.acquire(call.caller.user.id, call.signal);
    let isReusable = false;
    try {
      await thread.ready;
      const outcome = await this.#runWatched(script, { run, thread, signal: call.signal });
      isReusable = true;
      return this.#evaluation(outcome, { script, run, thread });
    } finally {
      pool.release(thread, isReusable);
    }
  }

  async readFile(caller: Caller, id: string): Promise<StoredFile> {
    const file = await this.#parts.files.read(caller.user.id, id);
    if (file) return file;
    throw new SextantError(
      'not_found',
      'there is no such file; files are kept for a day, for the one whose script wrote them',
    );
  }

  /** Throws why the script was stopped. */
  async #runWatched(script: string, { run, thread, signal }: Watched): Promise<ScriptOutcome> {
    const { functions, limits } = this.#parts;
    const stopped = Promise.withResolvers<never>();
    run.signal.addEventListener('abort', () => stopped.reject(run.signal.reason), { once: true });
    const cancel = (): void => run.stop(signal.reason);
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    const timer = setTimeout(() => run.stop(late(limits)), limits.seconds * 1000);
    const { resultCharacters } = limits;
    try {
      return await Promise.race([
        thread.run({ text: script, tools: functions.toolNames, resultCharacters }, run),
        stopped.promise,
      ]);
    } catch (error) {
      if (run.signal.aborted && !signal.aborted) throw this.#told(run.signal.reason, { run, thread });
      if (isOutOfHeap(error)) throw this.#told(tooMuch(), { run, thread });
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      // What the script still waits for, nobody wants any more.
      run.stop(new SextantError('canceled', 'the script has ended'));
    }
  }

  #evaluation(outcome: ScriptOutcome, { script, run, thread }: Ended): Evaluation {
    if ('failure' in outcome) {
      throw this.#told(scriptError(outcome.failure, script), { run, thread });
    }
    const { printed } = thread;
    const notes = isUtf8(printed) ? [] : ['Bytes that are not UTF-8 were replaced in the output.'];
    const { stats, files } = run;
    return { result: JSON.parse(outcome.result), output: decode(printed), files: [...files.values()], stats, notes };
  }

  #told({ code, message }: SextantError, { run, thread }: Omit<Ended, 'script'>): SextantError {
    const done = { output: decode(thread.printed), files: [...run.files.values()], stats: run.stats };
    return new SextantError(code, withDone(message, done));
  }

  async #addFile({ user }: Caller, file: StoredFile): Promise<GeneratedFile> {
    const id = await this.#parts.files.add(user.id, file);
    return { name: file.name, url: `${this.#parts.externalURL}${filesPath}${id}`, bytes: file.content.length };
  }
}

interface Watched {
  readonly run: ScriptRun;
  readonly thread: ScriptThread;
  readonly signal: AbortSignal;
}

interface Ended {
  readonly script: string;
  readonly run: ScriptRun;
  readonly thread: ScriptThread;
}

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

const late = ({ seconds }: Limits): SextantError =>
  new SextantError('timeout', `the script took longer than ${seconds} s and was stopped; do less in one script`);

const tooMuch = (): SextantError =>
  new SextantError('exhausted', 'the script moved more data at once than fits the memory of its thread');

const isOutOfHeap = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
