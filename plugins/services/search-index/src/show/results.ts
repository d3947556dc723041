import { mostFilesOfAnswer, wantedFiles } from '@sextant/contracts';
import type { FoundFile, QueryOptions, SearchRequest, SearchResult } from '@sextant/contracts';
import { charactersIn, charactersOf } from '@sextant/library-keyword-search';
import type { FoundLines, JobLimits, JobResult } from '../match/job.ts';
import { mostCounted } from '../rank/top-files.ts';

/** Chunks of a file where the query has a `count:`. */
const chunksOfCounted = 20;
/** Matching lines of a file that are collected. Choosing among them takes quadratic time. */
const linesPerFile = { least: 50, most: 2000 };
/** Most UTF-16 code units of the lines of an answer, unless the request says otherwise. */
const charactersUnlessLimited = 200_000;

/** What is shown: `count:` sets the number of files, and shows more of each. */
export function limitsOf({ limits, mode, options: { count, select } }: SearchRequest): JobLimits {
  const { files, chunkCharacters, lineCharacters, linesShownWhole, characters = charactersUnlessLimited } = limits;
  const chunksPerFile = Math.max(limits.chunksPerFile, chunksWith(count));
  return {
    files: select === 'repo' ? mostFilesOfAnswer : wantedFiles(files, count),
    onePerTarget: select === 'repo' && mode === 'keyword',
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

/** What was searched as one target. */
export interface SearchedCommit {
  readonly repo: string;
  readonly commit: string;
  readonly revision: string | undefined;
}

interface MergeContext {
  readonly request: SearchRequest;
  /** What was searched as the target of a number. */
  readonly searched: (target: number) => SearchedCommit | undefined;
  readonly limits: JobLimits;
  readonly notes: readonly string[];
}

/** The best of all snapshots, in an order that does not depend on which thread was first. */
export function mergeFiles(results: readonly JobResult[], context: MergeContext): SearchResult {
  const { searched, limits, notes, request } = context;
  const { options } = request;
  const all = results.flatMap(({ files }) => files);
  all.sort((a, b) => b.score - a.score || a.target - b.target || a.file - b.file);
  const shownAs = (found: FoundLines): FoundFile[] => fileOf(found, searched(found.target));
  const best = withinLimit(all.slice(0, limits.files), results, limits);
  const fitting = bounded(best, limits.characters);
  const counts = countsOf(results, fitting, request.mode === 'keyword' ? mostCounted(limits.files) : Infinity);
  if (options.select === 'repo') {
    const isCut = !limits.onePerTarget && best.length < counts.fileCount;
    return onlyRepositories(best.flatMap(shownAs), { ...context, isCut });
  }
  const shown = fitting.flatMap(shownAs);
  const type = options.types.includes('path') || options.select === 'file' ? 'path' : 'file';
  return { type, files: shown, ...counts, limitHit: shown.length < counts.fileCount, notes };
}

/** A thread shows more where it found little. Whether that is all that was found is known only here. */
function withinLimit(
  files: readonly FoundLines[],
  results: readonly JobResult[],
  { linesShownWhole, chunksPerFile }: JobLimits,
): readonly FoundLines[] {
  if (linesShownWhole === undefined) return files;
  const [fileCount, matchCount] = foundIn(results);
  if (fileCount <= 1 || matchCount <= linesShownWhole) return files;
  return files.map((file) => (file.chunks.length > chunksPerFile ? withFirstChunks(file, chunksPerFile) : file));
}

const foundIn = (results: readonly JobResult[]): [files: number, matches: number] =>
  results.reduce(([files, matches], { fileCount, matchCount }) => [files + fileCount, matches + matchCount], [0, 0]);

/** Numbers that do not depend on how threads shared the work: exact for what is shown, lower bounds for the rest. */
function countsOf(
  results: readonly JobResult[],
  shown: readonly FoundLines[],
  most: number,
): Pick<SearchResult, 'fileCount' | 'matchCount'> {
  const [counted, matches] = foundIn(results);
  const fileCount = Math.min(counted, most);
  const least = shown.reduce((sum, { matchCount }) => sum + Math.max(1, matchCount), 0) + fileCount - shown.length;
  return { fileCount, matchCount: counted < most ? Math.max(matches, least) : least };
}

function fileOf(
  { path, chunks, matches, matchCount, score, parts }: FoundLines,
  searched: SearchedCommit | undefined,
): FoundFile[] {
  if (!searched) return [];
  const { repo, commit, revision } = searched;
  const shown = chunks.map(({ startLine, endLine, text }) => ({ startLine, endLine, lines: text.split('\n') }));
  const matched = matches.map(({ chunk, line, ranges }) => {
    const { startLine = 0, lines = [] } = shown[chunk] ?? {};
    return { line, text: lines[line - startLine] ?? '', ranges };
  });
  return [
    {
      repo,
      path,
      commit,
      ...(revision !== undefined && { revision }),
      chunks: shown,
      matches: matched,
      matchCount,
      ...(parts && { score: { total: score, parts } }),
    },
  ];
}

/** The first files that fit into `characters`. If the first one does not fit, its first chunks. */
function bounded(files: readonly FoundLines[], characters: number): FoundLines[] {
  let left = characters;
  const end = files.findIndex((file) => (left -= charactersIn(file)) <= 0);
  const [first] = files;
  if (end !== 0 || !first) return end < 0 ? [...files] : files.slice(0, end);
  return [beginningOf(first, characters)];
}

function beginningOf(file: FoundLines, characters: number): FoundLines {
  let left = characters - charactersIn({ ...file, chunks: [] });
  const end = file.chunks.findIndex((chunk) => (left -= charactersOf(chunk)) < 0);
  return withFirstChunks(file, Math.max(1, end < 0 ? file.chunks.length : end));
}

const withFirstChunks = (file: FoundLines, count: number): FoundLines => ({
  ...file,
  chunks: file.chunks.slice(0, count),
  matches: file.matches.filter(({ chunk }) => chunk < count),
});

function onlyRepositories(
  files: readonly FoundFile[],
  { isCut, request, notes }: MergeContext & { isCut: boolean },
): SearchResult {
  const names = [...new Map(files.map((file) => [`${file.repo}@${file.revision ?? ''}`, file])).values()];
  const repositories = names.map((file): FoundFile => ({ ...file, path: '', chunks: [], matches: [], matchCount: 0 }));
  const shown = repositories.slice(0, wantedFiles(request.limits.files, request.options.count));
  const limitHit = isCut || shown.length < repositories.length;
  return {
    type: 'repo',
    files: shown,
    matchCount: repositories.length,
    fileCount: repositories.length,
    limitHit,
    notes,
  };
}
