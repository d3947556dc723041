import type { Literal, Regex } from '../match/compiled-term.ts';
import { Evaluator } from '../match/evaluator.ts';
import { Matches } from '../match/matches.ts';
import { prepare } from '../match/query.ts';
import type { Limits, Query, SearchPlace, Step } from '../match/query.ts';
import { EVERY_LINE, UNCOUNTED, WORDS_OF_LINES } from '../match/scanner.ts';
import type { Bench } from '../match/scanner.ts';
import { matchesIn, matchesInWindows, windows } from '../match/search.ts';
import type { Visiting } from '../match/search.ts';
import { WINDOW } from '../workspace.ts';
import { Waiting } from './waiting.ts';

/** Documents that are looked at together; more each time, as long as they are wanted. */
const FIRST_DOCUMENTS = 32;
const GROWTH = 2;
/** The same where the index tells nothing: mostly few documents match then, and all will be looked at. */
const BLIND_GROWTH = 16;
/** More documents than this are told to the kernel as a bitmap, not as a list of their blocks. */
const MOST_LISTED = 1024;
/** To look at so many blocks is cheaper than to choose among them first, */
const FEW = 8;
/** and to ask for the bounds of so many than to part them first. */
const FEW_TO_PART = 256;
/** Most matches of one document that are kept together. */
const MOST_MATCHES = 1_000_000;

/** Blocks of a combination that are one step, where it has few matches. */
const STEP = { first: 512, most: 2048 };
/** Blocks that are proposed in one step, about, where at least so many are gone through: that looks at no text. */
const PROPOSED = 2048;
const LEAST_PROPOSAL = 8192;
const WHOLE = { first: WINDOW, growth: 1 };

export interface Visit extends Limits {
  /** The most that a document can be worth, known before its text is looked at: the tighter, the less text is. */
  readonly boundOf: (document: number) => number;
  /** Where there are many documents, those that come first, if that is known: of the others no bound is asked for where nobody wants them then. */
  readonly likely?: () => Likely | undefined;
  /** Of documents with the same bound those with the lowest rank, an integer, are looked at first; without it the first ones. */
  readonly rankOf?: (document: number) => number;
  /**
   * Whether a document of this bound is to be looked at. One that is not will not be later either, nor will those of the same
   * bound that come after it, nor lower bounds.
   */
  readonly isWanted: (bound: number, document: number) => boolean;
  /**
   * Of a single term matches in so many lines of each document are wanted, of each the first eight; more lines are counted. Of a combination all lines
   * are, where whole words may stand side by side: of each the first eight matches, and of the others 64 that are whole words.
   */
  readonly linesOfEach?: number;
  /** Whether a literal of such a combination is wanted only where it is a whole word: what has it nowhere else has it not. */
  readonly isWholeWord?: (text: Literal | Regex) => boolean;
  /** Whether they need not be counted: that there are some is enough. */
  readonly leavesMore?: boolean;
  /** Whether of a document with this bound lines are counted and no matches wanted; then so it is with all that come after it. */
  readonly isOnlyCounted?: (bound: number, document: number) => boolean;
  /** Whether a document with these matches would be taken if nothing excluded it: what a query negates is looked for in no others. */
  readonly isPromising?: (document: number, matches: Matches) => boolean;
  /**
   * Of one of the texts that all must be there, whether a document with these matches would be taken whatever it has of the others, which are looked for
   * in no others; the last one is known to be so. Undefined: all are.
   */
  readonly isHopefulWith?: (
    text: Literal | Regex,
    isLast: boolean,
  ) => ((document: number, matches: Matches) => boolean) | undefined;
  /** Takes a document that matches, with its matches in the order of the content and the number of lines that match besides; they are good until it returns. */
  readonly take: (document: number, matches: Matches, more: number) => void;
}

/** Documents that come before others. */
export interface Likely {
  readonly documents: Uint8Array;
  /** Whether any of the others is wanted, once these were looked at. */
  readonly areOthersWanted: () => boolean;
}

/**
 * Looks at the documents that match, those with the highest bounds first, and leaves the rest once none of them is wanted: who keeps the best
 * ones gets the same as from all. Yields between steps. Throws QueryError, LimitError and DamagedShardError.
 */
export function* visitByBound(place: SearchPlace, query: Query, visit: Visit): Generator<void> {
  const documents = visit.documents ?? new Uint8Array(Math.ceil(place.shard.documents / 8)).fill(0xff);
  const prepared = prepare(place, query, { ...visit, documents });
  if (!prepared) return;
  const { bench, step, release } = prepared;
  try {
    const visiting = { bench, step, evaluator: new Evaluator(bench) };
    visiting.evaluator.lines = linesOf(step, visit);
    visiting.evaluator.wanted = visit;
    if (step.cost > FEW) yield* visitProposed(visiting, visit);
    else yield* visitAll(visiting, visit);
  } finally {
    release();
  }
}

function* visitProposed(visiting: Visiting, visit: Visit): Generator<void> {
  const likely = visiting.step.cost > FEW_TO_PART ? visit.likely?.() : undefined;
  const [waiting, others] = [new Waiting(visit.rankOf), new Waiting(visit.rankOf)];
  const later: number[] = [];
  for (const documents of proposed(visiting, visit)) {
    for (const document of documents)
      if (likely && !isIn(likely.documents, document)) later.push(document);
      else waiting.add(document, visit.boundOf(document));
    yield;
  }
  yield* visitWaiting(visiting, waiting, visit);
  if (later.length === 0 || likely?.areOthersWanted() !== true) return;
  for (const document of later) others.add(document, visit.boundOf(document));
  yield* visitWaiting(visiting, others, visit);
}

/** The documents that may match, in steps. */
function* proposed({ bench, step, evaluator }: Visiting, { documents }: Visit): Generator<Iterable<number>> {
  const few = documents && listed(documents, Math.min(MOST_LISTED, step.cost / 4));
  if (few) {
    yield few;
    return;
  }
  const first = Math.max(LEAST_PROPOSAL, Math.ceil((bench.shard.blocks * PROPOSED) / step.cost));
  for (const window of windows(bench, { first, growth: 1 })) {
    bench.checkpoint();
    yield evaluator.candidates(step, window);
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

function* visitWaiting(visiting: Visiting, waiting: Waiting, visit: Visit): Generator<void> {
  const { step, bench, evaluator } = visiting;
  const growth = step.cost < bench.shard.blocks ? GROWTH : BLIND_GROWTH;
  for (let most = FIRST_DOCUMENTS; waiting.size > 0; most *= growth) {
    evaluator.lines = linesOf(step, visit, waiting.first);
    // All that are taken together are counted, or none of them is.
    const documents = waiting.take(isChoosing(evaluator) ? Math.min(most, MOST_LISTED) : most, visit.isWanted);
    if (documents.length === 0) return;
    allowOnly(bench, documents);
    yield* documents.length > MOST_LISTED
      ? visitAll(visiting, visit)
      : visitParts(matchesInSteps(visiting, documents, visit), visit);
  }
}

/** Whether matches are wanted now, and perhaps soon no more. */
const isChoosing = ({ lines }: Evaluator): boolean => lines !== 0 && lines !== EVERY_LINE && lines !== WORDS_OF_LINES;

/** In how many lines of documents matches are wanted, of which this is the first. */
function linesOf(step: Step, { linesOfEach, leavesMore, isOnlyCounted }: Visit, first?: Waiting['first']): number {
  if (linesOfEach === undefined) return EVERY_LINE;
  if (step.kind !== 'term') return WORDS_OF_LINES;
  if (first && isOnlyCounted?.(first.bound, first.document)) return 0;
  return leavesMore ? linesOfEach | UNCOUNTED : linesOfEach;
}

/** Documents of about so many blocks are one step. */
const STEP_BLOCKS = 192;

/** Leaves those that are wanted no more once others were looked at. */
function* matchesInSteps(visiting: Visiting, documents: Uint32Array, { boundOf, isWanted }: Visit): Generator<Matches> {
  const { shard } = visiting.bench;
  for (let from = 0, to = 0; from < documents.length; from = to) {
    for (let blocks = 0; to < documents.length && (to === from || blocks < STEP_BLOCKS); to++) {
      const range = shard.documentBlocks(documents[to] ?? 0);
      blocks += range.to - range.from;
    }
    visiting.bench.checkpoint();
    const step = documents.subarray(from, to);
    const wanted = from === 0 ? step : step.filter((document) => isWanted(boundOf(document), document));
    yield* matchesIn(visiting, wanted);
  }
}

/** Looks at the documents that the filter allows. */
function visitAll({ bench, step, evaluator }: Visiting, visit: Visit): Generator<void> {
  return visitParts(
    step.kind === 'term'
      ? matchesOfTerm(step, bench, evaluator)
      : matchesInWindows(evaluator, step, { bench, ...STEP }),
    visit,
  );
}

function* matchesOfTerm(
  { term }: Extract<Step, { kind: 'term' }>,
  bench: Bench,
  evaluator: Evaluator,
): Generator<Matches> {
  for (const window of windows(bench, WHOLE)) yield* evaluator.term(term, window);
}

/** Gives each document with all its matches, which may come in more than one part. */
function* visitParts(parts: Iterable<Matches>, visit: Visit): Generator<void> {
  const take = (document: number, all: Matches): void => {
    const { matches, more } = all.counted();
    visit.take(document, matches, more);
  };
  let last: { document: number; matches: Matches } | undefined;
  for (const part of parts) {
    for (const next of part.byDocument()) {
      if (last?.document === next.document) {
        if (last.matches.length < MOST_MATCHES)
          last = { ...next, matches: Matches.concat([last.matches, next.matches]) };
        continue;
      }
      if (last) take(last.document, last.matches);
      last = next;
    }
    // The part is gone when the next one comes.
    if (last) last = { ...last, matches: last.matches.copy() };
    yield;
  }
  if (last) take(last.document, last.matches);
}

function allowOnly({ filter, shard, workspace }: Bench, documents: Uint32Array): void {
  const allowed = workspace.arena.u8.subarray(filter, filter + Math.ceil(shard.documents / 8)).fill(0);
  for (const document of documents) allowed[document >> 3] = (allowed[document >> 3] ?? 0) | (1 << (document & 7));
}
