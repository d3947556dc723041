import { Matches } from '@sextant/library-block-index';
import type { SearchPlace } from '@sextant/library-block-index';
import { mostOfWord, priorsWithin } from './bm25f.ts';
import type { BitSet } from '../match/bit-set.ts';
import { checkpointOf } from '../pool/checkpoint.ts';
import { matchesIn } from '../match/evaluate.ts';
import { definedWords } from './defined-words.ts';
import { summarize } from './matched-lines.ts';
import { LikelyFiles } from './likely-files.ts';
import { FileEvaluator } from '../match/evaluate.ts';
import { passagesIn } from './passages.ts';
import type { Passages } from './passages.ts';
import type { FoundLines, Job, JobPart, JobResult, JobView } from '../pool/protocol.ts';
import { Question } from './question.ts';
import { QuestionMemory } from './question-memory.ts';
import { showRated } from '../show/answer.ts';
import type { AttachedSnapshots } from '../snapshot/attached-snapshot.ts';
import { WordCounts } from './word-counts.ts';
import { filesWith, weightsOf } from './word-weights.ts';

/** Files that are looked at: those that have most of the words by the index alone. */
const filesRead = 1000;
/** Of these so many are looked through for what they define, */
const filesWithSymbols = 30;
/** and gain so much where it is all words of the question (measured: test/bench/nls). */
const symbolWeight = 0.25;
/** What a word that names the repository counts where the lines that are shown are chosen. */
const namingShare = 0.1;

interface RankedFile {
  readonly place: WordCounts;
  readonly file: number;
  readonly score: number;
}

/**
 * Ranks the files of some commits by the words of a question (BM25F with priors of paths), in steps. Several threads may do it together: each goes the
 * same way, counts what none of the others has counted, and knows what all have found; each file is in the answer of the thread that shows it.
 */
export class WordsRun {
  readonly #job: Job;
  readonly #question: Question;
  readonly #checkpoint: () => void;
  readonly #shared: QuestionMemory;
  /** One for each view of the job. */
  readonly #places: readonly WordCounts[];
  /** What files of each class of paths are worth in them. */
  readonly #priors: ReadonlyMap<WordCounts, readonly number[]>;
  #isEnding = false;

  constructor(job: Job, views: AttachedSnapshots) {
    this.#job = job;
    this.#checkpoint = checkpointOf(job);
    this.#question = new Question(job);
    const { words, exact, shallow } = this.#question;
    const attached = job.views.map(({ view }) => views.find(view));
    const sizes = { words: words.length, texts: this.#mostRead, files: filesWithSymbols };
    const memory = job.question?.memory ?? QuestionMemory.create(attached, sizes);
    this.#shared = new QuestionMemory(memory, sizes);
    const counting = { words, exact, shallow, numbers: this.#shared.rest, checkpoint: this.#checkpoint };
    this.#places = job.views.map(
      ({ view, target, namedBy = [] }) => new WordCounts({ view: views.find(view), target, namedBy }, counting),
    );
    const { priors } = this.#question;
    this.#priors = new Map(this.#places.map((place) => [place, priorsWithin(priors, place.view.handle.classes)]));
  }

  get #mostRead(): number {
    return Math.max(filesRead, this.#job.limits.files);
  }

  /** All of it, for a thread that helps; nothing when little is left. */
  share(): JobPart {
    const { views, question } = this.#job;
    if (this.#isEnding || !question) return { views: [] };
    return { views, question: { ...question, memory: this.#shared.rest.memory } };
  }

  *run(): Generator<void, JobResult> {
    const chosen = yield* this.#choose();
    const ranked = yield* this.#rank(chosen);
    this.#isEnding = true;
    return yield* this.#show(yield* this.#withSymbols(ranked));
  }

  /** The likeliest files of each view, by the index alone. */
  *#choose(): Generator<void, BitSet[]> {
    const { work, likely: counts } = this.#shared;
    const places = this.#places.map((place, i) => ({ place, jobView: this.#job.views[i] }));
    // The largest first: so all threads are ready at about the same time.
    places.sort((a, b) => b.place.view.documents - a.place.view.documents);
    yield* work.each(places, ({ place, jobView }) => this.#estimate(place, jobView));
    const weights = this.#weights();
    const sum = weights.reduce((all, weight) => all + weight, 0);
    const most = Math.max(0, ...this.#places.map((place) => place.ofRepository(weights)));
    const likely = new LikelyFiles(counts, most * sum * mostOfWord);
    yield* work.each(places, ({ place }) => likely.add(this.#scores(place, weights), place.steps));
    return likely.choose(
      this.#places.map(({ steps }) => steps),
      this.#mostRead,
    );
  }

  *#estimate(place: WordCounts, jobView: JobView | undefined): Generator<void> {
    const query = jobView?.query ?? { kind: 'none' };
    const { view } = place;
    const matching = new FileEvaluator(view, this.#job, this.#checkpoint);
    yield* place.estimate(yield* matching.find(query, view.everyFile));
  }

  #scores(place: WordCounts, weights: readonly number[]): Float32Array {
    const scores = place.scores(weights);
    const { classes } = place.view.handle;
    const priors = this.#priors.get(place) ?? [];
    const factor = place.ofRepository(weights);
    for (let file = 0; file < scores.length; file += 1) {
      const score = scores[file] ?? 0;
      if (score > 0) scores[file] = place.allowed.has(file) ? score * factor * (priors[classes[file] ?? 0] ?? 0) : 0;
    }
    return scores;
  }

  /** Those that were chosen, by their text. */
  *#rank(chosen: readonly BitSet[]): Generator<void, RankedFile[]> {
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
    const prior = this.#priors.get(place)?.[place.view.handle.classes[file] ?? 0] ?? 0;
    return prior * place.scoreOf(file, weights, this.#shared.texts);
  }

  /**
   * The best files once more: what defines something of that name is better than what only speaks of it. Not looked through is what cannot be
   * among those that are shown.
   */
  *#withSymbols(ranked: readonly RankedFile[]): Generator<void, RankedFile[]> {
    const { work, gains } = this.#shared;
    const least = ranked[this.#job.limits.files - 1]?.score ?? 0;
    const best = ranked.slice(0, filesWithSymbols).filter(({ score }) => score * (1 + symbolWeight) >= least);
    const weights = this.#weights();
    yield* work.each(best, (each, i) => {
      gains[i] = this.#shareDefined(each, weights);
    });
    const gained = best.map((each, i) => ({ ...each, score: each.score * (1 + symbolWeight * (gains[i] ?? 0)) }));
    return [...gained.sort(byScore), ...ranked.slice(best.length)];
  }

  /** Which share of what is asked a file defines. */
  #shareDefined(ranked: RankedFile, weights: readonly number[]): number {
    const { place, file } = ranked;
    const asked = weights.flatMap((weight, word) =>
      place.isNamedBy(word) ? [] : { weight, text: this.#question.texts[word] ?? '' },
    );
    const matches = this.#matchesIn(ranked);
    const defined =
      place.view.sourceOf(file)?.slice.within(({ content }) => definedWords(matches, content, this.#question.texts)) ??
      new Set();
    return sumOf(asked.filter(({ text }) => defined.has(text))) / sumOf(asked);
  }

  #weights(): number[] {
    return weightsOf(this.#places, this.#question.weights);
  }

  *#show(ranked: readonly RankedFile[]): Generator<void, JobResult> {
    const best = ranked.slice(0, this.#job.limits.files);
    const weights = this.#weights();
    const files: FoundLines[] = [];
    let others = 0;
    yield* this.#shared.work.each(best, (each, i) => {
      files.push(this.#linesOf(each, weights));
      // Of one answer alone.
      if (i === 0) others = ranked.length - best.length;
    });
    const matchCount = files.reduce((sum, { matchCount: inFile }) => sum + Math.max(1, inFile), 0);
    const filesWithWord = this.#question.words.map((_, word) => filesWith(this.#places, word));
    return { files, matchCount, fileCount: files.length + others, filesWithWord };
  }

  #linesOf(ranked: RankedFile, weights: readonly number[]): FoundLines {
    const { file, score } = ranked;
    const { view, target } = ranked.place;
    const { limits } = this.#job;
    // Who wants no lines waits for none.
    const all = limits.chunksPerFile > 0 ? this.#matchesIn(ranked) : new Matches();
    const { lineCount } = summarize(all);
    const source = view.sourceOf(file);
    const passages = this.#passagesOf(ranked, all, weights);
    return showRated({ view, target, file, source, lineCount, score, ...passages }, limits);
  }

  /** A word that names the repository stands anywhere in it. */
  #passagesOf({ place, file }: RankedFile, all: Matches, weights: readonly number[]): Passages {
    const worth = weights.map((weight, word) => (place.isNamedBy(word) ? namingShare * weight : weight));
    const find = ({ content }: SearchPlace): Passages =>
      passagesIn(all, content, { texts: this.#question.texts, weights: worth });
    return place.view.sourceOf(file)?.slice.within(find) ?? { matches: all, weights: new Map() };
  }

  #matchesIn({ place, file }: RankedFile): Matches {
    const source = place.view.sourceOf(file);
    return source ? matchesIn(source, { or: this.#question.words }, this.#checkpoint) : new Matches();
  }
}

const pathOf = ({ place, file }: RankedFile): string => place.view.pathOf(file);

const byScore = (a: RankedFile, b: RankedFile): number => b.score - a.score || (pathOf(a) < pathOf(b) ? -1 : 1);

const sumOf = (words: readonly { weight: number }[]): number => words.reduce((sum, { weight }) => sum + weight, 0);
