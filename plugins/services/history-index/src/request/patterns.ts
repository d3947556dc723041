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
  /** The one expression that all are. */
  readonly regex: string;
  readonly #matcher: LineMatcher;

  constructor(regex: string, matcher: LineMatcher) {
    this.regex = regex;
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
  readonly #workspace = new Workspace(Arena.create(arenaBytes));

  /** Undefined for no patterns. Throws `invalid_argument` naming the pattern that cannot be used. Release it after use. */
  anyOf(list: PatternList): AnyOf | undefined {
    if (list.patterns.length === 0) return undefined;
    const regexes = list.patterns.map((pattern) => this.#checked(pattern, list));
    try {
      const regex = regexes.length === 1 ? regexes.join('') : regexes.map((each) => `(?:${each})`).join('|');
      return new AnyOf(regex, this.#compile(regex, list.foldCase));
    } catch (error) {
      throw refusal(error, list.argument, list.patterns.join(', '));
    }
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
      this.#compile(regex, foldCase).release();
    } catch (error) {
      throw refusal(error, argument, pattern);
    }
    return regex;
  }

  #compile(regex: string, foldCase: boolean): LineMatcher {
    return new LineMatcher(this.#workspace, regex, { foldCase });
  }
}

function refusal(error: unknown, argument: string, pattern: string): unknown {
  if (!(error instanceof QueryError) && !(error instanceof LimitError)) return error;
  const shown = pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern;
  return new SextantError('invalid_argument', `Argument "${argument}": "${shown}" cannot be used: ${error.message}.`);
}
