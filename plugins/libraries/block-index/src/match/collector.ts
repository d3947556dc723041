import type { Literal, Regex } from './compiled-term.ts';
import type { Matches } from './matches.ts';

/** Says which documents are worth reading, and takes those that match. */
export interface Collector {
  /** The highest score that a document can have, before its text is read. */
  upperBound(document: number): number;
  /**
   * Whether a document with this bound can still be among the best. It never becomes true again: not over time, not with a lower bound, and not
   * for a later document with the same bound.
   */
  canWin(bound: number, document: number): boolean;
  /**
   * Takes a document with its matches in the order of the content, and the number of matching lines beyond them. The matches are valid until it
   * returns.
   */
  emit(document: number, matches: Matches, more: number): void;
  /** Orders documents with equal bounds, the lowest first. An integer; without it the lowest document is first. */
  tieBreak?(document: number): number;
}

/** Which matches of a document the collector gets. Each option reduces them; without options it gets all. */
export interface CollectOptions {
  readonly collector: Collector;
  /**
   * The search of a single term collects at most so many lines of a document. It counts the lines beyond them. A combination collects all lines.
   * Both collect the first eight matches of a line. A combination adds up to 64 that are whole words.
   */
  readonly linesOfEach?: number;
  /** More lines need not be counted: it is enough to know that there are some. */
  readonly leavesMore?: boolean;
  /** Terms of a combination that are found as whole words only. */
  readonly wholeWords?: ReadonlySet<Literal | Regex>;
}
