import type { Matches } from '@sextant/library-block-index';
import { rateLines } from './line-score.ts';
import type { RatedLine } from './line-score.ts';
import { DocumentLines } from './lines.ts';
import type { DocumentLine, DocumentSource } from './lines.ts';
import { linesToRateIn, matchedLines, noLinesToRate, withFirstMatches } from './matched-lines.ts';
import type { LineMatches, LinesToRate } from './matched-lines.ts';
import type { SearchTerms } from './search-terms.ts';
import type { TextReader } from './text.ts';

/** Lines of a file, as one text: it is taken apart where it is shown. */
export interface FoundChunk {
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
}

/** A line of a chunk, by the number of the chunk in its file. */
export interface FoundMatch {
  readonly chunk: number;
  readonly line: number;
  readonly ranges: readonly (readonly [number, number])[];
}

/** What an answer shows of a file. */
export interface ShownLines {
  readonly chunks: readonly FoundChunk[];
  /** In the order of their lines. */
  readonly matches: readonly FoundMatch[];
}

interface ShowLimits extends ChunkLimits {
  readonly lineCharacters: number;
}

interface LineRating extends ShowLimits {
  readonly linesToRate: LinesToRate;
  readonly rate: (lines: readonly LineMatches[], reader: TextReader) => readonly RatedLine[];
}

/** The best lines of a document with these matches, by their scores for a query. */
export function rankedLines(
  matches: Matches,
  document: DocumentSource,
  { terms, ...limits }: ShowLimits & { readonly terms: SearchTerms },
): ShownLines {
  const linesToRate = terms.terms.length === 1 ? noLinesToRate : linesToRateIn(matches, terms);
  const rating = { lineCharacters: limits.lineCharacters, terms, linesToRate };
  return shownLines(matches, document, {
    ...limits,
    linesToRate,
    rate: (lines, reader) => rateLines(lines, reader, rating),
  });
}

/** The same by other scores. */
export function shownLines(
  matches: Matches,
  document: DocumentSource,
  { linesToRate, rate, ...limits }: LineRating,
): ShownLines {
  const all = [...matchedLines(matches, Infinity, linesToRate)];
  const lines = new DocumentLines(
    linesToRate.size > 0 ? all.map(withFirstMatches) : all,
    document,
    limits.lineCharacters,
  );
  return linesToShow(lines, rate(all, document.reader), limits);
}

function linesToShow(document: DocumentLines, rated: readonly RatedLine[], limits: ChunkLimits): ShownLines {
  const chunks = chunksOf(rated, document, limits);
  const texts = chunks.map(
    ({ lines, ...place }): FoundChunk => ({ ...place, text: lines.map(({ text }) => text).join('\n') }),
  );
  return { chunks: texts, matches: matchesOf(chunks) };
}

/** The lines with matches that chunks show. */
function matchesOf(chunks: readonly LineChunk<DocumentLine>[]): FoundMatch[] {
  const matches: FoundMatch[] = [];
  for (let chunk = 0; chunk < chunks.length; chunk += 1) {
    const { startLine = 0, lines = [] } = chunks[chunk] ?? {};
    for (let at = 0; at < lines.length; at += 1) {
      const ranges = lines[at]?.ranges;
      if (ranges) matches.push({ chunk, line: startLine + at, ranges });
    }
  }
  return chunks.length < 2 ? matches : matches.sort((a, b) => a.line - b.line);
}

/** The same with each line by itself. */
export function asLines({ chunks, matches }: ShownLines): ShownTexts {
  const shown = chunks.map(({ text, ...place }) => ({ ...place, lines: text.split('\n') }));
  const matched = matches.map(({ chunk, line, ranges }) => {
    const { startLine = 0, lines = [] } = shown[chunk] ?? {};
    return { line, text: lines[line - startLine] ?? '', ranges };
  });
  return { chunks: shown, matches: matched };
}

interface ShownTexts {
  readonly chunks: readonly LineChunk<string>[];
  readonly matches: readonly (Pick<FoundMatch, 'line' | 'ranges'> & { readonly text: string })[];
}

/** Adjacent lines of a file, numbered from 1. */
export interface LineChunk<Line> {
  readonly startLine: number;
  readonly endLine: number;
  readonly lines: readonly Line[];
}

/** Characters are UTF-16 code units. */
export interface ChunkLimits {
  readonly chunksPerFile: number;
  readonly chunkCharacters: number;
}

/** Lines that are shown before and after a match. */
const linesAround = 1;

/**
 * The lines of a file as they are shown. `lineOf` returns a line, counted from 0; `nearest` is the index of the matching line that it is, or is
 * next to. A line need not be a string, only have a length.
 */
export interface FileLines<Line> {
  readonly lineCount: number;
  lineOf(line: number, nearest: number): Line;
}

/**
 * The chunks of a file to show, the best match first. `lines` are the matching lines in order. A chunk has the lines around a match and
 * adjacent matches, within its limit of characters. No line is shown twice.
 */
export function chunksOf<Line extends { readonly length: number }>(
  lines: readonly RatedLine[],
  file: FileLines<Line>,
  limits: ChunkLimits,
): LineChunk<Line>[] {
  const wanted = withContext(lines, file.lineCount);
  const chunks: LineChunk<Line>[] = [];
  for (const matching of bestFirst(lines)) {
    if (chunks.length >= limits.chunksPerFile) break;
    const place = wanted.places[matching] ?? 0;
    if (!wanted.isTaken[place]) chunks.push(takeAround(place, { wanted, file }, limits));
  }
  return chunks;
}

/** The indexes of the lines, the best first. */
function bestFirst(lines: readonly RatedLine[]): number[] {
  const weightOf = (number: number): number => lines[number]?.weight ?? 0;
  const numbers = lines.map((_, number) => number);
  return numbers.sort((a, b) => weightOf(b) - weightOf(a));
}

/** The lines that may be shown, as columns, because there are many. */
interface ShowableLines {
  /** Line numbers, ascending. */
  readonly numbers: readonly number[];
  /** Index of the matching line that it is, or is next to. */
  readonly nearest: readonly number[];
  readonly isTaken: boolean[];
  /** By matching line: its index in the other columns. */
  readonly places: readonly number[];
}

function withContext(lines: readonly RatedLine[], lineCount: number): ShowableLines {
  const [numbers, nearest, isTaken, places]: [number[], number[], boolean[], number[]] = [[], [], [], []];
  let next = 0;
  for (let matching = 0; matching < lines.length; matching += 1) {
    const line = lines[matching]?.line ?? 0;
    for (next = Math.max(next, line - linesAround); next <= line + linesAround && next < lineCount; next += 1) {
      numbers.push(next);
      nearest.push(matching);
      isTaken.push(false);
    }
    const place = numbers.length - next + line;
    nearest[place] = matching;
    places.push(place);
  }
  return { numbers, nearest, isTaken, places };
}

/** Takes a line, and then the lines below and above it that fit. */
function takeAround<Line extends { readonly length: number }>(
  anchor: number,
  { wanted, file }: ChunkSource<Line>,
  limits: ChunkLimits,
): LineChunk<Line> {
  const { numbers, nearest, isTaken } = wanted;
  const number = numbers[anchor] ?? 0;
  const lines: Line[] = [];
  let room = limits.chunkCharacters;
  /** Takes the line at `place` if its number is `line`, it is not taken, and it fits. */
  const takes = (place: number, line: number, isAbove: boolean): boolean => {
    if (numbers[place] !== line || isTaken[place]) return false;
    const shown = file.lineOf(line, nearest[place] ?? 0);
    if (shown.length >= room && place !== anchor) return false;
    room -= shown.length + 1;
    isTaken[place] = true;
    if (isAbove) lines.unshift(shown);
    else lines.push(shown);
    return true;
  };
  let below = 0;
  while (takes(anchor + below, number + below, false)) below += 1;
  let above = 0;
  while (takes(anchor - above - 1, number - above - 1, true)) above += 1;
  return { startLine: number - above + 1, endLine: number + below, lines };
}

interface ChunkSource<Line> {
  readonly wanted: ShowableLines;
  readonly file: FileLines<Line>;
}
