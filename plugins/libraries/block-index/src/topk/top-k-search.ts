import type { Literal, Regex } from '../match/compiled-term.ts';
import {
  DocumentEvaluator,
  EVERY_LINE,
  UNCOUNTED,
  WORDS_OF_LINES,
  matchesOfDocuments,
  steps,
  windows,
} from '../match/evaluator.ts';
import type { CompiledSearch } from '../match/evaluator.ts';
import type { Matches } from '../match/matches.ts';
import { prepare } from '../match/query.ts';
import type { CompiledQuery, DocumentQuery, Limits, SearchContext, SearchPlace } from '../match/query.ts';

/** Documents that are taken from the queue together. Each batch is larger than the one before, as long as documents can win. */
const batch = { first: 32, growth: 2, most: 1024 };
/** Blocks of the documents that are read in one step. */
const STEP_BLOCKS = 192;
/** Blocks of one step that looks at the index alone. */
const PROPOSAL_BLOCKS = 8192;

/** Says which documents are worth reading, and takes those that match. */
export interface Collector {
  /** The highest score that a document can have, before its text is read. */
  upperBound(document: number): number;
  /**
   * Whether a document with this bound can still be among the best. It never becomes true again: not over time, not with a lower bound, and not
   * for a later document with the same bound.
   */
  canWin(bound: number, document: number): boolean;
  /**
   * Takes a document with its matches in the order of the content, and the number of matching lines beyond them. The matches are valid until it
   * returns.
   */
  emit(document: number, matches: Matches, more: number): void;
  /** Orders documents with equal bounds, the lowest first. An integer; without it the lowest document is first. */
  tieBreak?(document: number): number;
}

/** Which matches of a document the collector gets. Each option reduces them; without options it gets all. */
export interface TopKSearch extends Limits {
  readonly collector: Collector;
  /**
   * The search of a single term collects at most so many lines of a document. It counts the lines beyond them. A combination collects all lines.
   * Both collect the first eight matches of a line. A combination adds up to 64 that are whole words.
   */
  readonly linesOfEach?: number;
  /** More lines need not be counted: it is enough to know that there are some. */
  readonly leavesMore?: boolean;
  /** Terms of a combination that are found as whole words only. */
  readonly wholeWords?: ReadonlySet<Literal | Regex>;
}

/**
 * Top-k search: reads the documents that match best first, by upper bounds of their scores (as WAND does), and stops when none of the rest
 * can win. The collector that keeps the best k ends with the same k as if it had seen all. Yields between steps. Throws QueryError, LimitError and
 * DamagedShardError.
 */
export function* searchTopK(place: SearchPlace, query: DocumentQuery, search: TopKSearch): Generator<void> {
  const documents = search.documents ?? new Uint8Array(Math.ceil(place.shard.documents / 8)).fill(0xff);
  const prepared = prepare(place, query, { ...search, documents });
  if (!prepared) return;
  const { context, compiled, release } = prepared;
  try {
    const evaluator = new DocumentEvaluator(context);
    evaluator.lines = linesOf(compiled, search);
    evaluator.wholeWords = search.wholeWords;
    const compiledSearch = { context, compiled, evaluator };
    const queue = new PriorityQueue(search.collector);
    for (const window of windows(context, PROPOSAL_BLOCKS)) {
      context.checkpoint();
      for (const document of evaluator.candidates(compiled, window))
        queue.add(document, search.collector.upperBound(document));
      yield;
    }
    yield* readQueue(compiledSearch, queue, search.collector);
  } finally {
    release();
  }
}

/** In how many lines of a document matches are written. */
function linesOf(compiled: CompiledQuery, { linesOfEach, leavesMore }: TopKSearch): number {
  if (linesOfEach === undefined) return EVERY_LINE;
  if (compiled.kind !== 'term') return WORDS_OF_LINES;
  return leavesMore ? linesOfEach | UNCOUNTED : linesOfEach;
}

function* readQueue(compiledSearch: CompiledSearch, queue: PriorityQueue, collector: Collector): Generator<void> {
  for (let most = batch.first; queue.size > 0; most = Math.min(batch.most, most * batch.growth)) {
    const documents = queue.take(most);
    if (documents.length === 0) return;
    allowOnly(compiledSearch.context, documents);
    yield* readDocuments(compiledSearch, documents, collector);
  }
}

/** Emits the documents that match. Those that can no longer win once others were read are left out. */
function* readDocuments(compiledSearch: CompiledSearch, documents: Uint32Array, collector: Collector): Generator<void> {
  const { context } = compiledSearch;
  for (const step of steps(context, documents, STEP_BLOCKS)) {
    context.checkpoint();
    const wanted = step.filter((document) => collector.canWin(collector.upperBound(document), document));
    if (wanted.length === 0) continue;
    for (const found of matchesOfDocuments(compiledSearch, wanted)) {
      for (const { document, matches: all } of found.byDocument()) {
        const { matches, more } = all.counted();
        collector.emit(document, matches, more);
      }
      yield;
    }
  }
}

function allowOnly({ filter, shard, workspace }: SearchContext, documents: Uint32Array): void {
  const allowed = workspace.arena.u8.subarray(filter, filter + Math.ceil(shard.documents / 8)).fill(0);
  for (const document of documents) allowed[document >> 3] = (allowed[document >> 3] ?? 0) | (1 << (document & 7));
}

/** The documents with one bound. */
interface Bucket {
  readonly documents: number[];
  /** The same in the order in which they are taken, and how many were taken. */
  ordered: Uint32Array | undefined;
  taken: number;
}

/** A priority queue of documents: the highest bound first, among equal bounds the lowest tie-break. All are added before the first is taken. */
class PriorityQueue {
  readonly #collector: Pick<Collector, 'canWin' | 'tieBreak'>;
  readonly #buckets = new Map<number, Bucket>();
  /** Ascending; known once the first are taken. */
  #bounds: number[] | undefined;
  #size = 0;
  /** The bucket of the last document: mostly many in a row have the same bound. */
  #last: { readonly bound: number; readonly documents: number[] } | undefined;

  constructor(collector: Pick<Collector, 'canWin' | 'tieBreak'>) {
    this.#collector = collector;
  }

  get size(): number {
    return this.#size;
  }

  add(document: number, bound: number): void {
    this.#size += 1;
    if (this.#last?.bound !== bound) this.#last = { bound, documents: this.#bucketOf(bound).documents };
    this.#last.documents.push(document);
  }

  /** Removes the best documents while they can win, at most so many; ascending. */
  take(most: number): Uint32Array {
    const bounds = (this.#bounds ??= [...this.#buckets.keys()].sort((a, b) => a - b));
    const taken = new Uint32Array(Math.min(most, this.#size));
    let count = 0;
    for (let bound = bounds.at(-1); bound !== undefined && count < most; bound = bounds.at(-1)) {
      const bucket = this.#buckets.get(bound);
      if (!bucket) break;
      bucket.ordered ??= this.#inOrder(bucket.documents);
      if (!this.#collector.canWin(bound, bucket.ordered[bucket.taken] ?? 0)) break;
      const next = bucket.ordered.subarray(bucket.taken, bucket.taken + most - count);
      taken.set(next, count);
      count += next.length;
      bucket.taken += next.length;
      if (bucket.taken === bucket.ordered.length) bounds.pop();
    }
    this.#size -= count;
    return taken.slice(0, count).sort();
  }

  #bucketOf(bound: number): Bucket {
    const known = this.#buckets.get(bound);
    if (known) return known;
    const bucket = { documents: [], ordered: undefined, taken: 0 };
    this.#buckets.set(bound, bucket);
    return bucket;
  }

  #inOrder(documents: readonly number[]): Uint32Array {
    const collector = this.#collector;
    if (!collector.tieBreak) return Uint32Array.from(documents);
    const ties = Float64Array.from(documents, (document) => collector.tieBreak?.(document) ?? 0);
    if (ties.every((tie, i) => i === 0 || tie >= (ties[i - 1] ?? 0))) return Uint32Array.from(documents);
    // Tie-break and document in one number: sorting with a comparison function is much slower.
    const span = (documents.at(-1) ?? 0) + 1;
    for (let i = 0; i < ties.length; i += 1) ties[i] = (ties[i] ?? 0) * span + (documents[i] ?? 0);
    return Uint32Array.from(ties.sort(), (key) => key % span);
  }
}
