import { noMatch, search } from '@sextant/library-block-index';
import type { Match, Query, SearchPlace } from '@sextant/library-block-index';
import { Bits } from './bits.ts';
import type { FileQuery, Term } from './protocol.ts';

/** A document that matches, with what is kept of its matches. */
export interface Hit {
  readonly document: number;
  /** Lines with a match. */
  lineCount: number;
  lastLine: number;
  /** The first ones, in order, with the content offsets of their bounds and matches. */
  readonly lines: HitLine[];
}

export interface HitLine {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly ranges: (readonly [start: number, end: number, isWord: boolean])[];
}

export interface ContentSearch {
  readonly place: SearchPlace;
  readonly terms: readonly Term[];
  readonly checkpoint: () => void;
}

/** Lines of a document that are looked at to choose what is shown. */
const linesKept = 50;
const rangesKept = 8;

/** Finds the documents among `allowed` that match, in their order, some at a time. `query` has only `text` leaves, and is not decided. */
export function* findDocuments(search: ContentSearch, query: FileQuery, allowed: Bits): Generator<Hit[]> {
  const engine = engineQuery(query, search.terms);
  if (engine) {
    yield* hitsOf(search, engine, allowed);
    return;
  }
  const found = yield* documentsOf(search, query, allowed);
  const shown = positives(query, search.terms);
  const withLines = new Bits(found.size);
  if (shown)
    for (const hits of hitsOf(search, shown, found)) {
      for (const { document } of hits) withLines.add(document);
      yield hits;
    }
  yield [...found.without(withLines)].map((document) => emptyHit(document));
}

/** The lines of some documents that any term matches. */
export function* findLines(search: ContentSearch, allowed: Bits): Generator<Hit[]> {
  if (search.terms.length > 0) yield* hitsOf(search, { or: search.terms }, allowed);
}

/** A search for a common word has too many matches for an object each; it is read before the next match. */
const reused = noMatch();

function* hitsOf({ place, checkpoint }: ContentSearch, query: Query, allowed: Bits): Generator<Hit[]> {
  const documents = new Uint8Array(allowed.bytes);
  // A document's matches may come in more than one part.
  let last: Hit | undefined;
  for (const matches of search(place, query, { documents, isEager: true, checkpoint })) {
    const hits: Hit[] = [];
    for (let i = 0; i < matches.length; i += 1) {
      const match = matches.at(i, reused);
      const hit = last?.document === match.document ? last : emptyHit(match.document);
      if (hit !== last) hits.push(hit);
      last = hit;
      note(hit, match);
    }
    yield hits;
  }
}

function note(hit: Hit, match: Match): void {
  const { line, lineStart: start, lineEnd: end } = match;
  if (hit.lastLine !== line) {
    hit.lastLine = line;
    hit.lineCount += 1;
    if (hit.lines.length < linesKept) hit.lines.push({ line, start, end, ranges: [] });
  }
  const current = hit.lines.at(-1);
  if (current?.line === line && current.ranges.length < rangesKept)
    current.ranges.push([match.start, match.end, match.isWordStart && match.isWordEnd]);
}

const emptyHit = (document: number): Hit => ({ document, lineCount: 0, lastLine: -1, lines: [] });

/** Any combination, by sets: for what the index cannot search in one go. */
export function* documentsOf(search: ContentSearch, query: FileQuery, allowed: Bits): Generator<Hit[], Bits> {
  const engine = engineQuery(query, search.terms);
  if (engine) {
    const found = new Bits(allowed.size);
    for (const hits of hitsOf(search, engine, allowed)) {
      for (const { document } of hits) found.add(document);
      yield [];
    }
    return found;
  }
  switch (query.kind) {
    case 'not':
      return allowed.without(yield* documentsOf(search, query.child, allowed));
    case 'and': {
      let left = allowed;
      for (const child of query.children) if (!left.isEmpty) left = yield* documentsOf(search, child, left);
      return left;
    }
    case 'or': {
      let found = new Bits(allowed.size);
      for (const child of query.children) found = found.or(yield* documentsOf(search, child, allowed.without(found)));
      return found;
    }
    default:
      throw new Error(`a query of the kind ${query.kind} is decided before content is searched`);
  }
}

/** The same for the index, which searches negations only beside something to look for. */
function engineQuery(query: FileQuery, terms: readonly Term[]): Query | undefined {
  if (query.kind === 'text') return terms[query.term];
  if (query.kind !== 'and' && query.kind !== 'or') return undefined;
  const parts = query.children.map((child) => {
    if (child.kind !== 'not' || query.kind === 'or') return engineQuery(child, terms);
    const inner = engineQuery(child.child, terms);
    return inner && { not: inner };
  });
  if (!parts.every((part) => part !== undefined) || parts.every((part) => 'not' in part)) return undefined;
  return query.kind === 'and' ? { and: parts } : { or: parts };
}

/** What of a query can be shown: its terms that are not negated. */
function positives(query: FileQuery, terms: readonly Term[]): Query | undefined {
  const found = [...positiveTerms(query)].flatMap((term) => terms[term] ?? []);
  return found.length === 0 ? undefined : { or: found };
}

export function positiveTerms(query: FileQuery, found = new Set<number>()): Set<number> {
  if (query.kind === 'text') found.add(query.term);
  if (query.kind === 'and' || query.kind === 'or') for (const child of query.children) positiveTerms(child, found);
  return found;
}
