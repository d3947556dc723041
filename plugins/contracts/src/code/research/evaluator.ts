import { token } from '@sextant/core';
import type { Call, Caller } from '@sextant/core';

/** A file that a script wrote; its creator can download it for a day. */
export interface GeneratedFile {
  readonly name: string;
  readonly url: string;
  readonly bytes: number;
}

/** What a script returned, printed, wrote and used. */
export interface Evaluation {
  /** Any JSON. Several returned values are an array, none is null. */
  readonly result: unknown;
  readonly output: string;
  readonly files: readonly GeneratedFile[];
  /** `limitHit`: some search has more than it gave. */
  readonly stats: { readonly searches: number; readonly reads: number; readonly limitHit: boolean };
  /** Sentences for the caller. */
  readonly notes: readonly string[];
}

/** A generated file with its content. */
export interface StoredFile {
  readonly name: string;
  readonly content: Uint8Array;
}

/** Runs scripts in a sandbox, with the read-only tools as functions. */
export interface Evaluator {
  /**
   * Runs a script with the permissions and the signal of `call`. Throws `invalid_argument` for an error in the script,
   * and `timeout` or `exhausted` at a limit. The message says what was done so far.
   */
  run(script: string, call: Call): Promise<Evaluation>;
  /** A file that the caller created. Throws `not_found` alike for one that is gone, of someone else or never was. */
  readFile(caller: Caller, id: string): Promise<StoredFile>;
}

export const Evaluator = token<Evaluator>('evaluator', { remote: { run: 'call' } });
