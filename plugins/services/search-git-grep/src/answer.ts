import type { FoundFile, SearchRequest, SearchResult } from '@sextant/contracts';
import type { Options } from '@sextant/library-query';
import type { ShownLimits } from './matching/protocol.ts';

/** Most files that any search answers with. */
const maxFiles = 10_000;
/** Where `count:` asks for more, every match of a file is worth a chunk up to this many. */
const chunksOfCounted = 20;
/** What an answer of a tool can carry. */
const charactersOfAnswer = 200_000;

/** What is shown: `count:` asks for so many files, with more of each. */
export function shownLimits({ limits }: SearchRequest, { count, select, types }: Options): ShownLimits {
  const { chunksPerFile, chunkCharacters, lineCharacters } = limits;
  const isWithoutLines = select !== undefined || types.includes('path');
  const chunks = count === undefined ? chunksPerFile : Math.max(chunksPerFile, chunksOfCounted);
  return { chunksPerFile: isWithoutLines ? 0 : chunks, chunkCharacters, lineCharacters };
}

/** How many results are shown of so many. */
export function wanted({ limits }: SearchRequest, { count }: Options): number {
  return Math.min(maxFiles, count === 'all' ? maxFiles : (count ?? limits.files));
}

interface Rated {
  readonly file: FoundFile;
  readonly score: number;
}

/** The best files so far, never more than fit an answer. */
export class Answer {
  readonly #request: SearchRequest;
  readonly #options: Options;
  #best: Rated[] = [];
  readonly #repositories = new Map<string, Rated>();
  #fileCount = 0;
  #matchCount = 0;

  constructor(request: SearchRequest, options: Options) {
    this.#request = request;
    this.#options = options;
  }

  add(files: readonly Rated[]): void {
    for (const rated of files) {
      this.#fileCount += 1;
      this.#matchCount += Math.max(1, rated.file.matchCount);
      if (this.#options.select === 'repo') this.#addRepository(rated);
    }
    const all = [...this.#best, ...files].sort(better);
    const { characters = charactersOfAnswer } = this.#request.limits;
    this.#best = fitting(all.slice(0, wanted(this.#request, this.#options)), characters);
  }

  result(notes: readonly string[]): SearchResult {
    if (this.#options.select === 'repo') return this.#repositoryResult(notes);
    const type = this.#options.types.includes('path') || this.#options.select === 'file' ? 'path' : 'file';
    const counts = { matchCount: this.#matchCount, fileCount: this.#fileCount };
    const files = this.#best.map(({ file }) => file);
    return { type, files, ...counts, limitHit: files.length < this.#fileCount, notes };
  }

  #addRepository({ file, score }: Rated): void {
    const key = `${file.repo}@${file.revision ?? ''}`;
    const known = this.#repositories.get(key);
    const repository = { ...file, path: '', chunks: [], matches: [], matchCount: 0 };
    if (!known || score > known.score) this.#repositories.set(key, { file: repository, score });
  }

  #repositoryResult(notes: readonly string[]): SearchResult {
    const files = [...this.#repositories.values()].sort(better).map(({ file }) => file);
    return repositoriesFound(files, { request: this.#request, options: this.#options, notes });
  }
}

/** The answer for repositories, best first. */
export function repositoriesFound(
  files: readonly FoundFile[],
  { request, options, notes }: { request: SearchRequest; options: Options; notes: readonly string[] },
): SearchResult {
  const shown = files.slice(0, wanted(request, options));
  const counts = { matchCount: files.length, fileCount: files.length };
  return { type: 'repo', files: shown, ...counts, limitHit: shown.length < files.length, notes };
}

const better = (a: Rated, b: Rated): number =>
  b.score - a.score ||
  compare(a.file.repo, b.file.repo) ||
  compare(a.file.path, b.file.path) ||
  compare(a.file.revision ?? '', b.file.revision ?? '');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** As many of the first as have so many characters. */
function fitting(files: readonly Rated[], characters: number): Rated[] {
  let left = characters;
  return files.filter(({ file: { path, chunks } }) => {
    left -= path.length + chunks.flatMap(({ lines }) => lines).reduce((sum, line) => sum + line.length + 8, 0);
    return left > 0;
  });
}
