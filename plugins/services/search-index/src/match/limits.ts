import type { QueryOptions, SearchRequest } from '@sextant/contracts';
import type { JobLimits } from '../pool/protocol.ts';

/** Most files that any search answers with. */
const maxFiles = 10_000;
/** Where `count:` asks for more, every match of a file is worth a chunk up to this many. */
const chunksOfCounted = 20;
/** Lines of a file that are looked at: more where more are wanted, but choosing among them takes their square. */
const linesPerFile = { least: 50, most: 2000 };
/** What an answer of a tool can carry. */
const charactersOfAnswer = 200_000;

/** What is shown: `count:` asks for so many files, with more of each. */
export function limitsOf({ limits, mode, options: { count, select } }: SearchRequest): JobLimits {
  const { files, chunksPerFile, chunkCharacters, lineCharacters, characters = charactersOfAnswer } = limits;
  return {
    files: select === 'repo' ? maxFiles : wantedOf(files, count),
    onePerTarget: select === 'repo' && mode === 'keyword',
    chunksPerFile:
      select === undefined ? (count === undefined ? chunksPerFile : Math.max(chunksPerFile, chunksOfCounted)) : 0,
    chunkCharacters,
    lineCharacters,
    linesPerFile: Math.min(Math.max(linesPerFile.least, chunksPerFile), linesPerFile.most),
    // Of repositories none of their files are shown.
    characters: select === 'repo' ? Infinity : characters,
  };
}

/** How many results are shown; `usual` where the query does not say. */
export const wantedOf = (usual: number, count: QueryOptions['count']): number =>
  Math.min(maxFiles, count === 'all' ? maxFiles : (count ?? usual));
