import { SextantError } from '@sextant/core';
import { Arena, LimitError, LineMatcher, QueryError, Workspace } from '@sextant/library-block-index';
import { escapeRegex } from './glob.ts';

const arenaBytes = 512 << 20;

export interface PatternList {
  readonly patterns: readonly string[];
  /** Of whose arguments an error speaks. */
  readonly argument: string;
  readonly isRegex: boolean;
  readonly foldCase: boolean;
}

/** Whether one of some patterns is in a line. */
export class AnyOf {
  readonly #matcher: LineMatcher;

  constructor(matcher: LineMatcher) {
    this.#matcher = matcher;
  }

  test(line: Uint8Array): boolean {
    return this.#matcher.test(line);
  }

  testText(text: string): boolean {
    return this.#matcher.test(Buffer.from(text));
  }

  ranges(line: Uint8Array): (readonly [start: number, end: number])[] {
    return this.#matcher.ranges(line);
  }

  release(): void {
    this.#matcher.release();
  }
}

/** Makes matchers of what callers search for: linear time whatever the expression. */
export class Patterns {
  readonly #workspace: Workspace;

  constructor(workspace = new Workspace(Arena.create(arenaBytes))) {
    this.#workspace = workspace;
  }

  /** Undefined for no patterns. Throws `invalid_argument` naming the pattern that cannot be used. Release it after use. */
  anyOf(list: PatternList): AnyOf | undefined {
    const regex = this.regexOf(list);
    return regex === undefined ? undefined : this.matcher({ regex, foldCase: list.foldCase });
  }

  /** The one expression that all patterns are. Throws as `anyOf`. */
  regexOf(list: PatternList): string | undefined {
    const regexes = list.patterns.map((pattern) => this.#checked(pattern, list));
    if (regexes.length < 2) return regexes[0];
    const regex = regexes.map((each) => `(?:${each})`).join('|');
    try {
      this.matcher({ regex, foldCase: list.foldCase }).release();
    } catch (error) {
      throw refusal(error, list.argument, list.patterns.join(', '));
    }
    return regex;
  }

  /** Of an expression that is known to be one. Release it after use. */
  matcher({ regex, foldCase }: { readonly regex: string; readonly foldCase: boolean }): AnyOf {
    return new AnyOf(new LineMatcher(this.#workspace, regex, { foldCase }));
  }

  /** The expression of one pattern, which is known to be one: joined with others it could close their groups. */
  #checked(pattern: string, { argument, isRegex, foldCase }: PatternList): string {
    if (!isRegex && /[\n\r]/.test(pattern))
      throw new SextantError(
        'invalid_argument',
        `Argument "${argument}": text is looked for within one line; search its lines one by one.`,
      );
    const regex = isRegex ? pattern : escapeRegex(pattern);
    try {
      this.matcher({ regex, foldCase }).release();
    } catch (error) {
      throw refusal(error, argument, pattern);
    }
    return regex;
  }
}

function refusal(error: unknown, argument: string, pattern: string): unknown {
  if (!(error instanceof QueryError) && !(error instanceof LimitError)) return error;
  const shown = pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern;
  return new SextantError('invalid_argument', `Argument "${argument}": "${shown}" cannot be used: ${error.message}.`);
}
