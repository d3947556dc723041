import type { BlobBatch } from '@sextant/contracts';
import type { ArenaPart, KeyColumn, Literal, Regex, ShardHandle } from '@sextant/library-block-index';
import type { QueryWord } from '../rank/words.ts';
import type { SharedRoom } from '../show/answer-room.ts';
import type { SharedScores } from '../rank/best-scores.ts';
import type { PackedFiles } from '../show/packed-files.ts';

/** Where the text of a shard is. */
export interface ContentPlace {
  /** Of its file; it stays open for as long as a search may read from it. */
  readonly descriptor: number;
  /** One number in memory that all threads share: the address of the text there, 0 while it is on disk alone. */
  readonly address: Uint32Array;
}

/** A shard that the index thread has loaded, for any thread. */
export interface LoadedShard {
  readonly handle: ShardHandle;
  /** Where it stands which keys it has beside others; absent where it must be asked itself. */
  readonly column?: KeyColumn | undefined;
  /** Two numbers in memory that all threads share: address and bytes of the same shard with its keys, 0 while it has none. */
  readonly keyed: Uint32Array;
  readonly content: ContentPlace;
  /** One number in memory that all threads share: the address of the names that its documents may define, 0 while they are not known. */
  readonly names: Uint32Array;
  /** Number of documents. */
  readonly documents: number;
}

/** A shard and its table, under the name that its files have. */
export interface StoredShard {
  readonly name: string;
  readonly loaded: LoadedShard;
  /** Its file, which was checked: `unpackTable` reads it where it is looked at. */
  readonly table: Uint8Array;
  /** Of its index. */
  readonly memoryBytes: number;
}

/** Whether the index tells where a text may be; else all text is looked at. */
export const hasKeys = ({ keyed }: Pick<LoadedShard, 'keyed'>): boolean => Atomics.load(keyed, 0) !== 0;

/** Names of files as one document, a line each. */
export interface LoadedPaths {
  readonly handle: ShardHandle;
  readonly column?: KeyColumn | undefined;
  readonly address: number;
}

/** What the index thread is asked for; each is answered, in order. */
export type IndexRequest =
  /** Every complete shard of a folder; what is incomplete or damaged is removed. */
  | { readonly kind: 'load'; readonly folder: string }
  /** Shards that were built in a folder. */
  | { readonly kind: 'add'; readonly folder: string; readonly names: readonly string[] }
  | { readonly kind: 'paths'; readonly folder: string; readonly text: Uint8Array; readonly file?: string }
  | { readonly kind: 'release'; readonly addresses: readonly number[] }
  /** Loads some more of the text of a shard into memory, where there is room for it; answers whether that is all. */
  | { readonly kind: 'warm'; readonly folder: string; readonly shard: number }
  /** Loads a shard of a folder again, which has keys now. */
  | { readonly kind: 'keys'; readonly folder: string; readonly name: string }
  /** Tells some more of the names that a shard defines, once its text is where it stays; answers whether that is all. */
  | { readonly kind: 'names'; readonly folder: string; readonly shard: number }
  /** Releases shards and removes their files. */
  | { readonly kind: 'drop'; readonly folder: string; readonly shards: readonly DroppedShard[] };

/** What a thread that builds is asked for; each is answered, in order. */
export type BuildRequest =
  /** Begins shards, numbered from here on; batches of blobs follow. */
  | { readonly kind: 'begin'; readonly folder: string; readonly number: number; readonly withKeys: boolean }
  /** Builds the keys of a shard that is there without. */
  | { readonly kind: 'keys'; readonly folder: string; readonly name: string }
  /** Adds blobs. */
  | { readonly kind: 'blobs'; readonly batch: BlobBatch }
  /** Answers the names of the shards. */
  | { readonly kind: 'finish' }
  | { readonly kind: 'abandon' };

export type DroppedShard = Pick<StoredShard, 'name' | 'loaded'>;
export interface IndexThreadData {
  readonly part: ArenaPart;
  /** Bytes of it, with everything that is in it, beyond which texts stay on disk. */
  readonly mostWithTexts: number;
}

/** The files of one commit and where their text is indexed. The arrays are shared memory. */
export interface ViewHandle {
  readonly id: number;
  readonly files: number;
  readonly paths: LoadedPaths;
  /** Byte offsets at which paths begin in their text; one more than files. */
  readonly pathStarts: Uint32Array;
  /** Names whose bytes are not what is searched: those with a line end. */
  readonly oddPaths: ReadonlyMap<number, string>;
  /** Numbers of the classes of the paths, as `pathClasses` lists them. */
  readonly classes: Uint8Array;
  /** The document of each file, counted over all parts; negative for one whose text is not searched. */
  readonly documents: Int32Array;
  /** For each document, from where in `filesOf` its files are listed. */
  readonly fileStarts: Uint32Array;
  readonly filesOf: Uint32Array;
  readonly parts: readonly ViewPart[];
}

export interface ViewPart extends LoadedShard {
  /** Of its shard. */
  readonly name: string;
  /** Number of its first document. */
  readonly base: number;
}

/** A query over the files of one commit: what is said of repositories and revisions is already decided. */
export type FileQuery =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'and' | 'or'; readonly children: readonly FileQuery[] }
  | { readonly kind: 'not'; readonly child: FileQuery }
  | TextLeaf
  | PathLeaf;

/** The content or the path has it; in a search for paths only the path counts. */
export interface TextLeaf {
  readonly kind: 'text';
  /** Index into the terms of the job. */
  readonly term: number;
}

export interface PathLeaf {
  readonly kind: 'path';
  /** Any case, unanchored, RE2 syntax. */
  readonly pattern: string;
  /** `any`: true of every file when the path of one matches. */
  readonly scope: 'file' | 'any';
}

export type Term = Literal | Regex;

/** A search for the words of a question: the query of each view says what files must be besides. */
export interface WordsJob {
  /** Terms of the job with these numbers, and what each counts. */
  readonly words: readonly ({ readonly term: number } & Omit<QueryWord, 'prefix'>)[];
  /** Of a thread that began it: others may help there. */
  readonly memory?: SharedArrayBuffer;
}

/** A view to search; what is found in it carries the number of the target, of which two may have the same view. */
export interface JobView {
  readonly view: number;
  readonly target: number;
  readonly query: FileQuery;
  /** Numbers of the words of a question that say which repository is meant: this one. */
  readonly namedBy?: readonly number[];
  /** Numbers of its pieces where others search the rest. */
  readonly pieces?: readonly number[];
}

export interface Job {
  readonly id: number;
  /** Callers share a thread's time evenly. */
  readonly caller: number;
  readonly views: readonly JobView[];
  readonly terms: readonly Term[];
  readonly wantsPathsOnly: boolean;
  /** Absent: every term must be found as the query says. */
  readonly question?: WordsJob;
  readonly limits: JobLimits;
  /** All parts of a search share them. */
  readonly scores: SharedScores;
  readonly room: SharedRoom;
  /** Milliseconds (of `Date.now`) after which the search ends with an error. */
  readonly deadline: number;
}

/** What another thread is to do of a job: nothing where there are no views. */
export type JobPart = Pick<Job, 'views' | 'question'>;

export interface JobLimits {
  readonly files: number;
  /** Of each target nothing but its best file is wanted; how many files match is not told then. */
  readonly onePerTarget?: boolean;
  readonly chunksPerFile: number;
  readonly chunkCharacters: number;
  readonly lineCharacters: number;
  /** Lines of a file that are looked at to choose what is shown. */
  readonly linesPerFile: number;
  /** Of the lines of all files that are shown, over all threads. */
  readonly characters: number;
}

export type QueryRequest =
  | { readonly kind: 'view'; readonly view: ViewHandle }
  | { readonly kind: 'forget'; readonly view: number }
  | { readonly kind: 'run'; readonly job: Job }
  | { readonly kind: 'cancel'; readonly job: number }
  /** Wants what the thread has not begun of a job, for another thread. */
  | { readonly kind: 'share'; readonly job: number }
  /** Whether heavy searches of the thread wait now. */
  | { readonly kind: 'rest'; readonly isResting: boolean };

export interface QueryThreadData {
  readonly part: ArenaPart;
}

/** Lines of a file, as one text: it is taken apart where it is shown. */
export interface FoundChunk {
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
}

/** A line of a chunk, by the number of the chunk in its file. */
export interface FoundMatch {
  readonly chunk: number;
  readonly line: number;
  readonly ranges: readonly (readonly [number, number])[];
}

export interface FoundLines {
  readonly target: number;
  readonly file: number;
  readonly path: string;
  readonly score: number;
  readonly matchCount: number;
  readonly chunks: readonly FoundChunk[];
  /** In the order of their lines. */
  readonly matches: readonly FoundMatch[];
}

export interface JobResult {
  readonly files: readonly FoundLines[];
  readonly matchCount: number;
  readonly fileCount: number;
  /** Of a question: how many files have each of its words. */
  readonly filesWithWord?: readonly number[];
}

export type PackedResult = Omit<JobResult, 'files'> & { readonly files: PackedFiles };

export type QueryAnswer =
  | { readonly forgotten: number }
  | { readonly job: number; readonly result: PackedResult }
  | { readonly job: number; readonly shared: JobPart }
  | { readonly job: number; readonly failure: Failure };

export type Failure =
  | { readonly kind: 'limit' | 'late' | 'bug'; readonly message: string }
  /** The files of a shard are not what was written. */
  | { readonly kind: 'damage'; readonly shard: string };
