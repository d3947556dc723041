import { Answer } from '../show/answer.ts';
import { checkpointOf } from './checkpoint.ts';
import type { Partition } from '../match/partitions.ts';
import type { Job, JobPart, JobResult, JobView } from './protocol.ts';
import { SnapshotSearch } from '../rank/snapshot-search.ts';
import { SharedThreshold, TopFiles } from '../rank/top-files.ts';
import type { AttachedSnapshots } from '../snapshot/attached-snapshot.ts';

interface Waiting {
  readonly search: SnapshotSearch;
  readonly partition: Partition;
  /** No file of it scores more. */
  readonly bound: number;
}

/** One search over some commits, in steps of some milliseconds each: between two of them others have their turn. */
export class JobRun {
  readonly #job: Job;
  readonly #views: AttachedSnapshots;
  readonly #top: TopFiles;
  readonly #answer: Answer;
  /** What is not taken apart yet, the first at the end, and what is not begun yet. */
  #whole: JobView[];
  #waiting: Waiting[] = [];

  constructor(job: Job, views: AttachedSnapshots) {
    this.#job = job;
    this.#views = views;
    this.#whole = job.views.toReversed();
    this.#top = new TopFiles(job.limits, new SharedThreshold(job.threshold));
    this.#answer = new Answer(job, this.#top);
  }

  *run(): Generator<void, JobResult> {
    for (let view = this.#whole.pop(); view; view = this.#whole.pop()) {
      // While they are found, views may be given away.
      const partitions = yield* this.#partitionsOf(view);
      // Only now: while they are found, what waits may be shared, which replaces the list.
      this.#waiting.push(...partitions);
      yield;
    }
    // Where the best may be comes first: then most of the others need not be looked at.
    this.#waiting.sort(
      (a, b) => Number(b.partition.hasPhrase === true) - Number(a.partition.hasPhrase === true) || b.bound - a.bound,
    );
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
      if (next.search.canStillWin(next.bound)) yield* this.#search(next);
    const files = yield* this.#answer.files();
    const { fileCount, matchCount } = this.#top;
    return { files, fileCount, matchCount };
  }

  *#search({ search, partition }: Waiting): Generator<void> {
    for (const step of search.search(partition)) {
      this.#answer.narrow();
      yield step;
    }
  }

  /** Gives away half of what is not begun yet, but nothing that would be left: to begin takes longer than that. */
  share(): JobPart {
    const [whole, given] = halves(this.#whole);
    const wanted = this.#waiting.filter(({ search, bound }) => search.canStillWin(bound));
    const [waiting, partitions] = halves(wanted);
    this.#whole = whole;
    this.#waiting = waiting;
    const byView = Map.groupBy(partitions, ({ search }) => search.jobView);
    const parts = [...byView].map(([view, all]) => ({
      ...view,
      partitions: all.map(({ partition }) => partition.number),
    }));
    return { views: [...given.toReversed(), ...parts] };
  }

  *#partitionsOf(jobView: JobView): Generator<void, Waiting[]> {
    const search = new SnapshotSearch(this.#views.find(jobView.view), jobView, {
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
