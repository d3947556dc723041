/** Neighbouring lines of a file, numbered from 1. */
export interface Chunk<Line> {
  readonly startLine: number;
  readonly endLine: number;
  readonly lines: readonly Line[];
}

/** A line that matches, counted from 0, and how good it is. */
export interface RatedLine {
  readonly line: number;
  readonly weight: number;
}

/** Characters are UTF-16 code units. */
export interface ChunkLimits {
  readonly chunksPerFile: number;
  readonly chunkCharacters: number;
}

/** Lines before and after a match that are shown with it. */
const context = 1;

/**
 * The lines of a file as they are shown; `lineOf` gives one by its number from 0, and that of a matching line, among these, which it is or is
 * beside. It need not be a string yet, but has its length.
 */
export interface FileLines<Line> {
  readonly lineCount: number;
  lineOf(line: number, nearest: number): Line;
}

/**
 * The lines to show of a file, of which those that match are given in order: the best matches first with a line around each, neighbours
 * together, each chunk within its characters, no line twice.
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

/** Their numbers. */
function bestFirst(lines: readonly RatedLine[]): number[] {
  const weightOf = (number: number): number => lines[number]?.weight ?? 0;
  const numbers = lines.map((_, number) => number);
  return numbers.sort((a, b) => weightOf(b) - weightOf(a));
}

/** Lines that may be shown, by their places: in columns, as there are many. */
interface Wanted {
  /** Ascending. */
  readonly numbers: readonly number[];
  /** The lines that match which they are, or are beside. */
  readonly nearest: readonly number[];
  readonly isTaken: boolean[];
  /** Of each line that matches. */
  readonly places: readonly number[];
}

function withContext(lines: readonly RatedLine[], lineCount: number): Wanted {
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

/** A line, then what is wanted and fits below it and above it; what is taken is wanted no more. */
function takeAround<Line extends { readonly length: number }>(
  anchor: number,
  { wanted, file }: Taking<Line>,
  limits: ChunkLimits,
): Chunk<Line> {
  const { numbers, nearest, isTaken } = wanted;
  const number = numbers[anchor] ?? 0;
  const lines: Line[] = [];
  let room = limits.chunkCharacters;
  /** Takes the line at a place if it is that one. */
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

interface Taking<Line> {
  readonly wanted: Wanted;
  readonly file: FileLines<Line>;
}

/** The beginning of a long line, in whole characters. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = most - 1;
  return `${text.slice(0, text.codePointAt(end - 1) === text.charCodeAt(end - 1) ? end : end - 1)}…`;
}
