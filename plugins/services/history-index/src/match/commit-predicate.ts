import type { CommitRecord } from '../git/commit-record.ts';
import { identityText } from '../git/commit-record.ts';
import type { Window } from '../request/dates.ts';
import type { AnyOf, Patterns } from '../request/patterns.ts';
import type { Clause, Wanted } from '../request/wanted.ts';

/** Clauses ready to be tested. */
class Matchers {
  readonly #clauses: readonly { readonly isNegated: boolean; readonly matcher: AnyOf }[];

  constructor(clauses: readonly Clause[], make: (clause: Clause) => AnyOf) {
    this.#clauses = clauses.map((clause) => ({ isNegated: clause.isNegated, matcher: make(clause) }));
  }

  get isEmpty(): boolean {
    return this.#clauses.length === 0;
  }

  /** Whether each clause holds of some of the texts or, where it is negated, of none. */
  hold(texts: readonly string[]): boolean {
    return this.#clauses.every(({ isNegated, matcher }) => texts.some((text) => matcher.testText(text)) !== isNegated);
  }
}

/** What commits must be, ready to be tested. Release it after use. */
export class CommitPredicate {
  readonly window: Window;
  /** Of changed lines. */
  readonly content: AnyOf | undefined;
  readonly #paths: Matchers;
  readonly #authors: Matchers;
  readonly #messages: Matchers;
  readonly #owned: AnyOf[] = [];

  constructor(patterns: Patterns, { window, authors, messages, paths, content }: Wanted) {
    const make = (clause: Clause): AnyOf => {
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

  /** Whether the changes of a commit must be looked at. */
  get needsChanges(): boolean {
    return this.content !== undefined || !this.#paths.isEmpty;
  }

  /** Whether who wrote a commit, or what they said of it, matters. */
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
    return this.#paths.hold([path]);
  }

  /** Of an author as written and as mapped. */
  acceptsAuthor(identities: readonly string[]): boolean {
    return this.#authors.hold(identities);
  }

  /** What the commit itself must be; its changes are not looked at. */
  accepts({ author, mapped, time, message }: CommitRecord): boolean {
    if (!this.isInWindow(time)) return false;
    if (!this.#authors.isEmpty && !this.acceptsAuthor([author, mapped].map(identityText))) return false;
    return this.#messages.isEmpty || this.#messages.hold(message.split('\n'));
  }

  release(): void {
    for (const matcher of this.#owned) matcher.release();
  }
}
