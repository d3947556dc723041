import type { Call } from '@sextant/core';
import type { QueryOptions } from '../../query/query.ts';
import { defaultSearchLimits, firstChunks, isWithin } from './answer-limits.ts';
import { hasMoreLines } from './search.ts';
import type { FoundFile, MatchedLine, Search, SearchRequest, SearchResult } from './search.ts';

// How much the search tools show: which files with the lines around their matches, and which with one line.

/** Lines of a search that fit into a text, with its headings. In UTF-16 code units. */
const charactersOfToolAnswer = 48_000;

/** Files that are shown with the lines around their matches unless the query says how many. Further files show one line. */
export const filesWithContext = 5;
/** Most code units of a chunk. */
const shortChunk = 512;

interface Shown {
  /** Chunks of each further file. */
  readonly chunksOfOthers: number;
  /** Of the one line of a file, in UTF-16 code units. */
  readonly lineCharacters: number;
}

/** Where a word stands is wanted of each file; of a question, which files answer it. */
const shownOf: Readonly<Record<SearchRequest['mode'], Shown>> = {
  keyword: { chunksOfOthers: 2, lineCharacters: 160 },
  natural: { chunksOfOthers: 1, lineCharacters: 100 },
};

/** Whether a query asks for more than is shown without `count:`. */
export const wantsMore = (count: QueryOptions['count']): boolean =>
  count === 'all' || (count ?? 0) > defaultSearchLimits.files;

/** Matches of a keyword that are all shown, in however many files: an agent that asks for uses wants each. */
const fewMatches = 30;

/** Searches with the limits of a tool. Few matches, and those of a file that is left alone, are all shown as far as they fit. */
export function findToShow(
  search: Search,
  asked: Omit<SearchRequest, 'limits'>,
  { caller, signal }: Pick<Call, 'caller' | 'signal'>,
): Promise<SearchResult> {
  const { count } = asked.options;
  const limits = {
    ...defaultSearchLimits,
    ...(wantsMore(count) ? { characters: charactersOfToolAnswer } : { chunkCharacters: shortChunk }),
    ...(showsFewWhole(asked) && { linesShownWhole: fewMatches }),
  };
  return search.find(caller, { ...asked, limits }, signal);
}

const showsFewWhole = ({ mode, options: { count } }: Pick<SearchRequest, 'mode' | 'options'>): boolean =>
  mode === 'keyword' && count === undefined;

/** Whether the matches are so few, or in one file, that all that was found is shown. */
export const isShownWhole = (
  { type, fileCount, matchCount, limitHit }: SearchResult,
  asked: Pick<SearchRequest, 'mode' | 'options'>,
): boolean => showsFewWhole(asked) && type === 'file' && (fileCount === 1 || (!limitHit && matchCount <= fewMatches));

/** What is shown of a file by its place: its best chunks, or its best line. Where a file has few matches, all are shown. */
export function shortened(
  file: FoundFile,
  { index, of, mode, isWhole }: { index: number; of: number; mode: SearchRequest['mode']; isWhole: boolean },
): FoundFile {
  if (isWhole) return index < filesWithContext ? file : withLines(file, file.matches, mode);
  // A part of a search may have been so small that all of its lines are here.
  const best = firstChunks(file, defaultSearchLimits.chunksPerFile);
  if (index >= filesWithContext) return withoutContext(best, mode);
  const isBest = index === 0 || of <= filesWithContext || !hasMoreLines(best);
  return isBest ? best : firstChunks(best, shownOf[mode].chunksOfOthers);
}

/** Its best line. Keywords are often looked for everywhere: where they stand in few lines, all are shown. */
function withoutContext(file: FoundFile, mode: SearchRequest['mode']): FoundFile {
  const isFew = mode === 'keyword' && !hasMoreLines(file) && file.matches.length <= defaultSearchLimits.chunksPerFile;
  const best = bestLine(file);
  return withLines(file, isFew || !best ? file.matches : [best], mode);
}

function withLines(file: FoundFile, matches: readonly MatchedLine[], mode: SearchRequest['mode']): FoundFile {
  const chunks = matches.map(({ line, text, ranges }) => ({
    startLine: line,
    endLine: line,
    lines: [partAround(text, ranges[0]?.[0] ?? 0, shownOf[mode].lineCharacters)],
  }));
  return { ...file, matches, chunks };
}

/** Of the best chunk the line with most of what was looked for; a comment only where nothing else has as much. */
function bestLine({ chunks: [best], matches }: FoundFile): MatchedLine | undefined {
  const lines = best ? matches.filter(({ line }) => isWithin(line, best)) : [];
  return lines.toSorted((a, b) => weightOf(b) - weightOf(a))[0];
}

const comment = /^\s*(?:\/[/*]|\*|#|--|;|<!--)/;

function weightOf({ text, ranges }: MatchedLine): number {
  const found = new Set(ranges.map(([start, end]) => text.slice(start, end).toLowerCase()));
  return found.size - (comment.test(text) ? 0.5 : 0);
}

/** A line without its indentation, cut to what is around a match. */
function partAround(text: string, match: number, most: number): string {
  const from = text.length - text.trimStart().length;
  const start = Math.max(from, Math.min(match - most / 4, text.length - most));
  const begin = start > from ? '…' : '';
  const end = start + most < text.length ? '…' : '';
  return `${begin}${wellFormed(text.slice(start, start + most))}${end}`;
}

/** Without the halves of characters at its ends. */
const wellFormed = (text: string): string => text.replaceAll(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
