import type { CommitRequest, DiffRequest } from '@sextant/contracts';
import { identityText } from '../git/commit-record.ts';
import type { CommitRecord } from '../git/commit-record.ts';
import type { Window } from '../request/dates.ts';
import { pathRegex } from '../request/glob.ts';
import type { AnyOf, PatternList, Patterns } from '../request/patterns.ts';

/** What commits must be, ready to be tested. Release it after use. */
export class Conditions {
  readonly window: Window;
  /** Of changed lines. */
  readonly content: AnyOf | undefined;
  readonly path: AnyOf | undefined;
  readonly #author: AnyOf | undefined;
  readonly #message: AnyOf | undefined;

  readonly #owned: AnyOf[] = [];

  private constructor(patterns: Patterns, request: Parts, window: Window) {
    const { isRegex, authors, messages, contents, paths } = request;
    const any = (list: Omit<PatternList, 'foldCase'>, foldCase = true): AnyOf | undefined => {
      const matcher = patterns.anyOf({ ...list, foldCase });
      if (matcher) this.#owned.push(matcher);
      return matcher;
    };
    this.window = window;
    try {
      this.#author = any({ patterns: authors, argument: 'authors', isRegex });
      this.#message = any({ patterns: messages, argument: 'messageTerms', isRegex });
      this.content = any({ patterns: contents, argument: request.contentArgument, isRegex });
      this.path = any({ patterns: paths.map(pathRegex), argument: 'files', isRegex: true }, false);
    } catch (error) {
      this.release();
      throw error;
    }
  }

  static ofCommits(patterns: Patterns, request: CommitRequest, window: Window): Conditions {
    return new Conditions(patterns, { ...request, contentArgument: 'contentTerms' }, window);
  }

  static ofDiffs(patterns: Patterns, request: DiffRequest, window: Window): Conditions {
    const parts = { messages: [], paths: [], contents: [request.pattern], contentArgument: 'pattern' };
    return new Conditions(patterns, { ...request, ...parts }, window);
  }

  /** Whether the changes of a commit must be looked at. */
  get needsChanges(): boolean {
    return this.content !== undefined || this.path !== undefined;
  }

  /** Whether who wrote a commit, or what they said of it, matters. */
  get looksAtCommits(): boolean {
    return this.#author !== undefined || this.#message !== undefined;
  }

  isInWindow(time: number): boolean {
    return time >= (this.window.after ?? -Infinity) && time <= (this.window.before ?? Infinity);
  }

  /** What the commit itself must be; its changes are not looked at. */
  accepts({ author, mapped, time, message }: CommitRecord): boolean {
    if (!this.isInWindow(time)) return false;
    if (this.#author && ![author, mapped].some((identity) => this.#author?.testText(identityText(identity))))
      return false;
    return !this.#message || message.split('\n').some((line) => this.#message?.testText(line));
  }

  release(): void {
    for (const matcher of this.#owned) matcher.release();
  }
}

interface Parts extends Pick<CommitRequest, 'isRegex' | 'authors' | 'messages' | 'contents' | 'paths'> {
  readonly contentArgument: string;
}
