import { checkpointOf, mayMatch } from '../match/evaluate.ts';
import type { Job, JobPart, JobResult, JobSnapshot } from '../match/job.ts';
import type { Partition } from '../match/partitions.ts';
import { SnapshotSearch } from '../rank/snapshot-search.ts';
import { SharedThreshold, TopFiles } from '../rank/top-files.ts';
import { shownFiles } from '../show/answer.ts';
import type { AttachedSnapshots } from '../snapshot/attached-snapshot.ts';

interface WaitingPartition {
  readonly search: SnapshotSearch;
  readonly partition: Partition;
  /** No file of it scores more. */
  readonly bound: number;
}

/** A search over some commits, in steps of some milliseconds. Other searches run between two steps. */
export class KeywordSearch {
  readonly #job: Job;
  readonly #snapshots: AttachedSnapshots;
  readonly #top: TopFiles;
  /** Snapshots without partitions yet, the first at the end. */
  #whole: JobSnapshot[];
  /** Partitions that are not begun yet. */
  #waiting: WaitingPartition[] = [];

  constructor(job: Job, snapshots: AttachedSnapshots) {
    this.#job = job;
    this.#snapshots = snapshots;
    this.#whole = job.snapshots.toReversed();
    this.#top = new TopFiles(job.limits, new SharedThreshold(job.threshold));
  }

  *run(): Generator<void, JobResult> {
    for (let next = this.#whole.pop(); next; next = this.#whole.pop()) {
      if (!mayMatch(this.#snapshots.find(next.snapshot), next.query, this.#job)) continue;
      // `share` may replace both lists while the partitions are found: they are read afterwards.
      const partitions = yield* this.#partitionsOf(next);
      this.#waiting.push(...partitions);
      yield;
    }
    // Best bound first: most of the others can then be left out.
    this.#waiting.sort((a, b) => b.bound - a.bound);
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
      if (next.search.canStillWin(next.bound)) yield* next.search.search(next.partition);
    const files = yield* shownFiles(this.#top, this.#job);
    const { fileCount, matchCount } = this.#top;
    return { files, fileCount, matchCount };
  }

  /** Gives away half of the work that is not begun. Partitions that cannot win any more are dropped. */
  share(): JobPart {
    const [whole, given] = halves(this.#whole);
    const wanted = this.#waiting.filter(({ search, bound }) => search.canStillWin(bound));
    const [waiting, partitions] = halves(wanted);
    this.#whole = whole;
    this.#waiting = waiting;
    const bySnapshot = Map.groupBy(partitions, ({ search }) => search.jobSnapshot);
    const parts = [...bySnapshot].map(([jobSnapshot, all]) => ({
      ...jobSnapshot,
      partitions: all.map(({ partition }) => partition.number),
    }));
    return { snapshots: [...given.toReversed(), ...parts] };
  }

  *#partitionsOf(jobSnapshot: JobSnapshot): Generator<void, WaitingPartition[]> {
    const search = new SnapshotSearch(this.#snapshots.find(jobSnapshot.snapshot), jobSnapshot, {
      job: this.#job,
      top: this.#top,
      checkpoint: checkpointOf(this.#job),
    });
    const partitions = yield* search.partitions();
    return partitions.map((partition) => ({ search, partition, bound: search.boundOf(partition) }));
  }
}

const halves = <T>(list: readonly T[]): [T[], T[]] => [
  list.filter((_, index) => index % 2 === 1),
  list.filter((_, index) => index % 2 === 0),
];
