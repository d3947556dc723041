import { leavesOf } from '@sextant/contracts/query';
import { BitSet, Matches, search, searchDocuments } from '@sextant/library-block-index';
import type { DocumentQuery, SearchPlace } from '@sextant/library-block-index';
import type { Term } from '@sextant/library-keyword-search';
import type { FileQuery, Job, PathLeaf, TextLeaf } from './job.ts';
import type { AttachedSlice, AttachedSnapshot, Source } from '../snapshot/attached-snapshot.ts';

/** The query for the block index. Undefined if a negation stands beside nothing to look for. All leaves must be `text`. */
export function engineQuery(query: FileQuery): DocumentQuery | undefined {
  if (query.kind === 'text') return query.term;
  if (query.kind !== 'and' && query.kind !== 'or') return undefined;
  const parts = query.children.map((child) => {
    if (child.kind !== 'not' || query.kind === 'or') return engineQuery(child);
    const inner = engineQuery(child.child);
    return inner && { not: inner };
  });
  if (!parts.every((part) => part !== undefined) || parts.every((part) => 'not' in part)) return undefined;
  return query.kind === 'and' ? { and: parts } : { or: parts };
}

/** The distinct terms whose matches are shown: those under no negation, or under an even number of them. */
export function shownTerms(query: FileQuery): Term[] {
  const shown = leavesOf(query).flatMap(({ leaf, isNegated }) =>
    leaf.kind === 'text' && !isNegated ? [leaf.term] : [],
  );
  return [...new Set(shown)];
}

/** Tells for which files of a snapshot a leaf of a query is true by their path. */
export const pathPredicate =
  (snapshot: AttachedSnapshot, checkpoint: () => void) =>
  (leaf: TextLeaf | PathLeaf): BitSet => {
    const files = snapshot.withPath(leaf.term, checkpoint);
    if (leaf.kind === 'text' || leaf.scope === 'file') return files;
    return files.isEmpty ? files : BitSet.all(snapshot.handle.files);
  };

/** The time of a search is over. */
export class LateError extends Error {
  override readonly name = 'LateError';
}

/** To be called now and then during a search; ends it when its time is over. */
export const checkpointOf =
  ({ deadline }: Pick<Job, 'deadline'>) =>
  (): void => {
    if (Date.now() > deadline) throw new LateError();
  };

type Searchable = Pick<AttachedSnapshot, 'mostPathBlocks' | 'mostTextBlocks'>;

/** Whether the index allows that a file of a snapshot matches. Most of many snapshots lack a trigram of the query. */
export function mayMatch(snapshot: Searchable, query: FileQuery, job: Pick<Job, 'wantsPathsOnly'>): boolean {
  switch (query.kind) {
    case 'and':
      return query.children.every((child) => mayMatch(snapshot, child, job));
    case 'or':
      return query.children.some((child) => mayMatch(snapshot, child, job));
    case 'text':
    case 'path': {
      const { term } = query;
      const isInText = query.kind === 'text' && !job.wantsPathsOnly && snapshot.mostTextBlocks(term) > 0;
      return isInText || snapshot.mostPathBlocks(term) > 0;
    }
    case 'none':
      return false;
    default:
      return true;
  }
}

interface DocumentSearch {
  readonly place: SearchPlace;
  readonly checkpoint: () => void;
}

/** The documents among `allowed` that match. */
export function* matchingDocuments(
  { place, checkpoint }: DocumentSearch,
  query: DocumentQuery,
  allowed: BitSet,
): Generator<void, BitSet> {
  const found = new BitSet(allowed.size);
  for (const matches of search(place, query, { documents: allowed.bytes, checkpoint, wantsDocuments: true })) {
    for (const document of matches.documents()) found.add(document);
    yield;
  }
  return found;
}

/** A copy of the matches in one document. */
export const matchesIn = ({ slice, document }: Source, query: DocumentQuery, checkpoint: () => void): Matches =>
  slice.within((place) => {
    const [matches] = searchDocuments(place, query, { documents: Uint32Array.of(document), checkpoint });
    return matches?.copy() ?? new Matches();
  });

interface Evaluation {
  readonly job: Job;
  readonly checkpoint: () => void;
  /** Where text is looked for; everywhere unless said. */
  readonly slices?: readonly AttachedSlice[] | undefined;
}

/** Evaluates queries over the files of a snapshot, leaf by leaf, each only in the files that the others leave undecided. */
export class FileEvaluator {
  readonly #snapshot: AttachedSnapshot;
  readonly #job: Job;
  readonly #checkpoint: () => void;
  readonly #matchesPath: ReturnType<typeof pathPredicate>;
  readonly #slices: readonly AttachedSlice[];

  constructor(snapshot: AttachedSnapshot, { job, checkpoint, slices = snapshot.slices }: Evaluation) {
    this.#snapshot = snapshot;
    this.#slices = slices;
    this.#job = job;
    this.#checkpoint = checkpoint;
    this.#matchesPath = pathPredicate(snapshot, checkpoint);
  }

  /** The files of `among` for which the query is true. */
  *find(query: FileQuery, among: BitSet): Generator<void, BitSet> {
    switch (query.kind) {
      case 'all':
        return among;
      case 'none':
        return new BitSet(among.size);
      case 'path':
        return this.#within(this.#matchesPath(query), among);
      case 'text':
        return yield* this.#withText(query, among);
      case 'not':
        return among.without(yield* this.find(query.child, among));
      case 'and':
        return yield* this.#inAll(query.children, among);
      case 'or':
        return yield* this.#inAny(query.children, among);
    }
  }

  /** Among all files it returns the set itself, not a copy: its documents are cached by the object. */
  #within(files: BitSet, among: BitSet): BitSet {
    return among === this.#snapshot.everyFile ? files : files.and(among);
  }

  *#inAll(children: readonly FileQuery[], among: BitSet): Generator<void, BitSet> {
    let left = among;
    const byCost = children.toSorted((a, b) => this.#costOf(a) - this.#costOf(b));
    for (const child of byCost) if (!left.isEmpty) left = yield* this.find(child, left);
    return left;
  }

  *#inAny(children: readonly FileQuery[], among: BitSet): Generator<void, BitSet> {
    let found = new BitSet(among.size);
    for (const child of children) found = found.or(yield* this.find(child, among.without(found)));
    return found;
  }

  /** Paths come first, then rare terms; combinations come last. */
  #costOf(query: FileQuery): number {
    if (query.kind !== 'text') return query.kind === 'path' ? -1 : Infinity;
    return this.#snapshot.mostTextBlocks(query.term);
  }

  *#withText(leaf: TextLeaf, among: BitSet): Generator<void, BitSet> {
    const snapshot = this.#snapshot;
    const [{ wantsPathsOnly }, checkpoint] = [this.#job, this.#checkpoint];
    const named = this.#within(this.#matchesPath(leaf), among);
    if (wantsPathsOnly) return named;
    const others = named.isEmpty ? among : among.without(named);
    const found = named.copy();
    for (const slice of this.#slices) {
      const allowed = snapshot.documentsOf(slice, others);
      const documents = yield* slice.inSteps((place) => matchingDocuments({ place, checkpoint }, leaf.term, allowed));
      for (const document of documents.numbers())
        for (const file of snapshot.filesOf(slice, document, others)) found.add(file);
    }
    return found;
  }
}
