import { SextantError } from '@sextant/core';
import { Arena, LimitError, LineMatcher, QueryError, Workspace } from '@sextant/library-block-index';
import { escapeRegex } from './glob.ts';

const arenaBytes = 512 << 20;

export interface PatternList {
  readonly patterns: readonly string[];
  /** The argument that an error names. */
  readonly argument: string;
  readonly isRegex: boolean;
  readonly foldCase: boolean;
}

/** Tests whether a line matches. */
export class PatternMatcher {
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

/** Compiles what callers search for. Every expression is matched in linear time. */
export class HistoryPatterns {
  readonly #workspace: Workspace;

  constructor(workspace = new Workspace(Arena.create(arenaBytes))) {
    this.#workspace = workspace;
  }

  /** Matches a line that matches one of the patterns. Undefined for no patterns. Throws as `regexOf`. Release it after use. */
  anyOf(list: PatternList): PatternMatcher | undefined {
    const regex = this.regexOf(list);
    return regex === undefined ? undefined : this.matcher({ regex, foldCase: list.foldCase });
  }

  /** Joins the patterns to one expression. Throws `invalid_argument`, and names a pattern that cannot be used. */
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

  /** Compiles an expression that `regexOf` returned. Release it after use. */
  matcher({ regex, foldCase }: { readonly regex: string; readonly foldCase: boolean }): PatternMatcher {
    return new PatternMatcher(new LineMatcher(this.#workspace, regex, { foldCase }));
  }

  /** Checks each pattern by itself. Joined with others, an invalid one could close their groups. */
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
