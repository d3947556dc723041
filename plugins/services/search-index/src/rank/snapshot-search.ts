import { searchTopK } from '@sextant/library-block-index';
import type { Matches, Query, SearchPlace } from '@sextant/library-block-index';
import { BitSet } from '../snapshot/bit-set.ts';
import { documentsOf, engineQuery, FileEvaluator, shownTerms } from '../match/evaluate.ts';
import { partitionsOf } from '../match/partitions.ts';
import type { Partition, SlicePartition } from '../match/partitions.ts';
import { pathPredicate } from '../match/paths.ts';
import type { FileQuery, Job, JobSnapshot } from '../pool/protocol.ts';
import type { AttachedSnapshot, Source } from '../snapshot/attached-snapshot.ts';
import { FileCollector } from './file-collector.ts';
import type { CollectorContext } from './file-collector.ts';
import { FileScore } from './file-score.ts';
import { BestLine } from './line-score.ts';
import { firstMatches, hasLongLine, summarize } from './matched-lines.ts';
import { termScoreOf } from './term-score.ts';
import type { TermScore } from './term-score.ts';
import type { TopFiles } from './top-files.ts';
import { fewDocuments, PhraseLimits, UpperBounds } from './upper-bounds.ts';

/*
 * A partition is searched in one of three ways. `FileCollector` says what is worth reading; this file says what is done with it.
 *
 * - The rest has all terms: one visit. The files of each document that matches are counted and ranked together.
 * - The rest lacks terms that paths have: two visits. The first counts documents by the rest. The second ranks those that may be
 *   shown by all terms; they have `areCounted`. A document with a very long line is ranked in the first visit.
 * - The block index cannot search the rest (nothing is left, or only negations): documents are found by other means. One visit
 *   ranks them by all terms. Its files are not counted yet.
 *
 * Flags of a visit:
 * - `areCounted`: only in the second of two visits. Files are not counted again, and all their lines are read.
 * - `areLettersWords`: only if all documents are known to match, one of several terms is a letter, and few files are wanted. The
 *   letter is then found only as a whole word, so lines are missing. A document without other lines is ranked by its path. All its
 *   lines are searched when it is shown.
 *
 * What follows from them:
 * - `leavesMore` = few files are wanted and not `areCounted`: the index may stop counting the lines of a document.
 * - `isCut` of a file = `areLettersWords`, or lines were left uncounted by `leavesMore`. Its matches are not kept: showing it
 *   searches it again and counts its lines (`show/answer.ts`).
 * - `isCounted` of a file = `areCounted`. Showing it does not add its lines to the count.
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
  readonly query: Query;
  /** Whether their files are counted already. */
  readonly areCounted?: boolean;
  /** What an earlier pass found out. */
  readonly limits?: PhraseLimits;
  /** Receives the documents that match. */
  readonly seen?: BitSet;
  /** Whether terms of one letter are found only as whole words. */
  readonly areLettersWords?: boolean;
}

/** The search of one snapshot for a job. It divides the files into partitions, and searches each best first. */
export class SnapshotSearch {
  readonly jobSnapshot: JobSnapshot;
  readonly #snapshot: AttachedSnapshot;
  readonly #shared: SharedSearch;
  readonly #terms: TermScore;
  readonly #score: FileScore;
  readonly #bounds: UpperBounds;

  constructor(snapshot: AttachedSnapshot, jobSnapshot: JobSnapshot, shared: SharedSearch) {
    this.#snapshot = snapshot;
    this.jobSnapshot = jobSnapshot;
    this.#shared = shared;
    this.#terms = termScoreOf(jobSnapshot.query, shared.job.terms);
    this.#score = new FileScore(snapshot, this.#terms, shared);
    this.#bounds = new UpperBounds(snapshot, this.#score, this.#terms);
  }

  *partitions(): Generator<void, Partition[]> {
    const [snapshot, { job, checkpoint }, { query, partitions: wanted }] = [
      this.#snapshot,
      this.#shared,
      this.jobSnapshot,
    ];
    const partitions = yield* partitionsOf(snapshot, query, {
      matchesPath: pathPredicate(snapshot, job, checkpoint),
      matching: () => new FileEvaluator(snapshot, job, checkpoint).find(query, snapshot.everyFile),
      wantsPathsOnly: job.wantsPathsOnly,
      levelsOf: (files) => this.#score.levelsOf(files),
    });
    return wanted ? partitions.filter(({ number }) => wanted.includes(number)) : partitions;
  }

  /** No file of a partition scores more. */
  boundOf(partition: Partition): number {
    return this.#bounds.ofPartition(partition);
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
    const { rest } = partition;
    const { terms } = this.#shared.job;
    const query = rest.kind === 'all' ? undefined : engineQuery(rest, terms);
    if (query)
      yield* this.#lacksTerms(rest)
        ? this.#visitTwice({ place, partition, documents, query })
        : this.#visit({ place, partition, documents, query });
    else yield* this.#takeAll({ place, partition, documents: yield* this.#matching(place, rest, documents) });
  }

  *#matching(place: SearchPlace, rest: FileQuery, documents: BitSet): Generator<void, BitSet> {
    const { job, checkpoint } = this.#shared;
    if (rest.kind === 'all') return documents;
    return yield* documentsOf({ place, terms: job.terms, checkpoint }, rest, documents);
  }

  /** Whether paths have decided terms, so that the rest lacks them. Their matches in the text are shown all the same. */
  #lacksTerms(rest: FileQuery): boolean {
    const { terms } = this.#shared.job;
    return engineQuery(rest, terms) !== undefined && shownTerms(rest, terms).length < this.#terms.terms.length;
  }

  /** Takes all of these documents: it is known that they match. Lines with terms rank a document and are shown. */
  *#takeAll(visit: Omit<Visit, 'query'>): Generator<void> {
    const { partition, documents, areCounted = false } = visit;
    const query = { or: this.#terms.terms };
    const seen = new BitSet(documents.size);
    // Nearly every line has a letter. For files that are not shown, nobody needs to know in which lines.
    const areLettersWords = this.#terms.hasLetter && this.#shared.top.areFew;
    if (query.or.length > 0) yield* this.#visit({ ...visit, query, seen, areLettersWords });
    const shown = { areCounted, ...(areLettersWords && { query }) };
    for (const document of documents.without(seen).numbers())
      for (const file of this.#filesOf(partition, document))
        this.#takeByPath(file, { slice: partition.slice, document }, shown);
  }

  /** Takes the documents that match, the best first. */
  *#visit(visit: Visit): Generator<void> {
    const { place, partition, documents, query, areCounted = false, seen, areLettersWords = false } = visit;
    const { job, top, checkpoint } = this.#shared;
    const leavesMore = top.areFew && !areCounted;
    const emit = (document: number, matches: Matches, more: number): void => {
      seen?.add(document);
      const isCut = areLettersWords || (leavesMore && more > 0);
      this.#take({ place, partition, document, query, more, isCut, isCounted: areCounted }, matches);
    };
    const boundWith = (document: number, matches: Matches): number =>
      this.#boundWith(place, { partition, document }, matches);
    const limits = visit.limits ?? new PhraseLimits(this.#terms, place.content);
    yield* searchTopK(place, query, {
      collector: new FileCollector(this.#context(visit, limits), { emit, boundWith }),
      documents: documents.bytes,
      checkpoint,
      linesOfEach: job.limits.linesPerFile,
      leavesMore,
      // The last term decides by itself: its documents are ranked at once.
      termBounds: top.areFew ? 'allButLast' : 'none',
      ...(areLettersWords && { wholeWords: this.#terms.letters }),
    });
  }

  /**
   * Searches a rest that lacks the terms that paths have. The text may have them, too, and they then count for its rank. The first pass counts the
   * documents that match the rest. The second pass looks for all terms in the documents that can still win.
   */
  *#visitTwice({ place, partition, documents, query }: Visit): Generator<void> {
    const { job, top, checkpoint } = this.#shared;
    const limits = new PhraseLimits(this.#terms, place.content);
    const again = new BitSet(documents.size);
    const emit = (document: number, matches: Matches, more: number): void => {
      // A very long line is shown around the terms of the rest.
      if (hasLongLine(matches))
        this.#take({ place, partition, document, query, more, isCut: false, isCounted: false }, matches);
      else {
        if ('literal' in query && more === 0) limits.with(document, query, matches);
        const lineCount = summarize(matches).lineCount + more;
        if (this.#count(partition, document, { phrase: limits.of(document), lineCount })) again.add(document);
      }
    };
    yield* searchTopK(place, query, {
      collector: new FileCollector(this.#context({ partition, documents }, limits), { emit }),
      documents: documents.bytes,
      checkpoint,
      linesOfEach: job.limits.linesPerFile,
      termBounds: top.areFew ? 'all' : 'none',
    });
    yield* this.#takeAll({ place, partition, documents: again, limits, areCounted: true });
  }

  #context({ partition, documents }: Pick<Visit, 'partition' | 'documents'>, limits: PhraseLimits): CollectorContext {
    const [snapshot, bounds, { top }, { target }] = [this.#snapshot, this.#bounds, this.#shared, this.jobSnapshot];
    return { snapshot, bounds, top, target, partition, limits, areMany: documents.count > fewDocuments };
  }

  /** An upper bound for the files of a document with these matches. Lines are read only if the file could win otherwise. */
  #boundWith(place: SearchPlace, { partition, document }: PlaceInPartition, matches: Matches): number {
    const [{ top }, { target }] = [this.#shared, this.jobSnapshot];
    const line = this.#bestLineOf(place, { partition, document }, matches);
    let bound = 0;
    for (const file of this.#filesOf(partition, document)) {
      const unread = this.#score.of(file, line.counted, line.bound);
      const isRead = top.canStillWin(unread, target, file);
      bound = Math.max(bound, isRead ? this.#score.of(file, line.counted, line.score) : unread);
    }
    return bound;
  }

  /** Counts the files of a document, and returns whether one of them may be shown. */
  #count(
    partition: SlicePartition,
    document: number,
    { phrase, lineCount }: { phrase: number; lineCount: number },
  ): boolean {
    const { top } = this.#shared;
    const signs = this.#bounds.signsOf(partition.slice, document, phrase);
    let mayBeShown = false;
    for (const file of this.#filesOf(partition, document)) {
      top.count(lineCount);
      mayBeShown ||= top.canBeShown(this.#bounds.ofFile(file, signs), this.jobSnapshot.target, file);
    }
    return mayBeShown;
  }

  /** Counts the files of a document, and keeps those that are among the best. */
  #take({ place, partition, document, query, more, isCut, isCounted }: MatchingDocument, matches: Matches): void {
    const [{ top, job }, { target }, snapshot] = [this.#shared, this.jobSnapshot, this.#snapshot];
    const line = this.#bestLineOf(place, { partition, document }, matches);
    const [lineCount, counted] = [line.lineCount + more, line.counted + more];
    const source = { slice: partition.slice, document };
    for (const file of this.#filesOf(partition, document)) {
      if (!isCounted) top.count(lineCount);
      if (!top.canBeShown(this.#score.of(file, counted, line.bound), target, file)) continue;
      const score = this.#score.of(file, counted, line.score);
      if (!top.canBeShown(score, target, file)) continue;
      const keep = (): Matches =>
        firstMatches(matches, top.linesToKeep(lineCount, job.limits.linesPerFile), line.telling);
      const [terms, { defined }] = [this.#terms, line];
      const parts = job.explains && { parts: this.#score.explain(file, counted, line) };
      top.add(
        { snapshot, target, file, source, terms, defined, lineCount, isCut, isCounted, query, score, ...parts },
        isCut ? undefined : keep,
      );
    }
  }

  #bestLineOf({ content }: SearchPlace, { partition, document }: PlaceInPartition, matches: Matches): BestLine {
    const { lineCharacters } = this.#shared.job.limits;
    const defined = this.#bounds.definedIn(partition.slice, document);
    return new BestLine(matches, this.#terms, { content, lineCharacters, defined });
  }

  /** Takes a file that is ranked by its path alone. With `query`, the lines to show are looked for once the file is shown. */
  #takeByPath(
    file: number,
    source?: Source,
    { areCounted = false, query }: { areCounted?: boolean; query?: Query } = {},
  ): void {
    const [{ top, job }, { target }, snapshot, terms] = [this.#shared, this.jobSnapshot, this.#snapshot, this.#terms];
    if (!areCounted) top.count(0);
    if (!top.canBeShown(this.#score.boundOfPath(file), target, file)) return;
    const score = this.#score.ofPath(file);
    if (!top.canBeShown(score, target, file)) return;
    const noLines = { lineCount: 0, isCut: query !== undefined, isCounted: areCounted, defined: terms.mostDefined };
    const parts = job.explains && { parts: this.#score.explainPath(file) };
    top.add({ ...noLines, snapshot, target, file, terms, source, query, score, ...parts });
  }

  #filesOf({ slice, files }: SlicePartition, document: number): readonly number[] {
    return this.#snapshot.filesOf(slice, document, files);
  }
}

interface PlaceInPartition {
  readonly partition: SlicePartition;
  readonly document: number;
}

interface MatchingDocument extends PlaceInPartition {
  readonly place: SearchPlace;
  readonly query: Query;
  /** Lines that match besides those with the matches. */
  readonly more: number;
  /** Whether `more` is a lower bound. */
  readonly isCut: boolean;
  readonly isCounted: boolean;
}
