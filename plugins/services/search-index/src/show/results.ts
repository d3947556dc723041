import { answerLimits, filesThatFit, mostFilesOfAnswer, onlyRepositories, typeOfAnswer } from '@sextant/contracts';
import type { FoundFile, SearchRequest, SearchResult } from '@sextant/contracts';
import { asLines } from '@sextant/library-keyword-search';
import type { FoundLines, JobLimits, JobResult } from '../match/job.ts';
import { mostCounted } from '../rank/top-files.ts';

/** Repositories are found by their files. */
export function limitsOf(request: SearchRequest): JobLimits {
  const limits = answerLimits(request);
  if (request.options.select !== 'repo') return limits;
  return { ...limits, files: mostFilesOfAnswer, onePerTarget: request.mode === 'keyword' };
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
export function mergeFiles(
  results: readonly JobResult[],
  { searched, limits, notes, request }: MergeContext,
): SearchResult {
  const all = results.flatMap(({ files }) => files);
  all.sort((a, b) => b.score - a.score || a.target - b.target || a.file - b.file);
  const best = all.slice(0, limits.files).flatMap((found) => fileOf(found, searched(found.target)));
  const found = foundIn(results);
  const fitting = filesThatFit(best, found, limits);
  const counts = countsOf(found, fitting, request.mode === 'keyword' ? mostCounted(limits.files) : Infinity);
  if (request.options.select === 'repo')
    return { ...onlyRepositories(best, request, !limits.onePerTarget && best.length < counts.fileCount), notes };
  const limitHit = fitting.length < counts.fileCount;
  return { type: typeOfAnswer(request.options), files: fitting, ...counts, limitHit, notes };
}

type Counted = Pick<SearchResult, 'fileCount' | 'matchCount'>;

const foundIn = (results: readonly JobResult[]): Counted => ({
  fileCount: results.reduce((sum, { fileCount }) => sum + fileCount, 0),
  matchCount: results.reduce((sum, { matchCount }) => sum + matchCount, 0),
});

/** Numbers that do not depend on how threads shared the work: exact for what is shown, lower bounds for the rest. */
function countsOf(found: Counted, shown: readonly FoundFile[], most: number): Counted {
  const fileCount = Math.min(found.fileCount, most);
  const least = shown.reduce((sum, { matchCount }) => sum + Math.max(1, matchCount), 0) + fileCount - shown.length;
  return { fileCount, matchCount: found.fileCount < most ? Math.max(found.matchCount, least) : least };
}

function fileOf(
  { path, matchCount, score, parts, ...shown }: FoundLines,
  searched: SearchedCommit | undefined,
): FoundFile[] {
  if (!searched) return [];
  const { repo, commit, revision } = searched;
  return [
    {
      repo,
      path,
      commit,
      ...(revision !== undefined && { revision }),
      ...asLines(shown),
      matchCount,
      ...(parts && { score: { total: score, parts } }),
    },
  ];
}
