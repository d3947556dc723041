import { joinSignals, timeoutSignal } from '@sextant/core';
import type { Progress } from '@sextant/core';
import type { ResearchWork } from '@sextant/contracts';

/** Of an answer from which something was left out because the limits were reached. */
export const cutShort =
  'The search was cut short: its time, or its number of searches, was used up. What is not here may still be in the repository; ask for less at once, or again later.';

/** Of an answer about a repository whose history begins late. It names none: who reads an answer may not be allowed to read each. */
export const cutHistory =
  'Of a repository that was looked at, the server has only the later part of the history (a shallow clone): who did something first, and when, may lie before.';

/** Of an answer from which something may be missing because it could not be searched. It names no repository, for the same reason. */
export const notAllSearched =
  'Not everything could be searched (content is missing or damaged, or not indexed yet), so that something may be missing here: keyword_search says what, and why.';

/** Milliseconds in which what ends by itself must have ended: by then a code node has sent its answer. */
const slackMs = 1000;

/** What one piece of research may still do. */
export class Work {
  readonly signal: AbortSignal;
  readonly #report: (progress: Progress) => void;
  readonly #end: number;
  #calls: number;
  #steps = 0;
  readonly #notes = new Set<string>();

  constructor({ signal, reportProgress, maxCalls, maxSeconds }: Required<ResearchWork>) {
    this.signal = signal;
    this.#report = reportProgress;
    this.#calls = maxCalls;
    this.#end = performance.now() + maxSeconds * 1000;
  }

  get isSpent(): boolean {
    return this.#calls <= 0 || performance.now() > this.#end;
  }

  get callsLeft(): number {
    return Math.max(0, this.#calls);
  }

  get secondsLeft(): number {
    return Math.max(0, (this.#end - performance.now()) / 1000);
  }

  /** What the reader of the answer is to know of how it was found. */
  get notes(): readonly string[] {
    return [...this.#notes];
  }

  /** Whether something was left out because the limits were reached. */
  get isCut(): boolean {
    return this.#notes.has(cutShort);
  }

  /** What holds of any answer to what was asked, whoever gives it. */
  get lastingNotes(): readonly string[] {
    return [cutHistory, notAllSearched].filter((note) => this.#notes.has(note));
  }

  note(sentence: string): void {
    this.#notes.add(sentence);
  }

  /** Says what is done now. */
  step(message: string): void {
    this.signal.throwIfAborted();
    this.#steps += 1;
    this.#report({ progress: this.#steps, message });
  }

  /** Counts calls that were made elsewhere. */
  spend(calls: number): void {
    this.#calls -= calls;
  }

  /** Makes a call that is worth its place; undefined once the limits are reached, also while it is made. */
  async call<T>(make: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    if (this.isSpent) return this.#cut();
    this.#calls -= 1;
    return this.#before(this.#end, make);
  }

  /** Makes a call that ends by itself when the time is used up; undefined where it did not a little later. */
  ending<T>(make: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    return this.#before(this.#end + slackMs, make);
  }

  async #before<T>(end: number, make: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const late = timeoutSignal(Math.ceil(Math.max(0, end - performance.now())));
    try {
      return await make(joinSignals(this.signal, late));
    } catch (error) {
      if (!late.aborted || this.signal.aborted) throw error;
      return this.#cut();
    }
  }

  #cut(): undefined {
    this.note(cutShort);
    return undefined;
  }
}
