import { SextantError } from '@sextant/core';
import { Arena, LimitError, QueryError, TextMatcher, Workspace } from '@sextant/library-block-index';
import { leavesOf } from '@sextant/contracts';
import type { Query } from '@sextant/contracts';

const arenaBytes = 48 << 20;

/** Compiles the regular expressions of queries to check them before a search, and to match names. */
export class Patterns {
  readonly #workspace = new Workspace(Arena.create(arenaBytes));

  /** Throws `invalid_argument` for the first expression that cannot be used. */
  check(query: Query): void {
    for (const { leaf } of leavesOf(query)) if ('pattern' in leaf) this.#compile(leaf.pattern).release();
  }

  /** The names that an expression matches, in any case and unanchored. */
  matching(pattern: string, names: readonly string[]): ReadonlySet<string> {
    const matcher = this.#compile(pattern);
    try {
      return new Set(names.filter((name) => matcher.test(name)));
    } finally {
      matcher.release();
    }
  }

  #compile(pattern: string): TextMatcher {
    try {
      return new TextMatcher(this.#workspace, pattern, { foldCase: true });
    } catch (error) {
      if (!(error instanceof QueryError) && !(error instanceof LimitError)) throw error;
      const shown = pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern;
      throw new SextantError('invalid_argument', `the regular expression "${shown}" cannot be used: ${error.message}`);
    }
  }
}
