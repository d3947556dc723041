import { BitSet, documentsDefining, searchTopK } from '@sextant/library-block-index';
import type { Collector, Matches, DocumentQuery, SearchPlace } from '@sextant/library-block-index';
import { engineQuery, FileEvaluator, matchingDocuments, pathPredicate, shownTerms } from '../match/evaluate.ts';
import { partitionsOf } from '../match/partitions.ts';
import type { Partition, SlicePartition } from '../match/partitions.ts';
import type { FileQuery, Job, JobSnapshot } from '../match/job.ts';
import type { AttachedSlice, AttachedSnapshot, Source } from '../snapshot/attached-snapshot.ts';
import { FileScore } from './file-score.ts';
import { BestLine, SearchTerms, termsNeeded } from '@sextant/library-keyword-search';
import type { RankedFile, TopFiles } from './top-files.ts';

/*
 * A partition is searched in one of two ways.
 *
 * - The rest has all terms. Documents are searched for the rest, best first.
 * - The rest lacks terms that paths have, or the block index cannot search it (nothing is left, or only negations). The documents that match are
 *   found first. Then they are searched for any of the terms, best first. A document without terms is ranked by its path.
 */

/** A search that several snapshots share. */
interface SharedSearch {
  readonly job: Job;
  readonly top: TopFiles;
  readonly checkpoint: () => void;
}

/** Some documents of a partition that are searched for a query. */
interface Visit {
  readonly place: SearchPlace;
  readonly partition: SlicePartition;
  readonly documents: BitSet;
  readonly query: DocumentQuery;
  /** Receives the documents that match. */
  readonly seen?: BitSet;
  /**
   * Whether terms of one letter are found only as whole words, because nearly every line has a letter. Then lines are missing; they are counted
   * when the file is shown.
   */
  readonly areLettersWords?: boolean;
}

/** The search of one snapshot for a job. It divides the files into partitions, and searches each best first. */
export class SnapshotSearch {
  readonly jobSnapshot: JobSnapshot;
  readonly #snapshot: AttachedSnapshot;
  readonly #shared: SharedSearch;
  readonly #terms: SearchTerms;
  readonly #score: FileScore;
  /** See `#definedIn`. */
  readonly #defined = new Map<AttachedSlice, Uint8Array>();

  constructor(snapshot: AttachedSnapshot, jobSnapshot: JobSnapshot, shared: SharedSearch) {
    this.#snapshot = snapshot;
    this.jobSnapshot = jobSnapshot;
    this.#shared = shared;
    this.#terms = searchTermsOf(jobSnapshot.query);
    this.#score = new FileScore(snapshot, this.#terms, shared);
  }

  *partitions(): Generator<void, Partition[]> {
    const snapshot = this.#snapshot;
    const { job, checkpoint } = this.#shared;
    const { query, partitions: wanted } = this.jobSnapshot;
    const partitions = yield* partitionsOf(snapshot, query, {
      matchesPath: pathPredicate(snapshot, checkpoint),
      matching: () => this.#evaluator().find(query, snapshot.everyFile),
      wantsPathsOnly: job.wantsPathsOnly,
      levelsOf: (files) => this.#score.levelsOf(files),
    });
    return wanted ? partitions.filter(({ number }) => wanted.includes(number)) : partitions;
  }

  #evaluator(slices?: readonly AttachedSlice[]): FileEvaluator {
    return new FileEvaluator(this.#snapshot, { ...this.#shared, slices });
  }

  /** No file of a partition scores more. */
  boundOf({ named }: Partition): number {
    return this.#score.boundOfNamed(named);
  }

  /** Whether a file with this score would be among the best of the search. */
  canStillWin(bound: number): boolean {
    return this.#shared.top.canStillWin(bound, this.jobSnapshot.target);
  }

  *search({ slice, ...partition }: Partition): Generator<void> {
    const { files } = partition;
    if (!slice) {
      for (const file of files.numbers()) this.#takeByPath(file);
      return;
    }
    const all = this.#snapshot.documentsOf(slice, files);
    if (!all.isEmpty) yield* slice.inSteps((place) => this.#searchSlice(place, { ...partition, slice }, all));
  }

  *#searchSlice(place: SearchPlace, partition: SlicePartition, documents: BitSet): Generator<void> {
    const { checkpoint } = this.#shared;
    const { rest } = partition;
    const query = rest.kind === 'all' ? undefined : engineQuery(rest);
    if (query && shownTerms(rest).length === this.#terms.terms.length)
      return yield* this.#visit({ place, partition, documents, query });
    const matching = query
      ? yield* matchingDocuments({ place, checkpoint }, query, documents)
      : this.#snapshot.documentsOf(
          partition.slice,
          yield* this.#evaluator([partition.slice]).find(rest, partition.files),
        );
    yield* this.#takeAll(place, partition, matching);
  }

  /** Takes all of these documents: it is known that they match. */
  *#takeAll(place: SearchPlace, partition: SlicePartition, documents: BitSet): Generator<void> {
    const query = { or: this.#terms.terms };
    const seen = new BitSet(documents.size);
    const areLettersWords = this.#terms.hasLetter && this.#shared.top.areFew;
    if (query.or.length > 0) yield* this.#visit({ place, partition, documents, query, seen, areLettersWords });
    const { slice, files } = partition;
    for (const document of documents.without(seen).numbers())
      for (const file of this.#snapshot.filesOf(slice, document, files))
        this.#takeByPath(file, { slice, document }, areLettersWords ? query : undefined);
  }

  /** Takes the documents that match, the best first. */
  *#visit({ place, partition, documents, query, seen, areLettersWords = false }: Visit): Generator<void> {
    const { job, top, checkpoint } = this.#shared;
    const emit = (document: number, matches: Matches, more: number): void => {
      seen?.add(document);
      this.#take({ place, partition, document, query, more }, matches);
    };
    yield* searchTopK(place, query, {
      collector: { emit, ...this.#bounds(partition, top.areFew ? this.#definedIn(place, partition.slice) : undefined) },
      documents: documents.bytes,
      checkpoint,
      linesOfEach: job.limits.linesPerFile,
      leavesMore: top.areFew,
      ...(areLettersWords && { wholeWords: this.#terms.letters }),
    });
  }

  /** A document wins with its best file. Of equal documents, the one with the first file wins. `defined`: see `#definedIn`. */
  #bounds({ slice, files, named }: SlicePartition, defined: Uint8Array | undefined): Omit<Collector, 'emit'> {
    const [snapshot, score, { top }, { target }] = [this.#snapshot, this.#score, this.#shared, this.jobSnapshot];
    const { fileStarts, filesOf } = snapshot.handle;
    const { base } = slice.handle;
    const tieBreak = (document: number): number => filesOf[fileStarts[base + document] ?? 0] ?? 0;
    const upperBound = (document: number): number => {
      let bound = 0;
      // Without an object for each file, as all documents may be asked for.
      for (let i = fileStarts[base + document] ?? 0, end = fileStarts[base + document + 1] ?? 0; i < end; i += 1) {
        const file = filesOf[i] ?? 0;
        if (files !== snapshot.everyFile && !files.has(file)) continue;
        bound = Math.max(bound, score.boundOf(file, named > 0, defined?.[document]));
      }
      return bound;
    };
    return { upperBound, tieBreak, canWin: (bound, document) => top.canStillWin(bound, target, tieBreak(document)) };
  }

  /** Of each document, how many terms the longest name has that it may define. Undefined if the index cannot tell. */
  #definedIn(place: SearchPlace, slice: AttachedSlice): Uint8Array | undefined {
    const { definable } = this.#terms;
    if (!definable) return undefined;
    const known = this.#defined.get(slice);
    if (known) return known;
    const found = new Uint8Array(slice.shard.documents);
    for (const { name, terms } of definable)
      for (const documents of documentsDefining(place, name)) for (const document of documents) found[document] = terms;
    this.#defined.set(slice, found);
    return found;
  }

  /** Takes the files of a document that matches. */
  #take({ place: { content }, partition, document, query, more }: MatchingDocument, matches: Matches): void {
    const { top, job } = this.#shared;
    const { lineCharacters, linesPerFile } = job.limits;
    const line = new BestLine(matches, this.#terms, { content, lineCharacters });
    const all = line.lineCount + more;
    // How many lines are counted beyond depends on how the file is read.
    const lines = top.areFew ? Math.min(all, linesPerFile) : all;
    const source = { slice: partition.slice, document };
    for (const file of this.#snapshot.filesOf(partition.slice, document, partition.files))
      this.#count({ file, source, query }, { lines, counted: line.counted + more, line });
  }

  /** Takes a file that is ranked by its path alone. With `query`, the lines to show are looked for once the file is shown. */
  #takeByPath(file: number, source?: Source, query?: DocumentQuery): void {
    this.#count({ file, source, query }, { lines: 0, counted: 0, line: this.#score.lineOfPath(file) });
  }

  /** Counts a file, and keeps it if it is among the best. */
  #count(found: Pick<RankedFile, 'file' | 'source' | 'query'>, { lines, counted, line }: FoundLineCounts): void {
    const [{ top, job }, { target }] = [this.#shared, this.jobSnapshot];
    const { file } = found;
    top.count(lines);
    const score = this.#score.of(file, counted, line);
    if (!top.canStillWin(score, target, file)) return;
    const parts = job.explains && { parts: this.#score.explain(file, counted, line) };
    top.add({ ...found, snapshot: this.#snapshot, target, terms: this.#terms, score, ...parts });
  }
}

const knownTerms = new WeakMap<FileQuery, SearchTerms>();

/** Memoized, as most snapshots of a job have the same query. */
function searchTermsOf(query: FileQuery): SearchTerms {
  const terms = knownTerms.get(query) ?? new SearchTerms(shownTerms(query), termsNeeded(query));
  knownTerms.set(query, terms);
  return terms;
}

interface FoundLineCounts {
  readonly lines: number;
  /** Those that count for the score, and the best of them. */
  readonly counted: number;
  readonly line: Pick<BestLine, 'score' | 'parts'>;
}

interface MatchingDocument extends Pick<Visit, 'place' | 'partition' | 'query'> {
  readonly document: number;
  /** Lines that match besides those with the matches. */
  readonly more: number;
}
