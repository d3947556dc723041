import type { Literal, Regex } from './compiled-term.ts';
import type { Matches } from './matches.ts';

/** Matches in one document: those of one required text, or without `text` those of all of them. */
export interface KnownMatches {
  readonly text?: Literal | Regex;
  readonly matches: Matches;
}

/** What a collector takes of a document: nothing, the number of its matching lines, or its matches. */
export type Interest = 'none' | 'count' | 'matches';

/** Documents that come before all others. */
export interface FirstTier {
  /** One bit for each document of the shard. */
  readonly documents: Uint8Array;
  /** No other document has a higher bound. */
  readonly boundOfOthers: number;
}

/** Says which documents are worth reading, and takes those that match. */
export interface Collector {
  /** The highest score that a document can have: before its text is read, or with the matches that are known. */
  upperBound(document: number, known?: KnownMatches): number;
  /**
   * What is taken of a document with this bound; without a document, of the best one with it. Interest only falls: over time, with lower bounds, and
   * with documents that come later among equal bounds.
   */
  interest(bound: number, document?: number): Interest;
  /**
   * Takes a document with its matches in the order of the content, and the number of matching lines beyond them. The matches are valid until it
   * returns.
   */
  emit(document: number, matches: Matches, more: number): void;
  /** Orders documents with equal bounds, the lowest first. An integer; without it the lowest document is first. */
  tieBreak?(document: number): number;
  /** Asked only where many documents may match: bounds of other documents are computed only where one of them can still win. */
  firstTier?(): FirstTier | undefined;
}

/** What of each document a collector wants to see. Everything, unless it says less. */
export interface Collecting {
  readonly collector: Collector;
  /**
   * Matching lines of each document that a single term gives, with the first eight matches of each; more lines are counted. A combination gives all
   * lines, with the first eight matches of each, and up to 64 more that are whole words.
   */
  readonly linesOfEach?: number;
  /** More lines need not be counted: it is enough to know that there are some. */
  readonly leavesMore?: boolean;
  /** Terms of a combination that are found as whole words only. */
  readonly wholeWords?: ReadonlySet<Literal | Regex>;
  /** For which terms of a conjunction `upperBound` is asked once their matches are known. Documents that cannot win with them are left. */
  readonly termBounds?: 'none' | 'allButLast' | 'all';
}
