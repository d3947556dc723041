import { token } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { ParsedQuery } from '../../query/query.ts';

/** What is looked for, and how much of it is shown. */
export interface SearchRequest extends ParsedQuery {
  /** `keyword`: terms as they stand, all of them. `natural`: words of a question, stemmed, any of them, ranked. */
  mode: 'keyword' | 'natural';
  /** What is shown where the query has no `count:`. */
  limits: SearchLimits;
  /** Whether files say what their scores are made of, where the engine can tell. */
  explain?: boolean;
  /** One of several requests that are one search together: nobody looks for reasons why it finds nothing. */
  isPart?: boolean;
  /** Whether the call names the repositories; absent: where `namesRepositories` says so of those that the caller may read. */
  isNamed?: boolean;
}

/** Bounds of what is shown. More may be counted: see `SearchResult`. */
export interface SearchLimits {
  files: number;
  /** 0: only paths are wanted, so that the engine need not look for lines. */
  chunksPerFile: number;
  /** Most UTF-16 code units of the lines of one chunk. */
  chunkCharacters: number;
  /** Most code units of one line. */
  lineCharacters: number;
  /** Most code units of all lines together; absent: what a tool's answer can carry. */
  characters?: number;
  /** Where no more lines match in all, or one file does, `chunksPerFile` is no limit: all that the engine looks at is shown. */
  linesShownWhole?: number;
}

/** Neighbouring lines of a file, in order. */
export interface Chunk {
  /** Numbers of the first and last line, from 1. */
  readonly startLine: number;
  readonly endLine: number;
  /** Without line ends, cut at `lineCharacters`. */
  readonly lines: readonly string[];
}

/** A line with a match. */
export interface MatchedLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** First and past-the-last UTF-16 code unit of each match in `text`, in order, not overlapping. */
  readonly ranges: readonly (readonly [start: number, end: number])[];
}

export interface FoundFile {
  readonly repo: string;
  readonly path: string;
  /** As the query named it; absent where the default branch was searched. */
  readonly revision?: string;
  /** Full hash of the commit that was read. */
  readonly commit: string;
  /** Best first; empty where only the path matched. */
  readonly chunks: readonly Chunk[];
  /** The lines that `chunks` show because of a match, in order. */
  readonly matches: readonly MatchedLine[];
  /** Lines of this file that match, also those not shown. */
  readonly matchCount: number;
  /** Why it stands where it does; for `explain` alone. */
  readonly score?: ExplainedScore;
}

/** A score and what it is made of. Parts that are multiplied have names that begin with `×`; all others are added. */
export interface ExplainedScore {
  readonly total: number;
  readonly parts: Readonly<Record<string, number>>;
}

export interface SearchResult {
  /** What `files` holds: files with their lines, paths alone, or (with an empty `path`) repositories. */
  readonly type: 'file' | 'path' | 'repo';
  /** Best first. The order depends on nothing but the query and the repositories. */
  readonly files: readonly FoundFile[];
  /** Matching lines (for other types than `file`: results) counted; a lower bound where `limitHit`. */
  readonly matchCount: number;
  /** Files (or results) counted, shown or not; a lower bound where `limitHit`. */
  readonly fileCount: number;
  /** Whether there are more files (or results) than are shown. Of the lines of a file, see `hasMoreLines`. */
  readonly limitHit: boolean;
  /** Absent where everything that the query is about was searched. */
  readonly notSearched?: NotSearched;
  /** Code nodes that did not answer; `notes` says of which repositories. Absent: all answered, or there are none. */
  readonly missing?: readonly string[];
  /** Sentences for the caller: terms taken as text, files that could not be searched, near names of a `repo:` without match. */
  readonly notes: readonly string[];
  /** The words of a question that were looked for, where the engine counts them. */
  readonly words?: readonly FoundWord[];
}

/** What a search left out. */
export interface NotSearched {
  /** Files whose text was not searched, in repositories that were. */
  readonly files: number;
  /** Sentences for the caller, which name files and repositories. */
  readonly reasons: readonly string[];
}

/** Whether lines of a file match that are not shown. A file that its path alone matches has none. */
export const hasMoreLines = ({ matches, matchCount }: Pick<FoundFile, 'matches' | 'matchCount'>): boolean =>
  matchCount > Math.max(1, matches.length);

/** The stem of a word, and about how many files have a form of it in their text or path. */
export interface FoundWord {
  readonly stem: string;
  readonly fileCount: number;
}

/** Search over the text of repositories, at any revision. */
export interface Search {
  /**
   * Searches what the caller may read, and looks at nothing else. Throws `invalid_argument` for an unusable expression
   * and for a `type:` of another service, `not_found` for a revision that no searched repository has, and `too_large`
   * above the limits of a query. Stops when `signal` aborts.
   */
  find(caller: Caller, request: SearchRequest, signal: AbortSignal): Promise<SearchResult>;
}

export const Search = token<Search>('search', { remote: { find: 'caller' } });
