/** Changed lines of commits, in their order: the text of all, and where that of each ends. */
export interface CommitTexts {
  readonly hashes: readonly string[];
  readonly text: Uint8Array;
  readonly ends: readonly number[];
}

/** What the thread is asked; each request is answered once, under its id. */
export type IndexRequest =
  | { readonly kind: 'build'; readonly folder: string; readonly texts: CommitTexts }
  | { readonly kind: 'search'; readonly folder: string; readonly shards: readonly string[]; readonly regex: string };

/** Commits of each shard that have a match, as their numbers in it; undefined for a shard that cannot be read any more. */
export type IndexAnswer = readonly (Uint32Array | undefined)[] | undefined;

export interface Asked {
  readonly id: number;
  readonly request: IndexRequest;
}

export interface Answered {
  readonly id: number;
  readonly answer?: IndexAnswer;
  readonly failure?: string;
}
