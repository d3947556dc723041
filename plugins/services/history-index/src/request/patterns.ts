import { escapeRegExp, SextantError } from '@sextant/core';
import { Arena, Patterns, Workspace } from '@sextant/library-block-index';
import type { LineMatcher } from '@sextant/library-block-index';

const arenaBytes = 512 << 20;

export interface PatternList {
  readonly patterns: readonly string[];
  /** The argument that an error names. */
  readonly argument: string;
  readonly isRegex: boolean;
  readonly foldCase: boolean;
}

/** Compiles what callers search for. Every expression is matched in linear time. */
export class HistoryPatterns {
  readonly #patterns: Patterns;

  constructor(workspace = new Workspace(Arena.create(arenaBytes))) {
    this.#patterns = new Patterns(workspace);
  }

  /** Matches a line that matches one of the patterns. Undefined for no patterns. Throws as `regexOf`. Release it after use. */
  anyOf(list: PatternList): LineMatcher | undefined {
    const regex = this.regexOf(list);
    return regex === undefined ? undefined : this.matcher({ regex, foldCase: list.foldCase });
  }

  /** The items whose name matches one of the patterns. Throws as `regexOf`. */
  select<T>(items: readonly T[], nameOf: (item: T) => string, list: PatternList): T[] {
    const matcher = this.anyOf(list);
    if (!matcher) return [];
    try {
      return items.filter((item) => matcher.test(nameOf(item)));
    } finally {
      matcher.release();
    }
  }

  /** Joins the patterns to one expression. Throws `invalid_argument`, and names a pattern that cannot be used. */
  regexOf(list: PatternList): string | undefined {
    const regexes = list.patterns.map((pattern) => this.#checked(pattern, list));
    if (regexes.length < 2) return regexes[0];
    const regex = regexes.map((each) => `(?:${each})`).join('|');
    const { argument, foldCase } = list;
    this.#patterns.check(regex, { foldCase, argument, written: list.patterns.join(', ') });
    return regex;
  }

  /** Compiles an expression that `regexOf` returned. Release it after use. */
  matcher({ regex, foldCase }: { readonly regex: string; readonly foldCase: boolean }): LineMatcher {
    return this.#patterns.compile(regex, { foldCase });
  }

  /** Checks each pattern by itself. Joined with others, an invalid one could close their groups. */
  #checked(pattern: string, { argument, isRegex, foldCase }: PatternList): string {
    if (!isRegex && /[\n\r]/.test(pattern))
      throw new SextantError(
        'invalid_argument',
        `Argument "${argument}": text is looked for within one line; search its lines one by one.`,
      );
    const regex = isRegex ? pattern : escapeRegExp(pattern);
    this.#patterns.check(regex, { foldCase, argument, written: pattern });
    return regex;
  }
}
