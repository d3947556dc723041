import type { QueryOptions } from '../../query/query.ts';
import type { FoundFile, SearchLimits, SearchRequest, SearchResult } from './search.ts';

// The limits of an answer, and which files it has room for. Engines follow them, and so does what merges their answers.

/** What the tools show unless `count:` asks for more (docs/contract-tools.md, section 5, rule 7). */
export const defaultSearchLimits: SearchLimits = {
  files: 15,
  chunksPerFile: 3,
  chunkCharacters: 1024,
  lineCharacters: 256,
};

/** Most files that any search answers with, and most commits or changes. */
export const mostFilesOfAnswer = 10_000;
const mostChangesOfAnswer = 100;

/** How many results are shown; `usual` where the query has no `count:`. */
export const wantedFiles = (usual: number, count: QueryOptions['count']): number =>
  wanted(usual, count, mostFilesOfAnswer);
export const wantedChanges = (usual: number, count: QueryOptions['count']): number =>
  wanted(usual, count, mostChangesOfAnswer);

const wanted = (usual: number, count: QueryOptions['count'], most: number): number =>
  Math.min(most, count === 'all' ? most : (count ?? usual));

/** Chunks of a file where the query has a `count:`. */
const chunksOfCounted = 20;
/** Matching lines of a file that are collected. Choosing among them takes quadratic time. */
const linesPerFile = { least: 50, most: 2000 };
/** Most UTF-16 code units of the lines of an answer, unless the request says otherwise. */
const charactersUnlessLimited = 200_000;

/** What an engine shows. */
export interface AnswerLimits extends Readonly<SearchLimits> {
  readonly characters: number;
  /** Lines of a file that are looked at to choose what is shown. */
  readonly linesPerFile: number;
}

/** `count:` sets the number of files, and shows more of each. */
export function answerLimits({
  limits,
  options: { count, select },
}: Pick<SearchRequest, 'limits' | 'options'>): AnswerLimits {
  const { chunkCharacters, lineCharacters, linesShownWhole, characters = charactersUnlessLimited } = limits;
  const chunksPerFile = Math.max(limits.chunksPerFile, chunksWith(count));
  return {
    files: wantedFiles(limits.files, count),
    chunksPerFile: select === undefined ? chunksPerFile : 0,
    chunkCharacters,
    lineCharacters,
    linesPerFile: Math.min(Math.max(linesPerFile.least, chunksPerFile), linesPerFile.most),
    // Where repositories are shown, no lines are.
    characters: select === 'repo' ? Infinity : characters,
    ...(linesShownWhole !== undefined && select === undefined && { linesShownWhole }),
  };
}

/** Chunks of a file that a `count:` asks for: `all` shows every line that is collected. */
function chunksWith(count: QueryOptions['count']): number {
  if (count === undefined) return 0;
  return count === 'all' ? linesPerFile.most : chunksOfCounted;
}

type Counted = Pick<SearchResult, 'fileCount' | 'matchCount'>;

/** Whether so little was found that `chunksPerFile` is no limit. */
export const isFoundWhole = (
  { fileCount, matchCount }: Counted,
  { linesShownWhole }: Pick<SearchLimits, 'linesShownWhole'>,
): boolean => linesShownWhole !== undefined && (fileCount <= 1 || matchCount <= linesShownWhole);

/** Characters of a heading besides the path: the repository and the number of matches. */
const headingCharacters = 32;
/** Characters of the number of a line. */
const numberCharacters = 8;

/** Lines of a file as one text, or each by itself. */
interface ChunkSize {
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
}

/** What a file takes of the characters of an answer. */
export const charactersIn = (path: string, chunks: readonly ChunkSize[]): number =>
  chunks.reduce((sum, chunk) => sum + charactersOf(chunk), headingCharacters + path.length);

function charactersOf({ startLine, endLine, text }: ChunkSize): number {
  const lines = endLine - startLine + 1;
  // Without the line ends between them.
  return text.length - (lines - 1) + lines * numberCharacters;
}

const sizesOf = ({ chunks }: FoundFile): ChunkSize[] =>
  chunks.map(({ lines, ...place }) => ({ ...place, text: lines.join('\n') }));

/**
 * The first files that fit. If the first one does not fit, its first chunks. Parts of a search that found little show
 * more of each file; whether that is all that was found is known only where they are merged.
 */
export function filesThatFit(files: readonly FoundFile[], found: Counted, limits: AnswerLimits): FoundFile[] {
  const isCut = limits.linesShownWhole !== undefined && !isFoundWhole(found, limits);
  const best = files.slice(0, limits.files);
  const shown = isCut ? best.map((file) => firstChunks(file, limits.chunksPerFile)) : best;
  let left = limits.characters;
  const end = shown.findIndex((file) => (left -= charactersIn(file.path, sizesOf(file))) <= 0);
  const [first] = shown;
  if (end !== 0 || !first) return end < 0 ? shown : shown.slice(0, end);
  return [beginningOf(first, limits.characters)];
}

function beginningOf(file: FoundFile, characters: number): FoundFile {
  let left = characters - charactersIn(file.path, []);
  const end = sizesOf(file).findIndex((chunk) => (left -= charactersOf(chunk)) < 0);
  return firstChunks(file, Math.max(1, end < 0 ? file.chunks.length : end));
}

/** A file with the best of its chunks. */
export function firstChunks(file: FoundFile, most: number): FoundFile {
  if (file.chunks.length <= most) return file;
  const chunks = file.chunks.slice(0, most);
  return { ...file, chunks, matches: file.matches.filter(({ line }) => chunks.some((chunk) => isWithin(line, chunk))) };
}

export const isWithin = (line: number, { startLine, endLine }: Pick<ChunkSize, 'startLine' | 'endLine'>): boolean =>
  startLine <= line && line <= endLine;

/** What a search shows: files with their lines, paths alone, or repositories. */
export function typeOfAnswer({ types, select }: Pick<QueryOptions, 'types' | 'select'>): SearchResult['type'] {
  if (select === 'repo') return 'repo';
  return types.includes('path') || select === 'file' ? 'path' : 'file';
}

/** `select:repo`: the repositories of these files, best first. `isCut`: there may be others. */
export function onlyRepositories(
  files: readonly FoundFile[],
  { limits, options }: Pick<SearchRequest, 'limits' | 'options'>,
  isCut: boolean,
): Omit<SearchResult, 'notes'> {
  const groups = Map.groupBy(files, ({ repo, revision = '' }) => `${repo}@${revision}`);
  const shown = [...groups.values()]
    .slice(0, wantedFiles(limits.files, options.count))
    .flatMap(([best]) => (best ? { ...best, path: '', chunks: [], matches: [], matchCount: 0 } : []));
  const limitHit = isCut || shown.length < groups.size;
  return { type: 'repo', files: shown, matchCount: groups.size, fileCount: groups.size, limitHit };
}
