import { noMatch, search, searchAll } from '@sextant/library-block-index';
import type { SearchPlace } from '@sextant/library-block-index';
import { inverseFrequency, pathPrior, wantedClasses, wordScore } from '../results/bm25f.ts';
import type { PathClass } from '@sextant/library-search-results';
import type { AttachedPart, AttachedView, Source } from './attached-view.ts';
import { Bits } from './bits.ts';
import { checkpointOf } from './checkpoint.ts';
import { documentsOf } from './content-search.ts';
import type { ContentSearch } from './content-search.ts';
import { groupFiles } from './file-groups.ts';
import { hitOf, summarize } from './hit.ts';
import type { Hit } from './hit.ts';
import type { FileQuery, FoundLines, Job, JobResult, Term } from './protocol.ts';
import { densities, showFile } from './shown-file.ts';
import { truthOf } from './truth.ts';
import type { Views } from './views.ts';

/** How often a word stands in the documents of a part: in full at the beginning of a word, else less. */
type Counts = Float32Array;
const insideWord = 0.4;

/** Lines of a document that are looked at to find where its words are close together; that takes their square. */
const linesOfPassages = 50;
/** Documents that are read to choose the lines to show, as a multiple of those that are shown. */
const readShare = 3;

interface Place extends WordCounts {
  readonly target: number;
}

interface WordCounts {
  readonly view: AttachedView;
  readonly allowed: Bits;
  /** Per word: the files whose name, or folder, has it. */
  readonly names: Bits[];
  readonly folders: Bits[];
  /** Per part and word. */
  readonly counts: Map<AttachedPart, Counts[]>;
}

interface RankedFile {
  readonly place: Place;
  readonly file: number;
  readonly path: string;
  readonly score: number;
}

/** Ranks the files of some commits by the words of a question (BM25F with priors of paths), in steps. */
export class WordsRun {
  readonly #job: Job;
  readonly #views: Views;
  readonly #words: readonly { term: Term; weight: number }[];
  readonly #checkpoint: () => void;

  constructor(job: Job, views: Views) {
    this.#job = job;
    this.#views = views;
    this.#words = (job.question?.words ?? []).flatMap(({ term, weight }) => {
      const found = job.terms[term];
      return found ? [{ term: found, weight }] : [];
    });
    this.#checkpoint = checkpointOf(job);
  }

  *run(): Generator<void, JobResult> {
    const places: Place[] = [];
    for (const { view: id, target, query } of this.#job.views) {
      places.push({ ...(yield* this.#count(this.#views.find(id), query)), target });
    }
    const ranked = this.#rank(places);
    const shown = yield* this.#withLines(ranked.slice(0, this.#job.limits.files * readShare));
    const matchCount = shown.reduce((sum, { matchCount }) => sum + Math.max(1, matchCount), 0);
    const files = shown.slice(0, this.#job.limits.files);
    const filesWithWord = this.#words.map((_, word) => documentsWith(places, word));
    return { files, matchCount, fileCount: ranked.length, filesWithWord };
  }

  /** Counts each word in the documents and paths that the filters allow. */
  *#count(view: AttachedView, query: FileQuery): Generator<void, WordCounts> {
    const allowed = yield* this.#allowed(view, query);
    const place: WordCounts = { view, allowed, names: [], folders: [], counts: new Map() };
    for (const { term } of this.#words) {
      const { names, folders } = view.partsOfPaths(term, this.#checkpoint);
      place.names.push(names.and(allowed));
      place.folders.push(folders.and(allowed));
      yield;
    }
    for (const part of view.parts) {
      const documents =
        allowed.count === view.handle.files ? view.documentsOf(part, view.everyFile) : view.documentsOf(part, allowed);
      if (documents.isEmpty) continue;
      place.counts.set(part, yield* part.inSteps((content) => this.#countWords(content, documents)));
    }
    return place;
  }

  *#countWords(place: SearchPlace, documents: Bits): Generator<void, Counts[]> {
    const counts: Counts[] = [];
    for (const { term } of this.#words)
      counts.push(yield* this.#countIn({ place, terms: [term], checkpoint: this.#checkpoint }, documents));
    return counts;
  }

  *#allowed(view: AttachedView, query: FileQuery): Generator<void, Bits> {
    let allowed = new Bits(view.handle.files);
    for (const { files, rest } of groupFiles(query, view.everyFile, truthOf(view, this.#job, this.#checkpoint))) {
      if (rest.kind === 'all') allowed = allowed.or(files);
      else allowed = allowed.or(yield* this.#withContent(view, files, rest));
    }
    return allowed;
  }

  *#withContent(view: AttachedView, files: Bits, rest: FileQuery): Generator<void, Bits> {
    const found = new Bits(files.size);
    for (const part of view.parts) {
      const documents = yield* part.inSteps((place) => {
        const search = { place, terms: this.#job.terms, checkpoint: this.#checkpoint };
        return documentsOf(search, rest, view.documentsOf(part, files));
      });
      for (const document of documents)
        for (const file of view.filesOf(part, document)) if (files.has(file)) found.add(file);
    }
    return found;
  }

  *#countIn({ place, terms: [term], checkpoint }: ContentSearch, documents: Bits): Generator<void, Counts> {
    const counts = new Float32Array(documents.size);
    const match = noMatch();
    if (!term) return counts;
    for (const matches of search(place, term, { documents: new Uint8Array(documents.bytes), checkpoint })) {
      for (let i = 0; i < matches.length; i += 1) {
        const { document, isWordStart } = matches.at(i, match);
        counts[document] = (counts[document] ?? 0) + (isWordStart ? 1 : insideWord);
      }
      yield;
    }
    return counts;
  }

  #rank(places: readonly Place[]): RankedFile[] {
    const total = places.reduce((sum, { view }) => sum + view.handle.files, 0);
    const weights = this.#words.map(
      ({ weight }, word) => weight * inverseFrequency(total, documentsWith(places, word)),
    );
    const wanted = wantedClasses(this.#words.flatMap(({ term }) => ('literal' in term ? [String(term.literal)] : [])));
    const ranked = places.flatMap((place) => rankPlace(place, { weights, wanted }));
    return ranked.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
  }

  *#withLines(ranked: readonly RankedFile[]): Generator<void, FoundLines[]> {
    const shown: FoundLines[] = [];
    for (const { place, file, score } of ranked) {
      const { view, target } = place;
      const source = view.sourceOf(file);
      const hit = source && this.#hitIn(source);
      shown.push(showFile({ view, target, file, source, hit, weights: densities(hit), score }, this.#job.limits));
      yield;
    }
    return shown;
  }

  #hitIn({ part, document }: Source): Hit | undefined {
    const only = new Bits(part.handle.documents);
    only.add(document);
    const or = this.#words.map(({ term }) => term);
    const options = { documents: only.bytes, checkpoint: this.#checkpoint };
    const matches = part.within((place) => searchAll(place, { or }, options));
    if (matches.length === 0) return undefined;
    return hitOf(matches, { ...summarize(matches), most: linesOfPassages });
  }
}

function documentsWith(places: readonly Place[], word: number): number {
  let found = 0;
  for (const { counts, names, folders } of places) {
    for (const each of counts.values()) for (const count of each[word] ?? []) if (count > 0) found += 1;
    found += (names[word]?.count ?? 0) + (folders[word]?.count ?? 0);
  }
  return found;
}

function rankPlace(
  place: Place,
  { weights, wanted }: { weights: readonly number[]; wanted: ReadonlySet<PathClass> },
): RankedFile[] {
  const { view, allowed, names, folders, counts } = place;
  const ranked: RankedFile[] = [];
  const average = view.averageLength;
  for (const file of allowed) {
    const source = view.sourceOf(file);
    const inPart = source && counts.get(source.part);
    let score = 0;
    for (const [word, weight] of weights.entries()) {
      const body = (source && inPart?.[word]?.[source.document]) ?? 0;
      const fields = { name: names[word]?.has(file) ? 1 : 0, folder: folders[word]?.has(file) ? 1 : 0, body };
      if (body > 0 || fields.name > 0 || fields.folder > 0)
        score += weight * wordScore(fields, source ? view.lengthOf(source) / average : 1);
    }
    if (score === 0) continue;
    const path = view.pathOf(file);
    ranked.push({ place, file, path, score: score * pathPrior(path, wanted) });
  }
  return ranked;
}
