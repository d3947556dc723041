import type { NotSearched } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import type { Call } from '@sextant/core';

/** A function that scripts can call. */
export interface ScriptFunction {
  /** The tool that it stands for: while that is switched off, so is the function. */
  readonly tool: string;
  /** The argument is any JSON, null where there was none. Throws what the script is told. */
  run(argument: unknown, call: Call): Promise<object>;
}

/** One match, whatever was searched: what does not apply is empty or 0. */
export interface Match {
  readonly repo: string;
  readonly path: string;
  readonly rev: string;
  readonly line: number;
  readonly text: string;
}

/** What every search answers. */
export interface Matches {
  readonly matches: readonly Match[];
  readonly stats: {
    readonly matchCount: number;
    readonly limitHit: boolean;
    readonly notSearched?: NotSearched;
  };
  /** What the search did not do as it reads. */
  readonly notes?: readonly string[];
}

/** The text that a search is given, alone or as `{query = …}`. */
export function queryIn(argument: unknown, example: string): string {
  const isTable = typeof argument === 'object' && argument !== null && 'query' in argument;
  const query = isTable ? argument.query : argument;
  if (typeof query === 'string' && query !== '') return query;
  throw new SextantError('invalid_argument', `a query is missing; write it as in ${example}`);
}

/** An empty table is an array in JSON; here it is one without names. */
export function namedIn(argument: unknown): unknown {
  return argument === null || (Array.isArray(argument) && argument.length === 0) ? {} : argument;
}
