import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { WorkerPool } from '@sextant/library-workers';
import type { NamedRepositories } from '../task/repository-names.ts';
import type { ReadTask } from '../task/read-task.ts';
import type { StepAnswer, StepRequest, Steps } from './research-steps.ts';

/** Who asks. */
export interface Asking {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

/**
 * Does off the event loop what takes long: reading texts of callers with many patterns, and counting words in files. Callers take
 * turns. Every method throws `timeout` for what takes too long, and stops when the signal aborts.
 */
export class ResearchThreads {
  readonly #pool: WorkerPool<StepRequest, StepAnswer>;
  readonly #stepMs: number;

  constructor({ threads, stepMs }: { threads: number; stepMs: number }) {
    const module = new URL('./research-thread.ts', import.meta.url);
    this.#stepMs = stepMs;
    this.#pool = new WorkerPool({ module, threads, forBackground: 0, hangMs: stepMs });
  }

  async read(text: string, asking: Asking): Promise<ReadTask> {
    const answered = await this.#run({ step: 'read', asked: text }, asking);
    return answered.step === 'read' ? answered.answer : this.#unexpected();
  }

  async repositoriesIn(text: string, names: readonly string[], asking: Asking): Promise<NamedRepositories> {
    const answered = await this.#run({ step: 'names', asked: { text, names } }, asking);
    return answered.step === 'names' ? answered.answer : this.#unexpected();
  }

  async rank(evidence: Steps['rank']['asked'], asking: Asking): Promise<Steps['rank']['answer']> {
    const answered = await this.#run({ step: 'rank', asked: evidence }, asking);
    return answered.step === 'rank' ? answered.answer : this.#unexpected();
  }

  async ranges(chosen: Steps['ranges']['asked'], asking: Asking): Promise<Steps['ranges']['answer']> {
    const answered = await this.#run({ step: 'ranges', asked: chosen }, asking);
    return answered.step === 'ranges' ? answered.answer : this.#unexpected();
  }

  async symbols(asked: Steps['symbols']['asked'], asking: Asking): Promise<Steps['symbols']['answer']> {
    const answered = await this.#run({ step: 'symbols', asked }, asking);
    return answered.step === 'symbols' ? answered.answer : this.#unexpected();
  }

  close(): Promise<void> {
    return this.#pool.close(new SextantError('unavailable', 'the server is stopping'));
  }

  async #run(request: StepRequest, { caller, signal }: Asking): Promise<StepAnswer> {
    const answered = await this.#pool.run(request, { owner: caller.user.id, signal });
    if (answered) return answered;
    throw new SextantError(
      'timeout',
      `comparing the task with files took longer than ${this.#stepMs / 1000} s; shorten it to what is to be found, in words, names, paths and error texts, or try again later`,
    );
  }

  #unexpected(): never {
    throw new Error('a thread answered another step than the one it was asked for');
  }
}
