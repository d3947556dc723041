import type { AttachedView } from './attached-view.ts';
import { best } from './candidates.ts';
import type { Candidate } from './candidates.ts';
import { findDocuments, findLines } from './content-search.ts';
import type { ContentSearch, Hit } from './content-search.ts';
import { Bits } from './bits.ts';
import { groupFiles, isTrueWithoutContent } from './file-groups.ts';
import type { FileGroup } from './file-groups.ts';
import type { FileQuery, Job, JobResult, PathLeaf, TextLeaf } from './protocol.ts';

/** One search over some commits, in steps of some milliseconds each: between two of them others have their turn. */
export class JobRun {
  readonly #job: Job;
  readonly #views: ReadonlyMap<number, AttachedView>;
  readonly #checkpoint: () => void;
  readonly #candidates: Candidate[] = [];
  #matchCount = 0;
  #fileCount = 0;
  #isCut = false;
  /** The one that is being searched. */
  #target = 0;
  /** Candidates whose matches are in the count. */
  #counted = 0;

  constructor(job: Job, views: ReadonlyMap<number, AttachedView>) {
    this.#job = job;
    this.#views = views;
    this.#checkpoint = checkpointOf(job);
  }

  *run(): Generator<void, JobResult> {
    const { views, limits, terms } = this.#job;
    for (const { view: id, target, query } of views) {
      const view = this.#views.get(id);
      if (!view) throw new Error(`view ${id} is not known to this thread`);
      this.#target = target;
      yield* this.#searchView(view, query);
    }
    const words = terms.flatMap((term) =>
      'literal' in term && typeof term.literal === 'string' ? [term.literal.toLowerCase()] : [],
    );
    const files = best(this.#candidates, { words, limits });
    const limitHit = this.#isCut || this.#fileCount > files.length;
    return { files, matchCount: this.#matchCount, fileCount: this.#fileCount, limitHit };
  }

  *#searchView(view: AttachedView, query: FileQuery): Generator<void> {
    const groups = groupFiles(query, view.everyFile, truthOf(view, this.#job, this.#checkpoint));
    yield;
    for (const group of groups) {
      if (group.rest.kind === 'all') yield* this.#addByPath(view, group.files);
      else if (!this.#job.wantsPathsOnly) yield* this.#searchContent(view, group);
      else if (isTrueWithoutContent(group.rest)) yield* this.#addByPath(view, group.files);
    }
  }

  /** Files that match by their path alone; what their content has of the terms is shown with those that come first. */
  *#addByPath(view: AttachedView, files: Bits): Generator<void> {
    const total = files.count;
    this.#fileCount += total;
    const { candidates } = this.#job.limits;
    const chosen = new Bits(files.size);
    let added = 0;
    for (const file of files) {
      if (added++ === candidates) break;
      chosen.add(file);
    }
    const hits = this.#job.wantsPathsOnly ? new Map<number, Hit>() : yield* this.#linesOf(view, chosen);
    for (const file of chosen)
      this.#add(view, { file, hit: hits.get(view.handle.documents[file] ?? -1), source: view.sourceOf(file) });
    this.#countMatches();
    this.#matchCount += Math.max(0, total - candidates);
    this.#isCut ||= total > candidates;
  }

  *#linesOf(view: AttachedView, files: Bits): Generator<void, Map<number, Hit>> {
    const found = new Map<number, Hit>();
    for (const part of view.parts) {
      const documents = view.documentsOf(part, files);
      if (documents.isEmpty) continue;
      const hits = yield* part.inSteps((place) => collected(findLines(this.#search(place), documents)));
      for (const hit of hits) found.set(part.handle.base + hit.document, hit);
    }
    return found;
  }

  *#searchContent(view: AttachedView, { files, rest }: FileGroup): Generator<void> {
    if (isTrueWithoutContent(rest)) yield* this.#addByPath(view, withoutText(view, files));
    let found = 0;
    for (const part of view.parts) {
      const documents = view.documentsOf(part, files);
      if (documents.isEmpty) continue;
      const room = this.#job.limits.candidates - found;
      const hits = yield* part.inSteps((place) => collected(findDocuments(this.#search(place), rest, documents), room));
      for (const hit of hits) {
        const places = view.filesOf(part, hit.document).filter((file) => files.has(file));
        for (const file of places) this.#add(view, { file, hit, source: { part, document: hit.document } });
        this.#fileCount += places.length;
      }
      found += hits.length;
      this.#countMatches();
      if (found < this.#job.limits.candidates) continue;
      this.#isCut = true;
      return;
    }
  }

  /** Of the candidates that are complete: a hit may grow until its part is searched. A file that is found otherwise than by a line counts once. */
  #countMatches(): void {
    for (; this.#counted < this.#candidates.length; this.#counted += 1)
      this.#matchCount += Math.max(1, this.#candidates[this.#counted]?.hit?.lineCount ?? 0);
  }

  #search(place: ContentSearch['place']): ContentSearch {
    return { place, terms: this.#job.terms, checkpoint: this.#checkpoint };
  }

  #add(view: AttachedView, found: Pick<Candidate, 'file' | 'hit' | 'source'>): void {
    this.#candidates.push({ view, target: this.#target, path: view.pathOf(found.file), ...found });
  }
}

/** For which files a leaf of the query is true by their path. */
export const truthOf =
  (view: AttachedView, { terms }: Job, checkpoint: () => void) =>
  (leaf: TextLeaf | PathLeaf): Bits => {
    const { handle } = view;
    const term = leaf.kind === 'path' ? { regex: leaf.pattern, foldCase: true } : terms[leaf.term];
    if (!term || handle.files === 0) return new Bits(handle.files);
    const files = view.withPath(term, checkpoint);
    if (leaf.kind === 'text' || leaf.scope === 'file') return files;
    return files.isEmpty ? files : Bits.all(handle.files);
  };

/** Called now and then while the index is searched; ends a search whose time is over. */
export const checkpointOf =
  ({ deadline }: Job) =>
  (): void => {
    if (Date.now() > deadline) throw new LateError();
  };

/** The time of a search is over. */
export class LateError extends Error {
  override readonly name = 'LateError';
}

/** All hits of a search, or at least so many, in steps. */
function* collected(found: Iterable<Hit[]>, enough = Infinity): Generator<void, Hit[]> {
  const all: Hit[] = [];
  for (const hits of found) {
    for (const hit of hits) all.push(hit);
    if (all.length >= enough) break;
    yield;
  }
  return all;
}

function withoutText(view: AttachedView, files: Bits): Bits {
  const found = new Bits(files.size);
  for (const file of files) if ((view.handle.documents[file] ?? -1) < 0) found.add(file);
  return found;
}
