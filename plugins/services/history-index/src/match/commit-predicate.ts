import type { CommitRecord, Identity } from '@sextant/contracts';
import { identityText } from '@sextant/contracts';
import type { Window } from '../request/dates.ts';
import type { LineMatcher } from '@sextant/library-block-index';
import type { HistoryPatterns } from '../request/patterns.ts';
import type { Clause, Wanted } from '../request/wanted.ts';

interface CompiledClause {
  readonly isNegated: boolean;
  readonly matcher: LineMatcher;
}

/** Whether each clause matches one of the texts or, if it is negated, none of them. Without clauses the texts are not made. */
function accept(clauses: readonly CompiledClause[], textsOf: () => readonly string[]): boolean {
  if (clauses.length === 0) return true;
  const texts = textsOf();
  return clauses.every(({ isNegated, matcher }) => texts.some((text) => matcher.test(text)) !== isNegated);
}

/** The conditions of a query, compiled. Release it after use. */
export class CommitPredicate {
  readonly #window: Window;
  /** Tests one changed line. */
  readonly content: LineMatcher | undefined;
  readonly #paths: readonly CompiledClause[];
  readonly #authors: readonly CompiledClause[];
  readonly #messages: readonly CompiledClause[];
  readonly #owned: LineMatcher[] = [];

  constructor(patterns: HistoryPatterns, { window, authors, messages, paths, content }: Wanted) {
    const compiled = (clause: Clause): CompiledClause => {
      const matcher = patterns.matcher(clause);
      this.#owned.push(matcher);
      return { isNegated: clause.isNegated, matcher };
    };
    this.#window = window;
    try {
      this.#authors = authors.map(compiled);
      this.#messages = messages.map(compiled);
      this.#paths = paths.map(compiled);
      this.content = content && compiled(content).matcher;
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Whether the query is about changed paths or lines. */
  get needsChanges(): boolean {
    return this.content !== undefined || this.#paths.length > 0;
  }

  /** Whether the query is about authors or messages. */
  get looksAtCommits(): boolean {
    return this.#authors.length + this.#messages.length > 0;
  }

  get looksAtAuthors(): boolean {
    return this.#authors.length > 0;
  }

  isInWindow(time: number): boolean {
    return time >= (this.#window.after ?? -Infinity) && time <= (this.#window.before ?? Infinity);
  }

  acceptsPath(path: string): boolean {
    return accept(this.#paths, () => [path]);
  }

  /** `identities`: the author as written and as mapped. */
  acceptsAuthor(identities: readonly Identity[]): boolean {
    return accept(this.#authors, () => identities.map(identityText));
  }

  /** Tests date, author and message. Changes are not looked at. */
  accepts({ author, mapped, time, message }: CommitRecord): boolean {
    if (!this.isInWindow(time) || !this.acceptsAuthor([author, mapped])) return false;
    return accept(this.#messages, () => message.split('\n'));
  }

  release(): void {
    for (const matcher of this.#owned) matcher.release();
  }
}
