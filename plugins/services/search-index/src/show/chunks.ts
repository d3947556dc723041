import type { RatedLine } from '../rank/line-score.ts';

/** Adjacent lines of a file, numbered from 1. */
export interface Chunk<Line> {
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
const context = 1;

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
): Chunk<Line>[] {
  const wanted = withContext(lines, file.lineCount);
  const chunks: Chunk<Line>[] = [];
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
    for (next = Math.max(next, line - context); next <= line + context && next < lineCount; next += 1) {
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
): Chunk<Line> {
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
