import { AnswerRoom } from './answer-room.ts';
import { checkpointOf } from '../pool/checkpoint.ts';
import { matchesIn } from '../match/content-search.ts';
import type { FoundFiles, RankedFile } from './found-files.ts';
import { firstMatches, summarize, tellingLines } from '../rank/hit.ts';
import type { FoundLines, Job } from '../pool/protocol.ts';
import { charactersIn, showRanked } from './shown-file.ts';

/** Files are shown to learn how many have room once there are so many, then whenever there are twice as many as had. */
const firstLook = 500;
const growth = 2;
/** So much is shown in one step. */
const charactersOfStep = 4096;

/** What a search shows of the files it found. */
export class Answer {
  readonly #job: Job;
  readonly #found: FoundFiles;
  readonly #room: AnswerRoom;
  #nextLook = firstLook;

  constructor(job: Job, found: FoundFiles) {
    this.#job = job;
    this.#found = found;
    this.#room = new AnswerRoom(job.room, job.limits.characters);
  }

  /** Forgets files for which there is no room, and those that will be found: then they need not be rated. */
  narrow(): void {
    if (!this.#room.isNarrow || this.#found.kept < this.#nextLook) return;
    let count = 0;
    for (const _ of this.#files()) count += 1;
    this.#found.keepFirst(count);
    this.#nextLook = Math.max(firstLook, growth * count);
  }

  /** The best first. */
  *files(): Generator<void, FoundLines[]> {
    const files: FoundLines[] = [];
    let characters = 0;
    for (const file of this.#files()) {
      files.push(file);
      characters += charactersIn(file);
      if (characters < charactersOfStep) continue;
      characters = 0;
      yield;
    }
    return files;
  }

  /** Of what is found elsewhere some may be better, and take room: nothing beyond it can be among what is shown. */
  *#files(): Generator<FoundLines> {
    let [left, before] = [this.#job.limits.characters, Infinity];
    for (const ranked of this.#found.best) {
      if (left <= 0 || (ranked.score !== before && this.#room.isFullFor(ranked.score))) return;
      before = ranked.score;
      const file = this.#show(ranked);
      left -= charactersIn(file);
      yield file;
    }
  }

  #show(ranked: RankedFile): FoundLines {
    if (ranked.shown) return ranked.shown;
    const { limits } = this.#job;
    const file = showRanked(this.#withMatches(ranked), limits);
    ranked.shown = file;
    this.#room.take(ranked.score, charactersIn(file));
    return file;
  }

  /** Looks for the matches of a file again where they were not kept, and counts its lines where only some were. */
  #withMatches(ranked: RankedFile): RankedFile {
    const { query, source, isCut, isCounted } = ranked;
    if (ranked.matches || !query || !source) return ranked;
    const all = matchesIn(source, query, checkpointOf(this.#job));
    const rows = ranked.texts.terms.length === 1 ? undefined : tellingLines(all, ranked.texts);
    const lineCount = isCut ? summarize(all).lineCount : ranked.lineCount;
    if (!isCounted) this.#found.countMore(Math.max(1, lineCount) - Math.max(1, ranked.lineCount));
    return { ...ranked, lineCount, matches: firstMatches(all, this.#job.limits.linesPerFile, rows) };
  }
}
