import { SextantError, isSextantError } from '@sextant/core';
import type { Call } from '@sextant/core';
import type { GeneratedFile } from '@sextant/contracts';
import type { Limits } from './config.ts';
import { requireFileName } from './files/file-names.ts';
import { kindOf } from './functions/functions.ts';
import type { Functions } from './functions/functions.ts';
import type { Question } from './threads/protocol.ts';
import type { ScriptWatcher } from './threads/script-thread.ts';

export interface ScriptRunParts {
  readonly functions: Functions;
  readonly limits: Limits;
  readonly call: Call;
  /** Keeps a file for the caller. */
  addFile(name: string, content: Uint8Array): Promise<GeneratedFile>;
}

/** What one script asks for, counted and bounded. */
export class ScriptRun implements ScriptWatcher {
  readonly files = new Map<string, GeneratedFile>();
  readonly #parts: ScriptRunParts;
  readonly #controller = new AbortController();
  readonly #used = { searches: 0, reads: 0 };
  #writes = 0;
  #limitHit = false;

  constructor(parts: ScriptRunParts) {
    this.#parts = parts;
  }

  get stats(): { searches: number; reads: number; limitHit: boolean } {
    return { ...this.#used, limitHit: this.#limitHit };
  }

  /** Aborts with the `SextantError` that says why the script must end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(reason: Error): void {
    this.#controller.abort(reason);
  }

  onFull(): void {
    const { outputBytes } = this.#parts.limits;
    const message = `the script printed more than ${outputBytes} bytes; print less, or write a file with files.write`;
    this.stop(new SextantError('exhausted', message));
  }

  async answer(question: Question): Promise<string> {
    if (question.kind === 'write') return JSON.stringify(await this.#write(question));
    // Counted before it is looked at: what is refused takes time too.
    this.#count(kindOf(question.name));
    const called = this.#parts.functions.find(question.name);
    const { call } = this.#parts;
    call.reportProgress({ progress: this.#used.searches + this.#used.reads, message: question.name });
    const answer = await this.#named(
      question.name,
      called.run(JSON.parse(question.argument), { ...call, signal: this.signal }),
    );
    this.#limitHit ||= isLimited(answer);
    return JSON.stringify(answer);
  }

  /** Errors say which function they come from. */
  async #named<T>(name: string, running: Promise<T>): Promise<T> {
    try {
      return await running;
    } catch (error) {
      if (!isSextantError(error)) throw error;
      throw new SextantError(error.code, `${name}: ${error.message}`);
    }
  }

  #count(kind: 'searches' | 'reads'): void {
    const most = this.#parts.limits[kind];
    if (this.#used[kind] >= most) this.#end(`the script made more than ${most} ${kind}; ${advice[kind]}`);
    this.#used[kind] += 1;
  }

  /** The script is at a limit. */
  #end(message: string): never {
    const reason = new SextantError('exhausted', message);
    this.stop(reason);
    throw reason;
  }

  async #write({ name, bytes }: Extract<Question, { kind: 'write' }>): Promise<GeneratedFile> {
    const { fileBytes, filesPerScript } = this.#parts.limits;
    this.#writes += 1;
    if (this.#writes > filesPerScript) this.#end(`files.write: the script wrote more than ${filesPerScript} files`);
    requireFileName(name);
    if (bytes.length > fileBytes)
      this.#end(`files.write: ${name} would have ${bytes.length} bytes; a file has ${fileBytes} at most`);
    const file = await this.#parts.addFile(name, bytes);
    this.files.set(name, file);
    return file;
  }
}

const advice = {
  searches: 'put several questions into one query with OR, or leave out repo: to search all at once',
  reads: 'find lines with search.keyword instead of reading files',
} as const;

/** Whether there is more than an answer gives, however the function says so. */
function isLimited(answer: object): boolean {
  if ('stats' in answer && typeof answer.stats === 'object' && answer.stats !== null) return isLimited(answer.stats);
  return (
    ('limitHit' in answer && answer.limitHit === true) || ('hasMoreResults' in answer && answer.hasMoreResults === true)
  );
}
