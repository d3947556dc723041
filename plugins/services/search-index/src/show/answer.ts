import { charactersIn, isFoundWhole } from '@sextant/contracts/answer-limits';
import type { Matches } from '@sextant/library-block-index';
import {
  countLines,
  firstMatches,
  linesToRateIn,
  noLinesToRate,
  rankedLines,
  shownLines,
  withoutLettersInLongLines,
} from '@sextant/library-keyword-search';
import type { DocumentSource, ShownLines } from '@sextant/library-keyword-search';
import { checkpointOf, matchesIn } from '../match/evaluate.ts';
import type { FoundLines, Job, JobLimits } from '../match/job.ts';
import type { RankedFile, TopFiles } from '../rank/top-files.ts';

/** Characters that are shown in one step. */
const charactersOfStep = 4096;

/** Shows the best files of a keyword search, as many as the answer has room for. Counts the lines of a file that are not all counted. */
export function* shownFiles(top: TopFiles, job: Job): Generator<void, FoundLines[]> {
  const files: FoundLines[] = [];
  const limits = isFoundWhole(top, job.limits) ? { ...job.limits, chunksPerFile: Infinity } : job.limits;
  let [left, ofStep] = [limits.characters, 0];
  for (const ranked of top.best) {
    if (left <= 0) break;
    const file = showRanked(withMatches(ranked, job), limits);
    files.push(file);
    const characters = charactersIn(file.path, file.chunks);
    [left, ofStep] = [left - characters, ofStep + characters];
    if (ofStep < charactersOfStep) continue;
    ofStep = 0;
    yield;
  }
  return files;
}

/** Searches a file again if its matches were not kept. */
function withMatches(ranked: RankedFile, job: Job): RankedFile {
  const { query, source, isCut, terms } = ranked;
  if (ranked.matches || !query || !source) return ranked;
  const found = matchesIn(source, query, checkpointOf(job));
  const all = withoutLettersInLongLines(found, terms, job.limits.lineCharacters);
  const toKeep = terms.terms.length === 1 ? undefined : linesToRateIn(all, terms);
  const lineCount = isCut ? countLines(all) : ranked.lineCount;
  return { ...ranked, lineCount, matches: firstMatches(all, job.limits.linesPerFile, toKeep) };
}

/** A file whose lines have scores, by their numbers. */
interface RatedFile extends ShowableFile {
  readonly weights: ReadonlyMap<number, number>;
}

type ShowableFile = Pick<
  RankedFile,
  'snapshot' | 'target' | 'file' | 'source' | 'lineCount' | 'matches' | 'score' | 'parts'
>;

/** Shows a file whose lines are not rated yet. */
const showRanked = (ranked: RankedFile, limits: JobLimits): FoundLines =>
  show(ranked, (matches, document) => rankedLines(matches, document, { ...limits, terms: ranked.terms }));

/** Shows a file whose lines are rated. */
export const showRated = ({ weights, ...file }: RatedFile, limits: JobLimits): FoundLines =>
  show(file, (matches, document) =>
    shownLines(matches, document, {
      ...limits,
      linesToRate: noLinesToRate,
      rate: (lines) => lines.map(({ line }) => ({ line, weight: weights.get(line) ?? 0 })),
    }),
  );

const noneShown: ShownLines = { chunks: [], matches: [] };

function show(file: ShowableFile, linesOf: (matches: Matches, document: DocumentSource) => ShownLines): FoundLines {
  const { matches, source } = file;
  if (!source || !matches || matches.length === 0) return withLines(file, noneShown);
  const shown = source.slice.within(({ content: reader, shard }) =>
    linesOf(matches, { ...shard.documentRange(source.document), reader }),
  );
  return withLines(file, shown);
}

const withLines = (
  { snapshot, target, file, score, lineCount, parts }: ShowableFile,
  { chunks, matches }: ShownLines,
): FoundLines => ({
  target,
  file,
  path: snapshot.pathOf(file),
  score,
  matchCount: lineCount,
  chunks,
  matches,
  ...(parts && { parts }),
});
