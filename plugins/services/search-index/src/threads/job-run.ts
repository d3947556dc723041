import { Matches, searchDocuments } from '@sextant/library-block-index';
import { BestScores } from './best-scores.ts';
import { checkpointOf } from './checkpoint.ts';
import { FoundFiles } from './found-files.ts';
import type { RankedFile } from './found-files.ts';
import { firstMatches } from './hit.ts';
import type { Piece } from './pieces.ts';
import type { FoundLines, Job, JobResult, JobView } from './protocol.ts';
import { charactersIn, showFile, withWeights } from './shown-file.ts';
import { ViewSearch } from './view-search.ts';
import type { Views } from './views.ts';

interface Waiting {
  readonly search: ViewSearch;
  readonly piece: Piece;
  /** No file of it is worth more. */
  readonly bound: number;
}

/** One search over some commits, in steps of some milliseconds each: between two of them others have their turn. */
export class JobRun {
  readonly #job: Job;
  readonly #views: Views;
  readonly #found: FoundFiles;
  /** What is not taken apart yet, and what is not begun yet. */
  #whole: readonly JobView[];
  #waiting: Waiting[] = [];

  constructor(job: Job, views: Views) {
    this.#job = job;
    this.#views = views;
    this.#whole = job.views;
    this.#found = new FoundFiles(job.limits.files, new BestScores(job.scores));
  }

  *run(): Generator<void, JobResult> {
    const { limits } = this.#job;
    for (let [view] = this.#whole; view; [view] = this.#whole) {
      this.#whole = this.#whole.slice(1);
      this.#waiting.push(...this.#piecesOf(view));
      yield;
    }
    // Where the best may be comes first: then most of the others need not be looked at.
    this.#waiting.sort((a, b) => b.bound - a.bound);
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
      if (next.search.canBeWanted(next.bound)) yield* next.search.search(next.piece);
    const { best, fileCount, matchCount } = this.#found;
    const files: FoundLines[] = [];
    // Of what is found elsewhere some may be better, and take room: nothing beyond it can be among what is shown.
    let room = limits.characters;
    for (const each of best) {
      if (room <= 0) break;
      const file = showFile(withWeights(this.#withMatches(each), limits), limits);
      room -= charactersIn(file);
      files.push(file);
      yield;
    }
    return { files, fileCount, matchCount };
  }

  /** Gives away half of what is not begun yet. */
  share(): readonly JobView[] {
    const [whole, given] = halves(this.#whole);
    const [waiting, pieces] = halves(this.#waiting);
    this.#whole = whole;
    this.#waiting = waiting;
    const byView = Map.groupBy(pieces, ({ search }) => search.jobView);
    const parts = [...byView].map(([view, all]) => ({ ...view, pieces: all.map(({ piece }) => piece.number) }));
    return [...given, ...parts];
  }

  /** Looks for the matches of a file again where they were not kept. */
  #withMatches(ranked: RankedFile): RankedFile {
    const { query, source } = ranked;
    if (ranked.matches || !query || !source) return ranked;
    const documents = Uint32Array.of(source.document);
    const checkpoint = checkpointOf(this.#job);
    const all = source.part.within((place) =>
      Matches.concat([...searchDocuments(place, query, { documents, checkpoint })]),
    );
    return { ...ranked, matches: firstMatches(all, this.#job.limits.linesPerFile) };
  }

  #piecesOf(jobView: JobView): Waiting[] {
    const search = new ViewSearch(this.#views.find(jobView.view), jobView, {
      job: this.#job,
      found: this.#found,
      checkpoint: checkpointOf(this.#job),
    });
    return search.pieces().map((piece) => ({ search, piece, bound: search.boundOf(piece) }));
  }
}

const halves = <T>(list: readonly T[]): [T[], T[]] => [
  list.filter((_, index) => index % 2 === 1),
  list.filter((_, index) => index % 2 === 0),
];
