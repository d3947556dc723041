import type { CommitRecord } from '@sextant/contracts';
import { identityText } from '@sextant/contracts';
import type { Window } from '../request/dates.ts';
import type { LineMatcher } from '@sextant/library-block-index';
import type { HistoryPatterns } from '../request/patterns.ts';
import type { Clause, Wanted } from '../request/wanted.ts';

/** Compiled clauses. */
class Matchers {
  readonly #clauses: readonly { readonly isNegated: boolean; readonly matcher: LineMatcher }[];

  constructor(clauses: readonly Clause[], make: (clause: Clause) => LineMatcher) {
    this.#clauses = clauses.map((clause) => ({ isNegated: clause.isNegated, matcher: make(clause) }));
  }

  get isEmpty(): boolean {
    return this.#clauses.length === 0;
  }

  /** Whether each clause matches one of the texts or, if it is negated, none of them. */
  accept(texts: readonly string[]): boolean {
    return this.#clauses.every(({ isNegated, matcher }) => texts.some((text) => matcher.test(text)) !== isNegated);
  }
}

/** The conditions of a query, compiled. Release it after use. */
export class CommitPredicate {
  readonly window: Window;
  /** Tests one changed line. */
  readonly content: LineMatcher | undefined;
  readonly #paths: Matchers;
  readonly #authors: Matchers;
  readonly #messages: Matchers;
  readonly #owned: LineMatcher[] = [];

  constructor(patterns: HistoryPatterns, { window, authors, messages, paths, content }: Wanted) {
    const make = (clause: Clause): LineMatcher => {
      const matcher = patterns.matcher(clause);
      this.#owned.push(matcher);
      return matcher;
    };
    this.window = window;
    try {
      this.#authors = new Matchers(authors, make);
      this.#messages = new Matchers(messages, make);
      this.#paths = new Matchers(paths, make);
      this.content = content && make(content);
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Whether the query is about changed paths or lines. */
  get needsChanges(): boolean {
    return this.content !== undefined || !this.#paths.isEmpty;
  }

  /** Whether the query is about authors or messages. */
  get looksAtCommits(): boolean {
    return !this.#authors.isEmpty || !this.#messages.isEmpty;
  }

  get looksAtAuthors(): boolean {
    return !this.#authors.isEmpty;
  }

  isInWindow(time: number): boolean {
    return time >= (this.window.after ?? -Infinity) && time <= (this.window.before ?? Infinity);
  }

  acceptsPath(path: string): boolean {
    return this.#paths.accept([path]);
  }

  /** `identities`: the author as written and as mapped. */
  acceptsAuthor(identities: readonly string[]): boolean {
    return this.#authors.accept(identities);
  }

  /** Tests date, author and message. Changes are not looked at. */
  accepts({ author, mapped, time, message }: CommitRecord): boolean {
    if (!this.isInWindow(time)) return false;
    if (!this.#authors.isEmpty && !this.acceptsAuthor([author, mapped].map(identityText))) return false;
    return this.#messages.isEmpty || this.#messages.accept(message.split('\n'));
  }

  release(): void {
    for (const matcher of this.#owned) matcher.release();
  }
}
