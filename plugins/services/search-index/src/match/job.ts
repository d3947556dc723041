import type { AnswerLimits } from '@sextant/contracts/answer-limits';
import type { Algebra } from '@sextant/contracts/query';
import type { Literal } from '@sextant/library-block-index';
import type { ShownLines, Term } from '@sextant/library-keyword-search';
import type { Question, QuestionWord } from '@sextant/library-ranking';

/** A query over the files of one commit. Filters of repositories and revisions are already decided. */
export type FileQuery = Algebra<TextLeaf | PathLeaf>;

/** True if the content or the path has the term; in a search for paths, if the path has it. */
export interface TextLeaf {
  readonly kind: 'text';
  /** Equal terms of a job are one object, as each is compiled once. */
  readonly term: Term;
}

export interface PathLeaf {
  readonly kind: 'path';
  readonly term: Term;
  /** `any`: true of every file when the path of one matches. */
  readonly scope: 'file' | 'any';
}

/** A search for the words of a question. The query of each snapshot has only its filters. */
export interface WordsJob extends Pick<Question, 'wanted'> {
  /** What is looked for, and what each counts. */
  readonly words: readonly ({ readonly term: Literal } & Omit<QuestionWord, 'prefix'>)[];
  /** Shared memory of the thread that began the question, for a thread that helps it. Absent in the first job. */
  readonly memory?: readonly SharedArrayBuffer[];
}

/** A snapshot to search. Results carry the number of the target, because two targets may have the same snapshot. */
export interface JobSnapshot {
  /** The id of the snapshot. */
  readonly snapshot: number;
  readonly target: number;
  readonly query: FileQuery;
  /** Numbers of the words of a question that name the repository of this snapshot. */
  readonly namedBy?: readonly number[];
  /** Numbers of the partitions to search; other threads search the rest. Absent: all. */
  readonly partitions?: readonly number[];
}

export interface Job {
  readonly id: number;
  /** Callers share a thread's time evenly. */
  readonly caller: number;
  readonly snapshots: readonly JobSnapshot[];
  readonly wantsPathsOnly: boolean;
  /** Whether files say what their scores are made of. */
  readonly explains?: boolean;
  /** Absent: every term must be found as the query says. */
  readonly question?: WordsJob;
  readonly limits: JobLimits;
  /** The score that a file needs: see `SharedThreshold`. All parts of a search share it. */
  readonly threshold: Int32Array<SharedArrayBuffer>;
  /** Milliseconds (of `Date.now`) after which the search ends with an error. */
  readonly deadline: number;
}

/** A search as it is asked of the scheduler. */
export type JobRequest = Omit<Job, 'id' | 'deadline' | 'threshold'>;

/** The part of a job for another thread. Without snapshots there is nothing to do. */
export type JobPart = Pick<Job, 'snapshots' | 'question'>;

export interface JobLimits extends AnswerLimits {
  /** Only the best file of each target is wanted. It is then not known how many files match. */
  readonly onePerTarget?: boolean;
}

export interface FoundLines extends ShownLines {
  readonly target: number;
  readonly file: number;
  readonly path: string;
  readonly score: number;
  readonly matchCount: number;
  /** The parts of the score by name, for a job that explains. */
  readonly parts?: Readonly<Record<string, number>>;
}

export interface JobResult {
  readonly files: readonly FoundLines[];
  readonly matchCount: number;
  readonly fileCount: number;
  /** Of a question: how many files have each of its words. */
  readonly filesWithWord?: readonly number[];
}
