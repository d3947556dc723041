import { charactersIn, isFoundWhole } from '@sextant/contracts/answer-limits';
import { Matches } from '@sextant/library-block-index';
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

/** Shows the best files of a keyword search, as many as the answer has room for. */
export function* shownFiles(top: TopFiles, job: Job): Generator<void, FoundLines[]> {
  const files: FoundLines[] = [];
  const limits = isFoundWhole(top, job.limits) ? { ...job.limits, chunksPerFile: Infinity } : job.limits;
  let [left, ofStep] = [limits.characters, 0];
  for (const ranked of top.best) {
    if (left <= 0) break;
    const file = showRanked(ranked, job, limits);
    files.push(file);
    const characters = charactersIn(file.path, file.chunks);
    [left, ofStep] = [left - characters, ofStep + characters];
    if (ofStep < charactersOfStep) continue;
    ofStep = 0;
    yield;
  }
  return files;
}

/** Searches a file again for the lines to show. */
function showRanked(ranked: RankedFile, job: Job, limits: JobLimits): FoundLines {
  const { query, source, terms } = ranked;
  if (!query || !source) return show({ ...ranked, lineCount: 0, matches: new Matches() }, () => noneShown);
  const found = matchesIn(source, query, checkpointOf(job));
  const all = withoutLettersInLongLines(found, terms, limits.lineCharacters);
  const toKeep = terms.terms.length === 1 ? undefined : linesToRateIn(all, terms);
  const matches = firstMatches(all, limits.linesPerFile, toKeep);
  return show({ ...ranked, lineCount: countLines(all), matches }, (some, document) =>
    rankedLines(some, document, { ...limits, terms }),
  );
}

/** A file with the matches from which its lines are chosen. */
interface ShowableFile extends Pick<RankedFile, 'snapshot' | 'target' | 'file' | 'source' | 'score' | 'parts'> {
  readonly matches: Matches;
  readonly lineCount: number;
}

/** A file whose lines have scores, by their numbers. */
interface RatedFile extends ShowableFile {
  readonly weights: ReadonlyMap<number, number>;
}

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

function show(
  { snapshot, target, file, source, matches, score, lineCount, parts }: ShowableFile,
  linesOf: (matches: Matches, document: DocumentSource) => ShownLines,
): FoundLines {
  const shown =
    source && matches.length > 0
      ? source.slice.within(({ content: reader, shard }) =>
          linesOf(matches, { ...shard.documentRange(source.document), reader }),
        )
      : noneShown;
  const path = snapshot.pathOf(file);
  return { target, file, path, score, matchCount: lineCount, ...shown, ...(parts && { parts }) };
}
