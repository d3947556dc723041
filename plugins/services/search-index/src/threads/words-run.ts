import { Matches } from '@sextant/library-block-index';
import type { Literal, SearchPlace } from '@sextant/library-block-index';
import { inverseFrequency, pathPriors, wantedClasses } from '../results/bm25f.ts';
import { Bits } from './bits.ts';
import { checkpointOf } from './checkpoint.ts';
import { matchesIn } from './content-search.ts';
import { definedWords } from './defined-words.ts';
import { summarize } from './hit.ts';
import { likeliest } from './likely-files.ts';
import { MatchingFiles } from './matching-files.ts';
import { passagesIn } from './passages.ts';
import type { Passages } from './passages.ts';
import type { FoundLines, Job, JobResult } from './protocol.ts';
import { showFile } from './shown-file.ts';
import type { Views } from './views.ts';
import { WordCounts } from './word-counts.ts';

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
  readonly path: string;
  readonly score: number;
  /** Absent where its text was not looked through. */
  readonly matches?: Matches;
}

/** Ranks the files of some commits by the words of a question (BM25F with priors of paths), in steps. */
export class WordsRun {
  readonly #job: Job;
  readonly #views: Views;
  readonly #words: readonly Literal[];
  /** The same as they stand in a text of lower case. */
  readonly #texts: readonly string[];
  readonly #wordWeights: readonly number[];
  /** What files of each class of paths are worth. */
  readonly #priors: readonly number[];
  readonly #checkpoint: () => void;

  constructor(job: Job, views: Views) {
    this.#job = job;
    this.#views = views;
    const words = (job.question?.words ?? []).flatMap(({ term, weight }) => {
      const found = job.terms[term];
      return found && 'literal' in found ? [{ literal: found, weight }] : [];
    });
    this.#words = words.map(({ literal }) => literal);
    this.#texts = this.#words.map(({ literal }) => String(literal));
    this.#wordWeights = words.map(({ weight }) => weight);
    this.#priors = pathPriors(wantedClasses(this.#texts));
    this.#checkpoint = checkpointOf(job);
  }

  *run(): Generator<void, JobResult> {
    const counting = { words: this.#words, checkpoint: this.#checkpoint };
    const places: WordCounts[] = [];
    for (const { view: id, target, query, namedBy = [] } of this.#job.views) {
      const view = this.#views.find(id);
      const matching = new MatchingFiles({ view, job: this.#job, checkpoint: this.#checkpoint });
      const allowed = yield* matching.find(query, view.everyFile);
      const place = new WordCounts({ view, target, allowed, namedBy }, counting);
      yield* place.estimate();
      places.push(place);
    }
    const ranked = yield* this.#rank(places);
    const files = yield* this.#withLines(ranked.slice(0, this.#job.limits.files), this.#weights(places));
    const matchCount = files.reduce((sum, { matchCount }) => sum + Math.max(1, matchCount), 0);
    const filesWithWord = this.#words.map((_, word) => filesWith(places, word));
    return { files, matchCount, fileCount: ranked.length, filesWithWord };
  }

  /** First all files by the index alone, then the likeliest by their text. */
  *#rank(places: readonly WordCounts[]): Generator<void, RankedFile[]> {
    const estimated = this.#weights(places);
    const scores: Float32Array[] = [];
    for (const place of places) {
      scores.push(this.#scores(place, estimated));
      yield;
    }
    const chosen = likeliest(scores, Math.max(filesRead, this.#job.limits.files));
    for (const [i, place] of places.entries()) yield* place.count(chosen[i] ?? new Bits(0));
    const weights = this.#weights(places);
    const ranked = places.flatMap((place, i) => {
      const files = [...(chosen[i] ?? [])];
      return files.map((file) => ({
        place,
        file,
        path: place.view.pathOf(file),
        score: this.#scoreOf(place, file, weights),
      }));
    });
    return yield* this.#withSymbols(ranked.filter(({ score }) => score > 0).sort(byScore), weights);
  }

  /**
   * The best files once more: what defines something of that name is better than what only speaks of it. It ends where no other
   * can be among those that are shown.
   */
  *#withSymbols(ranked: readonly RankedFile[], weights: readonly number[]): Generator<void, RankedFile[]> {
    const best: RankedFile[] = [];
    for (const each of ranked.slice(0, filesWithSymbols)) {
      const last = best.sort(byScore)[this.#job.limits.files - 1];
      if (last && each.score * (1 + symbolWeight) < last.score) break;
      const asked = weights.flatMap((weight, word) =>
        each.place.isNamedBy(word) ? [] : { weight, text: this.#texts[word] ?? '' },
      );
      const matches = this.#matchesIn(each);
      const defined = this.#definedIn(each, matches);
      const share = sumOf(asked.filter(({ text }) => defined.has(text))) / sumOf(asked);
      best.push({ ...each, matches, score: each.score * (1 + symbolWeight * share) });
      yield;
    }
    return [...best.sort(byScore), ...ranked.slice(best.length)];
  }

  #definedIn({ place, file }: RankedFile, matches: Matches): ReadonlySet<string> {
    const source = place.view.sourceOf(file);
    return source?.part.within(({ content }) => definedWords(matches, content, this.#texts)) ?? new Set();
  }

  #scores(place: WordCounts, weights: readonly number[]): Float32Array {
    const scores = place.scores(weights);
    const { classes } = place.view.handle;
    for (let file = 0; file < scores.length; file += 1)
      scores[file] = place.allowed.has(file) ? (scores[file] ?? 0) * (this.#priors[classes[file] ?? 0] ?? 0) : 0;
    return scores;
  }

  #scoreOf(place: WordCounts, file: number, weights: readonly number[]): number {
    const prior = this.#priors[place.view.handle.classes[file] ?? 0] ?? 0;
    return prior * place.scoreOf(file, weights);
  }

  /**
   * What each word is worth: more when few files have it. One that names repositories as much as few files of others have it, and no more
   * than the rarest of those that name none.
   */
  #weights(places: readonly WordCounts[]): number[] {
    const rarities = this.#words.map((_, word) =>
      rarity(
        places.filter((place) => !place.isNamedBy(word)),
        word,
      ),
    );
    const isNaming = this.#words.map((_, word) => places.some((place) => place.isNamedBy(word)));
    const others = rarities.filter((_, word) => !isNaming[word]);
    const most = others.length > 0 ? Math.max(...others) : Infinity;
    return rarities.map(
      (each, word) => (this.#wordWeights[word] ?? 0) * (isNaming[word] ? Math.min(each, most) : each),
    );
  }

  *#withLines(ranked: readonly RankedFile[], weights: readonly number[]): Generator<void, FoundLines[]> {
    const shown: FoundLines[] = [];
    for (const each of ranked) {
      const { file, score } = each;
      const { view, target } = each.place;
      const source = view.sourceOf(file);
      // Who wants no lines waits for none.
      const all = this.#job.limits.chunksPerFile > 0 ? (each.matches ?? this.#matchesIn(each)) : new Matches();
      const { lineCount } = summarize(all);
      const passages = this.#passagesOf(each, all, weights);
      shown.push(showFile({ view, target, file, source, lineCount, score, ...passages }, this.#job.limits));
      yield;
    }
    return shown;
  }

  /** A word that names the repository stands anywhere in it. */
  #passagesOf({ place, file }: RankedFile, all: Matches, weights: readonly number[]): Passages {
    const worth = weights.map((weight, word) => (place.isNamedBy(word) ? namingShare * weight : weight));
    const source = place.view.sourceOf(file);
    const find = ({ content }: SearchPlace): Passages =>
      passagesIn(all, content, { texts: this.#texts, weights: worth });
    return source?.part.within(find) ?? { matches: all, weights: new Map() };
  }

  #matchesIn({ place, file }: RankedFile): Matches {
    const source = place.view.sourceOf(file);
    return source ? matchesIn(source, { or: this.#words }, this.#checkpoint) : new Matches();
  }
}

const byScore = (a: RankedFile, b: RankedFile): number => b.score - a.score || (a.path < b.path ? -1 : 1);

const sumOf = (words: readonly { weight: number }[]): number => words.reduce((sum, { weight }) => sum + weight, 0);

const rarity = (places: readonly WordCounts[], word: number): number => {
  const total = places.reduce((sum, { view }) => sum + view.handle.files, 0);
  return inverseFrequency(total, filesWith(places, word));
};

const filesWith = (places: readonly WordCounts[], word: number): number =>
  places.reduce((sum, place) => sum + place.countWith(word), 0);
