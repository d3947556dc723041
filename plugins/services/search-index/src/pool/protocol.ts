import type { ArenaRegion } from '@sextant/library-block-index';
import type { Job, JobPart, JobResult } from '../match/job.ts';
import type { SnapshotHandle } from '../snapshot/snapshot.ts';

/** The calls that a search worker answers. */
export interface WorkerCalls {
  add(snapshot: SnapshotHandle): void;
  forget(snapshot: number): void;
  /** Undefined for a job that is canceled meanwhile. */
  run(job: Job): Promise<JobAnswer | undefined>;
  cancel(job: number): void;
  /** Gives a part of a job that is not begun to another worker. Undefined if the job has ended. */
  share(job: number): JobPart | undefined;
}

export interface WorkerData {
  readonly part: ArenaRegion;
}

export type JobAnswer = { readonly result: JobResult } | { readonly failure: JobFailure };

export type JobFailure =
  | { readonly kind: 'limit' | 'late' | 'bug'; readonly message: string }
  /** The files of a shard are not what was written. */
  | { readonly kind: 'damage'; readonly shard: string };
