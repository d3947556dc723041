import type { QueryOptions, SearchRequest } from '@sextant/contracts';
import type { JobLimits } from '../match/job.ts';

/** Most files that any search answers with. */
const mostFilesOfAnswer = 10_000;
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
    files: select === 'repo' ? mostFilesOfAnswer : wantedOf(files, count),
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

/** How many results are shown; `usual` where the query has no `count:`. */
export const wantedOf = (usual: number, count: QueryOptions['count']): number =>
  Math.min(mostFilesOfAnswer, count === 'all' ? mostFilesOfAnswer : (count ?? usual));
