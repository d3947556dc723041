import { Answer } from '../show/answer.ts';
import { mayMatch } from '../match/evaluate.ts';
import type { Partition } from '../match/partitions.ts';
import { checkpointOf } from './protocol.ts';
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

/** A search over some commits, in steps of some milliseconds. Other searches run between two steps. */
export class JobRun {
  readonly #job: Job;
  readonly #views: AttachedSnapshots;
  readonly #top: TopFiles;
  readonly #answer: Answer;
  /** Views without partitions yet, the first at the end. */
  #whole: JobView[];
  /** Partitions that are not begun yet. */
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
      if (!mayMatch(this.#views.find(view.view), view.query, this.#job)) continue;
      // `share` may replace both lists while the partitions are found: they are read afterwards.
      const partitions = yield* this.#partitionsOf(view);
      this.#waiting.push(...partitions);
      yield;
    }
    // Best bound first: most of the others can then be left out.
    this.#waiting.sort((a, b) => b.bound - a.bound);
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

  /** Gives away half of what is not begun yet, without partitions that cannot win any more. */
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
