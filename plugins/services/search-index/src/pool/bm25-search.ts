import { BitSet, Matches } from '@sextant/library-block-index';
import type { Literal, SearchPlace } from '@sextant/library-block-index';
import { highestWordScore, pathPriors, priorsWithin } from '@sextant/library-ranking';
import { checkpointOf, FileEvaluator, matchesIn } from '../match/evaluate.ts';
import type { FoundLines, Job, JobPart, JobResult, JobSnapshot } from '../match/job.ts';
import { SharedNumbers, SharedWork } from '../rank/shared-work.ts';
import { showRated } from '../show/answer.ts';
import type { AttachedSnapshot, AttachedSnapshots } from '../snapshot/attached-snapshot.ts';
import { countLines, fileGains, passageWeights, questionLimits } from '@sextant/library-keyword-search';
import { definedWords, passagesIn } from '../rank/passages.ts';
import type { Passages } from '../rank/passages.ts';
import { filesWith, TextCounts, weightsOf, WordCounts } from '../rank/word-counts.ts';

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
  readonly #question: Question;
  readonly #checkpoint: () => void;
  readonly #shared: QuestionMemory;
  /** One for each snapshot of the job. */
  readonly #places: readonly WordCounts[];
  /** The prior of each class of files in them. */
  readonly #priors: ReadonlyMap<WordCounts, readonly number[]>;
  #isEnding = false;

  constructor(job: Job, snapshots: AttachedSnapshots) {
    this.#job = job;
    this.#checkpoint = checkpointOf(job);
    this.#question = new Question(job);
    const { words, exact, ofPath } = this.#question;
    const attached = job.snapshots.map(({ snapshot }) => snapshots.find(snapshot));
    const sizes = { words: words.length, texts: this.#mostRead, files: questionLimits.filesWithDefinitions };
    const memory = job.question?.memory ?? QuestionMemory.create(attached, sizes);
    this.#shared = new QuestionMemory(memory, sizes);
    const countedWords = { words, exact, ofPath, numbers: this.#shared.rest, checkpoint: this.#checkpoint };
    this.#places = job.snapshots.map(
      ({ snapshot, target, namedBy = [] }) =>
        new WordCounts({ snapshot: snapshots.find(snapshot), target, namedBy }, countedWords),
    );
    const { priors } = this.#question;
    this.#priors = new Map(this.#places.map((place) => [place, priorsWithin(priors, place.snapshot.handle.classes)]));
  }

  get #mostRead(): number {
    return Math.max(questionLimits.filesRead, this.#job.limits.files);
  }

  /** The whole job, for a thread that helps; nothing when little is left. */
  share(): JobPart {
    const { snapshots, question } = this.#job;
    if (this.#isEnding || !question) return { snapshots: [] };
    return { snapshots, question: { ...question, memory: this.#shared.rest.memory } };
  }

  *run(): Generator<void, JobResult> {
    const chosen = yield* this.#choose();
    const ranked = yield* this.#rank(chosen);
    this.#isEnding = true;
    return yield* this.#show(yield* this.#withDefinitions(ranked));
  }

  /** The likeliest files of each snapshot, by the index alone. */
  *#choose(): Generator<void, BitSet[]> {
    const { work, likely: counts } = this.#shared;
    const places = this.#places.map((place, i) => ({ place, jobSnapshot: this.#job.snapshots[i] }));
    // The largest first, so that all threads end at about the same time.
    places.sort((a, b) => b.place.snapshot.documents - a.place.snapshot.documents);
    yield* work.each(places, ({ place, jobSnapshot }) => this.#estimate(place, jobSnapshot));
    const weights = this.#weights();
    const sum = weights.reduce((all, weight) => all + weight, 0);
    const most = Math.max(0, ...this.#places.map((place) => place.ofRepository(weights)));
    const likely = new ScoreHistogram(counts, most * sum * highestWordScore);
    yield* work.each(places, ({ place }) => likely.add(this.#scores(place, weights), place.steps));
    return likely.choose(
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
    const { work, texts: counts } = this.#shared;
    let at = 0;
    const texts = this.#places.flatMap((place, i) => {
      const some = chosen[i] ? [...place.textsOf(chosen[i], at)] : [];
      at += some.reduce((sum, { documents }) => sum + documents.length, 0);
      return some.map((each) => ({ place, each }));
    });
    yield* work.each(texts, ({ place, each }) => place.count(each, counts));
    const weights = this.#weights();
    const ranked = this.#places.flatMap((place, i) =>
      [...(chosen[i] ?? [])].map((file) => ({ place, file, score: this.#scoreOf(place, file, weights) })),
    );
    return ranked.filter(({ score }) => score > 0).sort(byScore);
  }

  #scoreOf(place: WordCounts, file: number, weights: readonly number[]): number {
    return this.#priorOf(place, file) * place.scoreOf(file, weights, this.#shared.texts);
  }

  #priorOf(place: WordCounts, file: number): number {
    return this.#priors.get(place)?.[place.snapshot.handle.classes[file] ?? 0] ?? 0;
  }

  /** Ranks the best files again: what defines a word is better than what only mentions it. Files that cannot gain enough to be shown are not read. */
  *#withDefinitions(ranked: readonly ScoredFile[]): Generator<void, ScoredFile[]> {
    const { work, gains } = this.#shared;
    const gain = fileGains.definitions;
    const least = ranked[this.#job.limits.files - 1]?.score ?? 0;
    const best = ranked
      .slice(0, questionLimits.filesWithDefinitions)
      .filter(({ score }) => score * (1 + gain) >= least);
    const weights = this.#weights();
    yield* work.each(best, (each, i) => {
      gains[i] = this.#shareDefined(each, weights);
    });
    const gained = best.map((each, i) => {
      const definitions = 1 + gain * (gains[i] ?? 0);
      return { ...each, definitions, score: each.score * definitions };
    });
    return [...gained.sort(byScore), ...ranked.slice(best.length)];
  }

  /** The share of the question's words that a file defines, by their weights. */
  #shareDefined(ranked: ScoredFile, weights: readonly number[]): number {
    const { place, file } = ranked;
    const asked = weights.flatMap((weight, word) =>
      place.isNamedBy(word) || this.#question.ofPath[word] ? [] : { weight, text: this.#question.texts[word] ?? '' },
    );
    const matches = this.#matchesIn(ranked);
    const defined =
      place.snapshot
        .sourceOf(file)
        ?.slice.within(({ content }) => definedWords(matches, content, this.#question.texts)) ?? new Set();
    return sumOf(asked.filter(({ text }) => defined.has(text))) / sumOf(asked);
  }

  #weights(): number[] {
    return weightsOf(this.#places, this.#question.weights);
  }

  *#show(ranked: readonly ScoredFile[]): Generator<void, JobResult> {
    const best = ranked.slice(0, this.#job.limits.files);
    const weights = this.#weights();
    const files: FoundLines[] = [];
    let others = 0;
    yield* this.#shared.work.each(best, (each, i) => {
      files.push(this.#linesOf(each, weights));
      // In one answer alone.
      if (i === 0) others = ranked.length - best.length;
    });
    const matchCount = files.reduce((sum, { matchCount: inFile }) => sum + Math.max(1, inFile), 0);
    const filesWithWord = this.#question.words.map((_, word) => filesWith(this.#places, word));
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
    const words = place.explain(file, weights, this.#shared.texts);
    return { '×class': this.#priorOf(place, file), '×definitions': definitions, ...words };
  }

  /** The lines that are shown. */
  #passagesOf({ place, file }: ScoredFile, all: Matches, weights: readonly number[]): Passages {
    const worth = weights.map((weight, word) =>
      place.isNamedBy(word) ? passageWeights.repositoryName * weight : weight,
    );
    const find = ({ content }: SearchPlace): Passages =>
      passagesIn(all, content, { texts: this.#question.texts, weights: worth });
    return place.snapshot.sourceOf(file)?.slice.within(find) ?? { matches: all, weights: new Map() };
  }

  #matchesIn({ place, file }: ScoredFile): Matches {
    const source = place.snapshot.sourceOf(file);
    return source ? matchesIn(source, { or: this.#question.words }, this.#checkpoint) : new Matches();
  }
}

const pathOf = ({ place, file }: ScoredFile): string => place.snapshot.pathOf(file);

const byScore = (a: ScoredFile, b: ScoredFile): number => b.score - a.score || (pathOf(a) < pathOf(b) ? -1 : 1);

const sumOf = (words: readonly { weight: number }[]): number => words.reduce((sum, { weight }) => sum + weight, 0);

/** The words of a question, in parallel lists, and the classes of files that it asks for. */
class Question {
  readonly words: readonly Literal[];
  /** The same in lower case. */
  readonly texts: readonly string[];
  readonly weights: readonly number[];
  /** Per word: whether only its presence counts, not how often it occurs. */
  readonly exact: readonly boolean[];
  /** Per word: whether it counts only in paths. */
  readonly ofPath: readonly boolean[];
  /** The prior of each class of files. */
  readonly priors: readonly number[];

  constructor({ question }: Pick<Job, 'question'>) {
    const words = question?.words ?? [];
    this.words = words.map(({ term }) => term);
    this.texts = this.words.map(({ literal }) => String(literal));
    this.weights = words.map(({ weight }) => weight);
    this.exact = words.map(({ isExact }) => isExact);
    this.ofPath = words.map(({ isOfPath = false }) => isOfPath);
    this.priors = pathPriors(question?.wanted ?? new Set());
  }
}

/** Estimating, choosing, counting, looking for definitions, showing. */
const phases = 5;

interface Sizes {
  readonly words: number;
  /** Most texts that are counted, and files in which definitions are looked for. */
  readonly texts: number;
  readonly files: number;
}

/** The memory that all threads of a question share. */
class QuestionMemory {
  readonly work: SharedWork;
  /** How many files have about each score: see `ScoreHistogram`. */
  readonly likely: Int32Array;
  readonly texts: TextCounts;
  /** For each of the best files, the share of the question that it defines. */
  readonly gains: Float32Array;
  /** For the snapshots, one after the other. */
  readonly rest: SharedNumbers;

  constructor(memory: SharedArrayBuffer, { words, texts, files }: Sizes) {
    this.rest = new SharedNumbers(memory);
    this.work = new SharedWork(this.rest.integers(SharedWork.numbersFor(phases)));
    this.likely = this.rest.integers(scoreSteps);
    this.texts = new TextCounts(this.rest.floats(words * texts), texts);
    this.gains = this.rest.floats(files);
  }

  /** For a question about some snapshots. */
  static create(snapshots: readonly AttachedSnapshot[], { words, texts, files }: Sizes): SharedArrayBuffer {
    const ofSnapshots = snapshots.reduce((sum, snapshot) => sum + WordCounts.bytesFor(snapshot, words), 0);
    const numbers = SharedWork.numbersFor(phases) + scoreSteps + words * texts + files;
    return new SharedArrayBuffer(SharedNumbers.bytesFor([numbers, 4]) + ofSnapshots);
  }
}

/** Scores are rounded down to this many steps; 0 is no score. */
export const scoreSteps = 4096;

/** Chooses the files with the highest scores from several lists, by counting how many have about the same score. */
export class ScoreHistogram {
  /** How many files have each step; all threads of a question add to it. */
  readonly #counts: Int32Array;
  readonly #scale: number;

  /** No score is above `most`. */
  constructor(counts: Int32Array, most: number) {
    this.#counts = counts;
    this.#scale = most > 0 ? (scoreSteps - 2) / most : 0;
  }

  /** Counts the scores of a list, and writes their steps. */
  add(scores: Float32Array, steps: Uint16Array): void {
    const counts = new Int32Array(scoreSteps);
    for (let place = 0; place < scores.length; place += 1) {
      const score = scores[place] ?? 0;
      if (score <= 0) continue;
      const step = 1 + Math.floor(score * this.#scale);
      steps[place] = step;
      counts[step] = (counts[step] ?? 0) + 1;
    }
    for (let step = 1; step < scoreSteps; step += 1) {
      const count = counts[step] ?? 0;
      if (count > 0) Atomics.add(this.#counts, step, count);
    }
  }

  /** The `most` files with the highest steps in all lists. Of files with the same step, the first are chosen. */
  choose(lists: readonly Uint16Array[], most: number): BitSet[] {
    let from = scoreSteps;
    let above = 0;
    for (let count = 0; from > 1 && count < most; count += this.#counts[from] ?? 0) {
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
}
