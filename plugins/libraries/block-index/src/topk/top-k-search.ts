import type { CollectOptions, Collector } from '../match/collector.ts';
import { Evaluator } from '../match/evaluator.ts';
import { Matches } from '../match/matches.ts';
import { prepare } from '../match/query.ts';
import type { Limits, Query, SearchPlace, CompiledQuery } from '../match/query.ts';
import { EVERY_LINE, UNCOUNTED, WORDS_OF_LINES } from '../match/scanner.ts';
import type { SearchContext } from '../match/scanner.ts';
import { matchesIn, matchesInWindows, windows } from '../match/search.ts';
import type { CompiledSearch } from '../match/search.ts';
import { WINDOW } from '../workspace.ts';

/** Documents that are read together. Each batch is larger than the one before, as long as documents can win. */
const FIRST_BATCH = 32;
const GROWTH = 2;
/** Growth where the index excludes nothing: mostly few documents match then, and all will be read. */
const BLIND_GROWTH = 16;
/** Larger batches are given to the kernel as a bitmap of documents instead of a list of their blocks. */
const MOST_LISTED = 1024;
/** So few blocks are read at once, since ordering them costs more. */
const FEW = 8;
/** Up to so many blocks, the bounds of all documents are computed: splitting documents into tiers would cost more. */
const FEW_TO_SPLIT = 256;
/** Most matches of one document that are kept together. */
const MOST_MATCHES = 1_000_000;

/** Blocks of a combination that are one step, where it has few matches. */
const COMBINATION_STEP = { first: 512, most: 2048 };
/** Proposals that one step should find. Steps that look at the index alone cover at least `LEAST_PROPOSAL` blocks. */
const PROPOSED = 2048;
const LEAST_PROPOSAL = 8192;
/** Documents of about so many blocks are read in one step. */
const STEP_BLOCKS = 192;
const WHOLE = { first: WINDOW, growth: 1 };

export type TopKSearch = Limits & CollectOptions;

/**
 * Top-k search: reads the documents that match best first, by upper bounds of their scores (as WAND does), and stops when none of the rest
 * can win. The collector that keeps the best k ends with the same k as if it had seen all. Yields between steps. Throws QueryError, LimitError and
 * DamagedShardError.
 */
export function* searchTopK(place: SearchPlace, query: Query, search: TopKSearch): Generator<void> {
  const documents = search.documents ?? new Uint8Array(Math.ceil(place.shard.documents / 8)).fill(0xff);
  const prepared = prepare(place, query, { ...search, documents });
  if (!prepared) return;
  const { context, compiled, release } = prepared;
  try {
    const compiledSearch = { context, compiled, evaluator: new Evaluator(context) };
    compiledSearch.evaluator.lines = linesOf(compiled, search);
    compiledSearch.evaluator.collecting = search;
    if (compiled.cost > FEW) yield* visitBestFirst(compiledSearch, search, documents);
    else yield* visitAll(compiledSearch, search.collector);
  } finally {
    release();
  }
}

/** Queues what the index proposes by upper bounds, then reads the queue. */
function* visitBestFirst(compiledSearch: CompiledSearch, search: TopKSearch, allowed: Uint8Array): Generator<void> {
  const { collector } = search;
  const tier = compiledSearch.compiled.cost > FEW_TO_SPLIT ? collector.firstTier?.() : undefined;
  const queue = new PriorityQueue(collector);
  const others: number[] = [];
  for (const documents of proposals(compiledSearch, allowed)) {
    for (const document of documents)
      if (tier && !isIn(tier.documents, document)) others.push(document);
      else queue.add(document, collector.upperBound(document));
    yield;
  }
  yield* visitQueue(compiledSearch, queue, search);
  if (!tier || others.length === 0 || collector.interest(tier.boundOfOthers) === 'none') return;
  const second = new PriorityQueue(collector);
  for (const document of others) second.add(document, collector.upperBound(document));
  yield* visitQueue(compiledSearch, second, search);
}

/** The documents that may match, in steps. */
function* proposals(
  { context, compiled, evaluator }: CompiledSearch,
  allowed: Uint8Array,
): Generator<Iterable<number>> {
  const few = listed(allowed, Math.min(MOST_LISTED, compiled.cost / 4));
  if (few) {
    yield few;
    return;
  }
  const first = Math.max(LEAST_PROPOSAL, Math.ceil((context.shard.blocks * PROPOSED) / compiled.cost));
  for (const window of windows(context, { first, growth: 1 })) {
    context.checkpoint();
    yield evaluator.candidates(compiled, window);
  }
}

const isIn = (bits: Uint8Array, document: number): boolean =>
  (((bits[document >> 3] ?? 0) >> (document & 7)) & 1) === 1;

/** The documents of a filter, ascending; undefined where they are more. */
function listed(filter: Uint8Array, most: number): number[] | undefined {
  const documents: number[] = [];
  for (let i = 0; i < filter.length; i++) {
    for (let bits = filter[i] ?? 0; bits !== 0; bits &= bits - 1) documents.push(i * 8 + 31 - Math.clz32(bits & -bits));
    if (documents.length > most) return undefined;
  }
  return documents;
}

function* visitQueue(compiledSearch: CompiledSearch, queue: PriorityQueue, search: TopKSearch): Generator<void> {
  const { compiled, context, evaluator } = compiledSearch;
  const { collector } = search;
  const growth = compiled.cost < context.shard.blocks ? GROWTH : BLIND_GROWTH;
  for (let most = FIRST_BATCH; queue.size > 0; most *= growth) {
    evaluator.lines = linesOf(compiled, search, queue.first);
    // A batch is either counted or collected as a whole. While matches are collected, batches stay small: soon they may not be wanted.
    const isCollecting = evaluator.lines !== 0 && compiled.kind === 'term' && search.linesOfEach !== undefined;
    const documents = queue.take(isCollecting ? Math.min(most, MOST_LISTED) : most);
    if (documents.length === 0) return;
    allowOnly(context, documents);
    yield* documents.length > MOST_LISTED
      ? visitAll(compiledSearch, collector)
      : emitDocuments(matchesInSteps(compiledSearch, documents, collector), collector);
  }
}

/** How many lines with matches a batch gives of each document; `first` is the best document of the batch. */
function linesOf(
  compiled: CompiledQuery,
  { linesOfEach, leavesMore, collector }: TopKSearch,
  first?: PriorityQueue['first'],
): number {
  if (linesOfEach === undefined) return EVERY_LINE;
  if (compiled.kind !== 'term') return WORDS_OF_LINES;
  if (first && collector.interest(first.bound, first.document) !== 'matches') return 0;
  return leavesMore ? linesOfEach | UNCOUNTED : linesOfEach;
}

/** Leaves the documents of a batch that can no longer win once others of it were read. */
function* matchesInSteps(
  compiledSearch: CompiledSearch,
  documents: Uint32Array,
  collector: Collector,
): Generator<Matches> {
  const { shard } = compiledSearch.context;
  const canStillWin = (document: number): boolean =>
    collector.interest(collector.upperBound(document), document) !== 'none';
  for (let from = 0, to = 0; from < documents.length; from = to) {
    for (let blocks = 0; to < documents.length && (to === from || blocks < STEP_BLOCKS); to++) {
      const range = shard.documentBlocks(documents[to] ?? 0);
      blocks += range.to - range.from;
    }
    compiledSearch.context.checkpoint();
    const compiled = documents.subarray(from, to);
    yield* matchesIn(compiledSearch, from === 0 ? compiled : compiled.filter(canStillWin));
  }
}

/** Reads the documents that the filter allows, in their order. */
function visitAll({ context, compiled, evaluator }: CompiledSearch, collector: Collector): Generator<void> {
  return emitDocuments(
    compiled.kind === 'term'
      ? matchesOfTerm(compiled, context, evaluator)
      : matchesInWindows(evaluator, compiled, { context, ...COMBINATION_STEP }),
    collector,
  );
}

function* matchesOfTerm(
  { term }: Extract<CompiledQuery, { kind: 'term' }>,
  context: SearchContext,
  evaluator: Evaluator,
): Generator<Matches> {
  for (const window of windows(context, WHOLE)) yield* evaluator.term(term, window);
}

/** Emits each document once, with all its matches: they may come in more than one part. */
function* emitDocuments(parts: Iterable<Matches>, collector: Collector): Generator<void> {
  const emit = (document: number, all: Matches): void => {
    const { matches, more } = all.counted();
    collector.emit(document, matches, more);
  };
  let last: { document: number; matches: Matches } | undefined;
  for (const part of parts) {
    for (const next of part.byDocument()) {
      if (last?.document === next.document) {
        if (last.matches.length < MOST_MATCHES)
          last = { ...next, matches: Matches.concat([last.matches, next.matches]) };
        continue;
      }
      if (last) emit(last.document, last.matches);
      last = next;
    }
    // The memory of this part is used again by the next one.
    if (last) last = { ...last, matches: last.matches.copy() };
    yield;
  }
  if (last) emit(last.document, last.matches);
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
  readonly #collector: Pick<Collector, 'interest' | 'tieBreak'>;
  readonly #buckets = new Map<number, Bucket>();
  /** Ascending; known once the first are taken. */
  #bounds: number[] | undefined;
  #size = 0;
  /** The bucket of the last document: mostly many in a row have the same bound. */
  #last: { readonly bound: number; readonly documents: number[] } | undefined;

  constructor(collector: Pick<Collector, 'interest' | 'tieBreak'>) {
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

  /** The one that is taken next. */
  get first(): { readonly bound: number; readonly document: number } | undefined {
    const bound = this.#ascending().at(-1);
    const bucket = bound === undefined ? undefined : this.#buckets.get(bound);
    if (bound === undefined || !bucket) return undefined;
    bucket.ordered ??= this.#inOrder(bucket.documents);
    return { bound, document: bucket.ordered[bucket.taken] ?? 0 };
  }

  /** Removes the best documents while they can win, at most so many; ascending. */
  take(most: number): Uint32Array {
    const bounds = this.#ascending();
    const taken = new Uint32Array(Math.min(most, this.#size));
    let count = 0;
    for (let bound = bounds.at(-1); bound !== undefined && count < most; bound = bounds.at(-1)) {
      const bucket = this.#buckets.get(bound);
      if (!bucket) break;
      bucket.ordered ??= this.#inOrder(bucket.documents);
      if (this.#collector.interest(bound, bucket.ordered[bucket.taken] ?? 0) === 'none') break;
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

  #ascending(): number[] {
    return (this.#bounds ??= [...this.#buckets.keys()].sort((a, b) => a - b));
  }

  #inOrder(documents: readonly number[]): Uint32Array {
    const collector = this.#collector;
    if (!collector.tieBreak) return Uint32Array.from(documents);
    const ties = Float64Array.from(documents, (document) => collector.tieBreak?.(document) ?? 0);
    if (ties.every((tie, i) => i === 0 || tie >= (ties[i - 1] ?? 0))) return Uint32Array.from(documents);
    // Tie-break and document in one number: sorting with a comparison function takes ten times as long.
    const span = (documents.at(-1) ?? 0) + 1;
    for (let i = 0; i < ties.length; i += 1) ties[i] = (ties[i] ?? 0) * span + (documents[i] ?? 0);
    return Uint32Array.from(ties.sort(), (key) => key % span);
  }
}
