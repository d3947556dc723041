import type { Chunk, MatchedLine } from '@sextant/contracts';

/** A query over the files of one commit. Sources are those of a `RegExp` with the flag `u`. */
export type FileQuery =
  | { readonly kind: 'all' | 'none' }
  | { readonly kind: 'and' | 'or'; readonly children: readonly FileQuery[] }
  | { readonly kind: 'not'; readonly child: FileQuery }
  | TextLeaf
  | { readonly kind: 'path'; readonly source: string; readonly scope: 'file' | 'commit' };

/** The content or the path has it. */
export interface TextLeaf {
  readonly kind: 'text';
  readonly source: string;
  /** Whether it may reach over line ends; else it is looked for in each line. */
  readonly isOverLines: boolean;
}

/** What is shown of each file; as few chunks as none. */
export interface ShownLimits {
  readonly chunksPerFile: number;
  readonly chunkCharacters: number;
  readonly lineCharacters: number;
}

/** What a thread is asked for, one at a time. */
export type MatchRequest =
  | { readonly kind: 'names'; readonly sources: readonly string[]; readonly names: readonly string[] }
  | { readonly kind: 'paths'; readonly query: FileQuery; readonly paths: readonly string[] }
  | { readonly kind: 'files'; readonly search: FileSearch; readonly files: readonly FileToMatch[] };

export interface FileSearch {
  readonly query: FileQuery;
  /** Texts of the query in lower case, for the ranking. */
  readonly words: readonly string[];
  readonly wantsPathsOnly: boolean;
  readonly limits: ShownLimits;
}

export interface FileToMatch {
  readonly path: string;
  /** Absent for what has no text: symbolic links, and files that are too large. */
  readonly bytes?: Uint8Array;
}

/** For each source, which of the names it matches. */
export type NamesAnswer = readonly (readonly boolean[])[];

export interface PathsAnswer {
  /** The query without what is true or false of the whole commit. */
  readonly query: FileQuery;
  readonly verdicts: readonly PathVerdict[];
}

/** What the path says of a file: whether it can be a result, is one without its content, and has a text of the query. */
export interface PathVerdict {
  readonly isPossible: boolean;
  readonly isFound: boolean;
  readonly hasText: boolean;
}

export interface MatchedFile {
  readonly path: string;
  readonly score: number;
  /** Lines that match. */
  readonly matchCount: number;
  readonly chunks: readonly Chunk[];
  readonly matches: readonly MatchedLine[];
}
