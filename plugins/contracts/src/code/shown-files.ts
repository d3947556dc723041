import type { Call } from '@sextant/core';
import type { QueryOptions } from '../query/query.ts';
import { defaultSearchLimits, hasMoreLines } from './search.ts';
import type { Chunk, FoundFile, MatchedLine, Search, SearchRequest, SearchResult } from './search.ts';

// How much the search tools show: which files with the lines around their matches, and which with one line.

/** Lines of a search that fit into a text, with its headings. In UTF-16 code units. */
const charactersOfToolAnswer = 48_000;
/** More than any file shows. */
const allChunks = 10_000;

/** Files that are shown with the lines around their matches where the query does not say how many; of others one line is shown. */
export const filesWithContext = 5;
/** Of each of them but the best, where it has more. */
const chunksOfOthers = 2;
/** Most code units of a chunk. */
const shortChunk = 512;
/** Of the one line of a file, in UTF-16 code units. */
const shortLine = 160;

/** Whether a query asks for more than is shown without `count:`. */
export const wantsMore = (count: QueryOptions['count']): boolean =>
  count === 'all' || (count ?? 0) > defaultSearchLimits.files;

/** Matches of a keyword that are all shown, in however many files: an agent that asks for uses wants each. */
const fewMatches = 30;

/** Searches with the limits of a tool. Few matches, and those of a file that is left alone, are all shown as far as they fit. */
export async function findToShow(
  search: Search,
  asked: Omit<SearchRequest, 'limits'>,
  { caller, signal }: Pick<Call, 'caller' | 'signal'>,
): Promise<SearchResult> {
  const limits = { ...defaultSearchLimits, characters: charactersOfToolAnswer };
  const isShort = !wantsMore(asked.options.count);
  const first = { ...limits, ...(isShort && { chunkCharacters: shortChunk }) };
  const found = await search.find(caller, { ...asked, limits: first }, signal);
  if (asked.options.count !== undefined || !found.files.some(hasMoreLines)) return found;
  if (!isOneFile(found) && !hasFewMatches(found, asked.mode)) return found;
  return search.find(caller, { ...asked, limits: { ...limits, chunksPerFile: allChunks } }, signal);
}

export const isOneFile = ({ type, fileCount }: SearchResult): boolean => type === 'file' && fileCount === 1;

export const hasFewMatches = ({ type, matchCount, limitHit }: SearchResult, mode: SearchRequest['mode']): boolean =>
  type === 'file' && mode === 'keyword' && !limitHit && matchCount <= fewMatches;

/** What is shown of a file by its place: its best chunks, or its best line. Where a file has few matches, all are shown. */
export function shortened(
  file: FoundFile,
  { index, of, mode, isWhole }: { index: number; of: number; mode: SearchRequest['mode']; isWhole: boolean },
): FoundFile {
  if (index >= filesWithContext) return withoutContext(file, { mode, isWhole });
  if (isWhole) return file;
  const isBest = index === 0 || of <= filesWithContext || !hasMoreLines(file);
  const chunks = file.chunks.slice(0, isBest ? defaultSearchLimits.chunksPerFile : chunksOfOthers);
  return { ...file, chunks, matches: file.matches.filter(({ line }) => chunks.some((chunk) => isWithin(line, chunk))) };
}

export const isWithin = (line: number, { startLine, endLine }: Pick<Chunk, 'startLine' | 'endLine'>): boolean =>
  startLine <= line && line <= endLine;

/** Its best line. Keywords are often looked for everywhere: where they stand in few lines, all are shown. */
function withoutContext(
  file: FoundFile,
  { mode, isWhole }: { mode: SearchRequest['mode']; isWhole: boolean },
): FoundFile {
  const isFew = mode === 'keyword' && !hasMoreLines(file) && file.matches.length <= defaultSearchLimits.chunksPerFile;
  const best = bestLine(file);
  const matches = isWhole || isFew || !best ? file.matches : [best];
  const chunks = matches.map(({ line, text, ranges }) => ({
    startLine: line,
    endLine: line,
    lines: [partAround(text, ranges[0]?.[0] ?? 0)],
  }));
  return { ...file, matches, chunks };
}

/** Of the best chunk the line with most of what was looked for; a comment only where nothing else has as much. */
function bestLine({ chunks: [best], matches }: FoundFile): MatchedLine | undefined {
  const lines = best ? matches.filter(({ line }) => isWithin(line, best)) : [];
  return lines.toSorted((a, b) => worthOf(b) - worthOf(a))[0];
}

const comment = /^\s*(?:\/[/*]|\*|#|--|;|<!--)/;

function worthOf({ text, ranges }: MatchedLine): number {
  const found = new Set(ranges.map(([start, end]) => text.slice(start, end).toLowerCase()));
  return found.size - (comment.test(text) ? 0.5 : 0);
}

/** A line without its indentation, cut to what is around a match. */
function partAround(text: string, match: number): string {
  const from = text.length - text.trimStart().length;
  const start = Math.max(from, Math.min(match - shortLine / 4, text.length - shortLine));
  const begin = start > from ? '…' : '';
  const end = start + shortLine < text.length ? '…' : '';
  return `${begin}${wellFormed(text.slice(start, start + shortLine))}${end}`;
}

/** Without the halves of characters at its ends. */
const wellFormed = (text: string): string => text.replaceAll(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
