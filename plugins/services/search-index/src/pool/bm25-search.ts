import { BitSet, Matches } from '@sextant/library-block-index';
import type { SearchPlace } from '@sextant/library-block-index';
import { highestWordScore, pathPriors, priorsWithin } from '@sextant/library-ranking';
import { checkpointOf, FileEvaluator, matchesIn } from '../match/evaluate.ts';
import type { FoundLines, Job, JobPart, JobResult, JobSnapshot, WordsJob } from '../match/job.ts';
import { SharedNumbers, SharedWork } from '../rank/shared-work.ts';
import { showRated } from '../show/answer.ts';
import type { AttachedSnapshots } from '../snapshot/attached-snapshot.ts';
import { countLines, fileGains, passageWeights, questionLimits } from '@sextant/library-keyword-search';
import { definedWords, passagesIn } from '../rank/passages.ts';
import type { Passages } from '../rank/passages.ts';
import { filesWith, weightsOf, WordCounts } from '../rank/word-counts.ts';
import type { TextCounts } from '../rank/word-counts.ts';

interface ScoredFile {
  readonly place: WordCounts;
  readonly file: number;
  readonly score: number;
  /** By how much it is multiplied for what the file defines. */
  readonly definitions?: number;
}

/**
 * Ranks the files of some snapshots by the words of a question (BM25F with priors of paths), in steps. Several threads may do it together. Each goes
 * through the same phases, does the work that no other thread has taken, and reads what all have found. A file is in the answer of the thread that
 * shows it.
 */
export class BM25Search {
  readonly #job: Job;
  readonly #words: WordsJob['words'];
  /** The same in lower case. */
  readonly #texts: readonly string[];
  readonly #checkpoint: () => void;
  /** What all threads of the question share: this memory, and the four members below. */
  readonly #memory: SharedNumbers;
  readonly #work: SharedWork;
  readonly #counts: TextCounts;
  /** For each of the best files, the share of the question that it defines. */
  readonly #gains: Float32Array;
  /** One for each snapshot of the job. */
  readonly #places: readonly WordCounts[];
  /** The prior of each class of files in them. */
  readonly #priors: ReadonlyMap<WordCounts, readonly number[]>;
  #isEnding = false;

  constructor(job: Job, snapshots: AttachedSnapshots) {
    this.#job = job;
    this.#checkpoint = checkpointOf(job);
    const { words = [], memory } = job.question ?? {};
    this.#words = words;
    this.#texts = words.map(({ term }) => String(term.literal));
    this.#memory = new SharedNumbers(memory);
    this.#work = new SharedWork(this.#memory, phases);
    this.#counts = words.map(() => this.#memory.take(Float32Array, this.#mostRead));
    this.#gains = this.#memory.take(Float32Array, questionLimits.filesWithDefinitions);
    const counting = { words, numbers: this.#memory, checkpoint: this.#checkpoint };
    this.#places = job.snapshots.map(
      ({ snapshot, target, namedBy = [] }) =>
        new WordCounts({ snapshot: snapshots.find(snapshot), target, namedBy }, counting),
    );
    const priors = pathPriors(job.question?.wanted ?? new Set());
    this.#priors = new Map(this.#places.map((place) => [place, priorsWithin(priors, place.snapshot.handle.classes)]));
  }

  get #mostRead(): number {
    return Math.max(questionLimits.filesRead, this.#job.limits.files);
  }

  /** The whole job, for a thread that helps; nothing when little is left. */
  share(): JobPart {
    const { snapshots, question } = this.#job;
    if (this.#isEnding || !question) return { snapshots: [] };
    return { snapshots, question: { ...question, memory: this.#memory.memory } };
  }

  *run(): Generator<void, JobResult> {
    const chosen = yield* this.#choose();
    const ranked = yield* this.#rank(chosen);
    this.#isEnding = true;
    return yield* this.#show(yield* this.#withDefinitions(ranked));
  }

  /** The likeliest files of each snapshot, by the index alone. */
  *#choose(): Generator<void, BitSet[]> {
    const places = this.#places.map((place, i) => ({ place, jobSnapshot: this.#job.snapshots[i] }));
    // The largest first, so that all threads end at about the same time.
    places.sort((a, b) => b.place.snapshot.documents - a.place.snapshot.documents);
    yield* this.#work.each(places, ({ place, jobSnapshot }) => this.#estimate(place, jobSnapshot));
    const weights = this.#weights();
    const sum = weights.reduce((all, weight) => all + weight, 0);
    const most = Math.max(0, ...this.#places.map((place) => place.ofRepository(weights))) * sum * highestWordScore;
    yield* this.#work.each(places, ({ place }) => writeSteps(place.steps, this.#scores(place, weights), most));
    return likeliest(
      this.#places.map(({ steps }) => steps),
      this.#mostRead,
    );
  }

  *#estimate(place: WordCounts, jobSnapshot: JobSnapshot | undefined): Generator<void> {
    const query = jobSnapshot?.query ?? { kind: 'none' };
    const { snapshot } = place;
    const matching = new FileEvaluator(snapshot, { job: this.#job, checkpoint: this.#checkpoint });
    yield* place.estimate(yield* matching.find(query, snapshot.everyFile));
  }

  #scores(place: WordCounts, weights: readonly number[]): Float32Array {
    const scores = place.scores(weights);
    const { classes } = place.snapshot.handle;
    const priors = this.#priors.get(place) ?? [];
    const factor = place.ofRepository(weights);
    for (let file = 0; file < scores.length; file += 1) {
      const score = scores[file] ?? 0;
      if (score > 0) scores[file] = place.allowed.has(file) ? score * factor * (priors[classes[file] ?? 0] ?? 0) : 0;
    }
    return scores;
  }

  /** Ranks the chosen files by their text. */
  *#rank(chosen: readonly BitSet[]): Generator<void, ScoredFile[]> {
    let at = 0;
    const texts = this.#places.flatMap((place, i) => {
      const some = chosen[i] ? [...place.textsOf(chosen[i], at)] : [];
      at += some.reduce((sum, { documents }) => sum + documents.length, 0);
      return some.map((each) => ({ place, each }));
    });
    yield* this.#work.each(texts, ({ place, each }) => place.count(each, this.#counts));
    const weights = this.#weights();
    const ranked = this.#places.flatMap((place, i) =>
      [...(chosen[i] ?? [])].map((file) => ({ place, file, score: this.#scoreOf(place, file, weights) })),
    );
    return ranked.filter(({ score }) => score > 0).sort(byScore);
  }

  #scoreOf(place: WordCounts, file: number, weights: readonly number[]): number {
    return this.#priorOf(place, file) * place.scoreOf(file, weights, this.#counts);
  }

  #priorOf(place: WordCounts, file: number): number {
    return this.#priors.get(place)?.[place.snapshot.handle.classes[file] ?? 0] ?? 0;
  }

  /** Ranks the best files again: what defines a word is better than what only mentions it. Files that cannot gain enough to be shown are not read. */
  *#withDefinitions(ranked: readonly ScoredFile[]): Generator<void, ScoredFile[]> {
    const gain = fileGains.definitions;
    const least = ranked[this.#job.limits.files - 1]?.score ?? 0;
    const best = ranked
      .slice(0, questionLimits.filesWithDefinitions)
      .filter(({ score }) => score * (1 + gain) >= least);
    const weights = this.#weights();
    yield* this.#work.each(best, (each, i) => {
      this.#gains[i] = this.#shareDefined(each, weights);
    });
    const gained = best.map((each, i) => {
      const definitions = 1 + gain * (this.#gains[i] ?? 0);
      return { ...each, definitions, score: each.score * definitions };
    });
    return [...gained.sort(byScore), ...ranked.slice(best.length)];
  }

  /** The share of the question's words that a file defines, by their weights. */
  #shareDefined(ranked: ScoredFile, weights: readonly number[]): number {
    const { place, file } = ranked;
    const asked = weights.flatMap((weight, word) =>
      place.isNamedBy(word) || this.#words[word]?.isOfPath ? [] : { weight, text: this.#texts[word] ?? '' },
    );
    const matches = this.#matchesIn(ranked);
    const defined =
      place.snapshot.sourceOf(file)?.slice.within(({ content }) => definedWords(matches, content, this.#texts)) ??
      new Set();
    return sumOf(asked.filter(({ text }) => defined.has(text))) / sumOf(asked);
  }

  #weights(): number[] {
    return weightsOf(this.#places, this.#words);
  }

  *#show(ranked: readonly ScoredFile[]): Generator<void, JobResult> {
    const best = ranked.slice(0, this.#job.limits.files);
    const weights = this.#weights();
    const files: FoundLines[] = [];
    let others = 0;
    yield* this.#work.each(best, (each, i) => {
      files.push(this.#linesOf(each, weights));
      // In one answer alone.
      if (i === 0) others = ranked.length - best.length;
    });
    const matchCount = files.reduce((sum, { matchCount: inFile }) => sum + Math.max(1, inFile), 0);
    const filesWithWord = this.#words.map((_, word) => filesWith(this.#places, word));
    return { files, matchCount, fileCount: files.length + others, filesWithWord };
  }

  #linesOf(ranked: ScoredFile, weights: readonly number[]): FoundLines {
    const { file, score } = ranked;
    const { snapshot, target } = ranked.place;
    const { limits } = this.#job;
    // Without chunks no lines are read.
    const all = limits.chunksPerFile > 0 ? this.#matchesIn(ranked) : new Matches();
    const lineCount = countLines(all);
    const source = snapshot.sourceOf(file);
    const passages = this.#passagesOf(ranked, all, weights);
    const parts = this.#job.explains && { parts: this.#explain(ranked, weights) };
    return showRated({ snapshot, target, file, source, lineCount, score, ...passages, ...parts }, limits);
  }

  #explain({ place, file, definitions = 1 }: ScoredFile, weights: readonly number[]): Record<string, number> {
    const words = place.explain(file, weights, this.#counts);
    return { '×class': this.#priorOf(place, file), '×definitions': definitions, ...words };
  }

  /** The lines that are shown. */
  #passagesOf({ place, file }: ScoredFile, all: Matches, weights: readonly number[]): Passages {
    const worth = weights.map((weight, word) =>
      place.isNamedBy(word) ? passageWeights.repositoryName * weight : weight,
    );
    const find = ({ content }: SearchPlace): Passages =>
      passagesIn(all, content, { texts: this.#texts, weights: worth });
    return place.snapshot.sourceOf(file)?.slice.within(find) ?? { matches: all, weights: new Map() };
  }

  #matchesIn({ place, file }: ScoredFile): Matches {
    const source = place.snapshot.sourceOf(file);
    return source ? matchesIn(source, { or: this.#words.map(({ term }) => term) }, this.#checkpoint) : new Matches();
  }
}

const pathOf = ({ place, file }: ScoredFile): string => place.snapshot.pathOf(file);

const byScore = (a: ScoredFile, b: ScoredFile): number => b.score - a.score || (pathOf(a) < pathOf(b) ? -1 : 1);

const sumOf = (words: readonly { weight: number }[]): number => words.reduce((sum, { weight }) => sum + weight, 0);

/** Estimating, choosing, counting, looking for definitions, showing. */
const phases = 5;

/** Scores are rounded down to this many steps; 0 is no score. */
const scoreSteps = 4096;

/** Writes the steps of scores, of which none is above `most`. */
export function writeSteps(steps: Uint16Array, scores: Float32Array, most: number): void {
  const scale = (scoreSteps - 2) / most;
  for (let place = 0; place < scores.length; place += 1) {
    const score = scores[place] ?? 0;
    if (score > 0) steps[place] = 1 + Math.floor(score * scale);
  }
}

/** The `most` places with the highest steps in all lists. Of places with the same step, the first are chosen. */
export function likeliest(lists: readonly Uint16Array[], most: number): BitSet[] {
  const counts = new Int32Array(scoreSteps);
  for (const list of lists) for (const step of list) counts[step] = (counts[step] ?? 0) + 1;
  let [from, above] = [scoreSteps, 0];
  for (let count = 0; from > 1 && count < most; count += counts[from] ?? 0) {
    above = count;
    from -= 1;
  }
  let left = most - above;
  return lists.map((list) => {
    const chosen = new BitSet(list.length);
    for (let place = 0; place < list.length; place += 1) {
      const step = list[place] ?? 0;
      if (step < from || (step === from && left === 0)) continue;
      chosen.add(place);
      if (step === from) left -= 1;
    }
    return chosen;
  });
}
