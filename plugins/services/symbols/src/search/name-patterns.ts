import { SextantError } from '@sextant/core';
import { Arena, LimitError, QueryError, TextMatcher, Workspace } from '@sextant/library-block-index';

const arenaBytes = 16 << 20;

/** A regular expression over names, in time linear in their length. To be released after use. */
export type NamePattern = Pick<TextMatcher, 'test' | 'release'>;

/** Compiles what the queries of callers say of names. */
export class NamePatterns {
  readonly #workspace = new Workspace(Arena.create(arenaBytes));

  /** Throws `invalid_argument` for an expression that cannot be used. */
  compile(pattern: string, isCaseSensitive: boolean): NamePattern {
    try {
      return new TextMatcher(this.#workspace, pattern, { foldCase: !isCaseSensitive });
    } catch (error) {
      if (!(error instanceof QueryError) && !(error instanceof LimitError)) throw error;
      const shown = pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern;
      throw new SextantError('invalid_argument', `the regular expression "${shown}" cannot be used: ${error.message}`);
    }
  }
}
