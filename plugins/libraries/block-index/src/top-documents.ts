import { LimitError } from './errors.ts';
import { Evaluator, Overflow } from './evaluator.ts';
import { Heap } from './heap.ts';
import type { Matches } from './matches.ts';
import { prepare } from './prepare.ts';
import type { Limits, SearchPlace } from './prepare.ts';
import type { Query, Step } from './query.ts';
import type { Bench } from './scanner.ts';
import { matchesOf, windows } from './windows.ts';
import { WINDOW } from './workspace.ts';

/** Documents that are looked at together; more each time, as long as they can still be among the best. */
const FIRST_DOCUMENTS = 64;
const MOST_DOCUMENTS = 16_384;
/** To look at so many blocks, or at the blocks of so many proposed documents, is cheaper than to choose among them first. */
const FEW = 4096;

const WHOLE = { first: WINDOW, growth: 1 };

export interface RankOptions extends Limits {
  /** Most documents to find. */
  readonly limit: number;
  /** The most that `scoreOf` can give a document, known before its text is looked at: the tighter, the less text is. */
  readonly boundOf: (document: number) => number;
  /** How good a document is, by its matches in the order of the content. */
  readonly scoreOf: (document: number, matches: Matches) => number;
}

export interface RankedDocument {
  readonly document: number;
  readonly score: number;
  readonly matches: Matches;
}

/**
 * Finds the documents with the highest scores, best first and equal ones in their order: the same as scoring all that match, but documents are looked at in the order
 * of their bounds, and the rest is left once none of them can be among the best. Yields between steps. Throws QueryError, LimitError and DamagedShardError.
 */
export function* topDocuments(
  place: SearchPlace,
  query: Query,
  options: RankOptions,
): Generator<void, RankedDocument[]> {
  const { bench, step, release } = prepare(place, query, options);
  try {
    const ranking = { bench, step, evaluator: new Evaluator(bench), best: new Best(options) };
    const waiting = step.cost > FEW ? yield* propose(ranking, options.boundOf) : undefined;
    yield* waiting && waiting.size > FEW ? rankWaiting(ranking, waiting) : rankAll(ranking);
    return ranking.best.inOrder();
  } finally {
    release();
  }
}

interface Ranking {
  readonly bench: Bench;
  readonly step: Step;
  readonly evaluator: Evaluator;
  readonly best: Best;
}

function* propose({ bench, step, evaluator }: Ranking, boundOf: RankOptions['boundOf']): Generator<void, Waiting> {
  const waiting = new Waiting();
  for (const window of windows(bench, WHOLE)) {
    bench.checkpoint();
    for (const document of evaluator.candidates(step, window)) waiting.add(document, boundOf(document));
    yield;
  }
  return waiting;
}

function* rankAll({ bench, step, evaluator, best }: Ranking): Generator<void> {
  for (const window of windows(bench, WHOLE)) {
    for (const matches of matchesOf(evaluator, step, { bench, window })) best.offer(matches);
    yield;
  }
}

function* rankWaiting(ranking: Ranking, waiting: Waiting): Generator<void> {
  const { best } = ranking;
  for (let most = FIRST_DOCUMENTS; ; most = Math.min(MOST_DOCUMENTS, most * 2)) {
    const documents = waiting.take(most, (document, bound) => best.isAmong(document, bound));
    if (documents.length === 0) return;
    for (const matches of matchesIn(ranking, documents)) best.offer(matches);
    yield;
  }
}

/** Documents that the index proposes, added in their order and taken by their bounds. */
class Waiting {
  readonly #documents: number[] = [];
  readonly #bounds: number[] = [];
  readonly #places = new Heap((a, b) => isBetter((this.#bounds[a] ?? 0) - (this.#bounds[b] ?? 0), a, b));

  get size(): number {
    return this.#documents.length;
  }

  add(document: number, bound: number): void {
    this.#documents.push(document);
    this.#bounds.push(bound);
    this.#places.add(this.#documents.length - 1);
  }

  /** Removes the next documents, up to the first that is not wanted; ascending. */
  take(most: number, isWanted: (document: number, bound: number) => boolean): Uint32Array {
    const taken: number[] = [];
    for (let place = this.#places.first; place !== undefined && taken.length < most; place = this.#places.first) {
      const document = this.#documents[place] ?? 0;
      if (!isWanted(document, this.#bounds[place] ?? 0)) break;
      taken.push(document);
      this.#places.take();
    }
    return Uint32Array.from(taken).sort();
  }
}

/** The best documents so far. */
class Best {
  readonly #options: RankOptions;
  readonly #ranked = new Map<number, RankedDocument>();
  readonly #worstFirst = new Heap((a, b) => isBetter(this.#scoreOf(b) - this.#scoreOf(a), b, a));

  constructor(options: RankOptions) {
    this.#options = options;
  }

  /** Whether a document with this score is among the best, as far as they are known. */
  isAmong(document: number, score: number): boolean {
    const worst = this.#worstFirst.first;
    if (this.#worstFirst.size < this.#options.limit || worst === undefined) return this.#options.limit > 0;
    return isBetter(score - this.#scoreOf(worst), document, worst);
  }

  /** Takes the documents of these matches that are among the best. */
  offer(matches: Matches): void {
    const { boundOf, scoreOf } = this.#options;
    for (const { document, matches: own } of matches.byDocument()) {
      const score = scoreOf(document, own);
      if (score > boundOf(document))
        throw new Error(`document ${document} scores ${score}, which is more than its bound`);
      if (this.isAmong(document, score)) this.#add({ document, score, matches: own.copy() });
    }
  }

  inOrder(): RankedDocument[] {
    return [...this.#ranked.values()].sort((a, b) => b.score - a.score || a.document - b.document);
  }

  #add(ranked: RankedDocument): void {
    if (this.#worstFirst.size === this.#options.limit) this.#ranked.delete(this.#worstFirst.take() ?? 0);
    this.#ranked.set(ranked.document, ranked);
    this.#worstFirst.add(ranked.document);
  }

  #scoreOf(document: number): number {
    return this.#ranked.get(document)?.score ?? 0;
  }
}

function isBetter(difference: number, a: number, b: number): boolean {
  return difference > 0 || (difference === 0 && a < b);
}

/** The matches in some documents, in parts that are neither too wide for the index nor too many for memory. */
function* matchesIn(ranking: Ranking, documents: Uint32Array): Generator<Matches> {
  const { evaluator, step, bench } = ranking;
  const { from } = bench.shard.documentBlocks(documents[0] ?? 0);
  const { to } = bench.shard.documentBlocks(documents.at(-1) ?? 0);
  try {
    if (to - from > WINDOW) throw new Overflow();
    yield evaluator.matches(step, { from, to }, documents);
  } catch (error) {
    if (!(error instanceof Overflow)) throw error;
    if (documents.length < 2)
      throw new LimitError('a document has too many matches to rank; search for something rarer', { cause: error });
    const middle = documents.length >> 1;
    yield* matchesIn(ranking, documents.subarray(0, middle));
    yield* matchesIn(ranking, documents.subarray(middle));
  }
}
