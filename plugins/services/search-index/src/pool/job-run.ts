import { Answer } from '../show/answer.ts';
import { BestScores } from '../rank/best-scores.ts';
import { checkpointOf } from './checkpoint.ts';
import { FoundFiles } from '../show/found-files.ts';
import type { Piece } from '../match/pieces.ts';
import type { Job, JobPart, JobResult, JobView } from './protocol.ts';
import { ViewSearch } from './view-search.ts';
import type { AttachedSnapshots } from '../snapshot/attached-snapshot.ts';

interface Waiting {
  readonly search: ViewSearch;
  readonly piece: Piece;
  /** No file of it is worth more. */
  readonly bound: number;
}

/** One search over some commits, in steps of some milliseconds each: between two of them others have their turn. */
export class JobRun {
  readonly #job: Job;
  readonly #views: AttachedSnapshots;
  readonly #found: FoundFiles;
  readonly #answer: Answer;
  /** What is not taken apart yet, the first at the end, and what is not begun yet. */
  #whole: JobView[];
  #waiting: Waiting[] = [];

  constructor(job: Job, views: AttachedSnapshots) {
    this.#job = job;
    this.#views = views;
    this.#whole = job.views.toReversed();
    this.#found = new FoundFiles(job.limits, new BestScores(job.scores));
    this.#answer = new Answer(job, this.#found);
  }

  *run(): Generator<void, JobResult> {
    for (let view = this.#whole.pop(); view; view = this.#whole.pop()) {
      // While they are found, pieces of others may be given away.
      const pieces = yield* this.#piecesOf(view);
      this.#waiting.push(...pieces);
      yield;
    }
    // Where the best may be comes first: then most of the others need not be looked at.
    this.#waiting.sort(
      (a, b) => Number(b.piece.hasRow === true) - Number(a.piece.hasRow === true) || b.bound - a.bound,
    );
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
      if (next.search.canBeWanted(next.bound)) yield* this.#search(next);
    const files = yield* this.#answer.files();
    const { fileCount, matchCount } = this.#found;
    return { files, fileCount, matchCount };
  }

  *#search({ search, piece }: Waiting): Generator<void> {
    for (const step of search.search(piece)) {
      this.#answer.narrow();
      yield step;
    }
  }

  /** Gives away half of what is not begun yet, but nothing that would be left: to begin takes longer than that. */
  share(): JobPart {
    const [whole, given] = halves(this.#whole);
    const wanted = this.#waiting.filter(({ search, bound }) => search.canBeWanted(bound));
    const [waiting, pieces] = halves(wanted);
    this.#whole = whole;
    this.#waiting = waiting;
    const byView = Map.groupBy(pieces, ({ search }) => search.jobView);
    const parts = [...byView].map(([view, all]) => ({ ...view, pieces: all.map(({ piece }) => piece.number) }));
    return { views: [...given.toReversed(), ...parts] };
  }

  *#piecesOf(jobView: JobView): Generator<void, Waiting[]> {
    const search = new ViewSearch(this.#views.find(jobView.view), jobView, {
      job: this.#job,
      found: this.#found,
      checkpoint: checkpointOf(this.#job),
    });
    const pieces = yield* search.pieces();
    return pieces.map((piece) => ({ search, piece, bound: search.boundOf(piece) }));
  }
}

const halves = <T>(list: readonly T[]): [T[], T[]] => [
  list.filter((_, index) => index % 2 === 1),
  list.filter((_, index) => index % 2 === 0),
];
