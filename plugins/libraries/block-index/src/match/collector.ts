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
   * What the collector takes of a document with this bound. Without `document`, it is asked for the first of all documents with this bound.
   * Interest never rises: not over time, not with a lower bound, and not for a later document with the same bound.
   */
  interest(bound: number, document?: number): Interest;
  /**
   * Takes a document with its matches in the order of the content, and the number of matching lines beyond them. The matches are valid until it
   * returns.
   */
  emit(document: number, matches: Matches, more: number): void;
  /** Orders documents with equal bounds, the lowest first. An integer; without it the lowest document is first. */
  tieBreak?(document: number): number;
  /** Asked only if many documents may match. The bounds of other documents are computed only if one of them can still win. */
  firstTier?(): FirstTier | undefined;
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
  /** After which terms of a conjunction `upperBound` is asked again, with their matches. A document that cannot win then is not read further. */
  readonly termBounds?: 'none' | 'allButLast' | 'all';
}
