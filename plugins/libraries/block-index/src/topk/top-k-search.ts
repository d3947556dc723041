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
import { searching } from '../match/query.ts';
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
  /** An integer, which orders documents with equal bounds: the lowest first. */
  tieBreak(document: number): number;
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
  const { collector } = search;
  yield* searching([place, query, { ...search, documents }], function* ({ context, compiled }) {
    const evaluator = new DocumentEvaluator(context);
    evaluator.lines = linesOf(compiled, search);
    evaluator.wholeWords = search.wholeWords;
    const byBound = new Map<number, number[]>();
    for (const window of windows(context, PROPOSAL_BLOCKS)) {
      context.checkpoint();
      for (const document of evaluator.candidates(compiled, window)) {
        const bound = collector.upperBound(document);
        const sameBound = byBound.get(bound);
        if (sameBound) sameBound.push(document);
        else byBound.set(bound, [document]);
      }
      yield;
    }
    for (const best of batches(bestFirst(byBound, collector))) {
      allowOnly(context, best);
      yield* readDocuments({ compiled, evaluator }, best, collector);
    }
  });
}

/** In how many lines of a document matches are written. */
function linesOf(compiled: CompiledQuery, { linesOfEach, leavesMore }: TopKSearch): number {
  if (linesOfEach === undefined) return EVERY_LINE;
  if (compiled.kind !== 'term') return WORDS_OF_LINES;
  return leavesMore ? linesOfEach | UNCOUNTED : linesOfEach;
}

/** Emits the documents that match. Those that can no longer win once others were read are left out. */
function* readDocuments(compiledSearch: CompiledSearch, documents: Uint32Array, collector: Collector): Generator<void> {
  const { context } = compiledSearch.evaluator;
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

/** The documents while they can win: those with the highest bound first, of equal bounds those with the lowest tie-break. */
function* bestFirst(byBound: ReadonlyMap<number, readonly number[]>, collector: Collector): Generator<number> {
  for (const bound of [...byBound.keys()].sort((a, b) => b - a))
    for (const document of inOrder(byBound.get(bound) ?? [], collector)) {
      if (!collector.canWin(bound, document)) return;
      yield document;
    }
}

function inOrder(documents: readonly number[], collector: Collector): Iterable<number> {
  const ties = Float64Array.from(documents, (document) => collector.tieBreak(document));
  if (ties.every((tie, i) => i === 0 || tie >= (ties[i - 1] ?? 0))) return documents;
  // Tie-break and document in one number: sorting with a comparison function is much slower.
  const span = (documents.at(-1) ?? 0) + 1;
  for (let i = 0; i < ties.length; i += 1) ties[i] = (ties[i] ?? 0) * span + (documents[i] ?? 0);
  return ties.sort().map((key) => key % span);
}

/** Takes documents in ascending batches. Whether those of a batch can win is known once the batches before are read. */
function* batches(documents: Iterable<number>): Generator<Uint32Array> {
  let [most, taken]: [number, number[]] = [batch.first, []];
  for (const document of documents) {
    if (taken.push(document) < most) continue;
    yield Uint32Array.from(taken).sort();
    [most, taken] = [Math.min(batch.most, most * batch.growth), []];
  }
  if (taken.length > 0) yield Uint32Array.from(taken).sort();
}
