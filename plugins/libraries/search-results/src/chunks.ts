/** Neighbouring lines of a file, numbered from 1. */
export interface Chunk {
  readonly startLine: number;
  readonly endLine: number;
  readonly lines: readonly string[];
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
  readonly lineCharacters: number;
}

/** Lines before and after a match that are shown with it. */
const context = 1;

/**
 * The lines to show of a file: the best matches first with a line around each, neighbours together, each chunk within its
 * characters. `textOf` gives a line by its number from 0, without its end.
 */
export function chunksOf(
  lines: readonly RatedLine[],
  file: { lineCount: number; textOf(line: number): string },
  limits: ChunkLimits,
): Chunk[] {
  const best = lines.toSorted((a, b) => b.weight - a.weight || a.line - b.line);
  const ranges: LineRange[] = [];
  for (const { line } of best) grow(ranges, line, { lineCount: file.lineCount, most: limits.chunksPerFile });
  return ranges.map((range) => fit(range, file.textOf, limits));
}

/** Whole lines [from, to); `anchor` is the match that it was made for. */
interface LineRange {
  from: number;
  to: number;
  readonly anchor: number;
}

function grow(ranges: LineRange[], line: number, { lineCount, most }: { lineCount: number; most: number }): void {
  const wanted = { from: Math.max(0, line - context), to: Math.min(lineCount, line + context + 1), anchor: line };
  const touched = ranges.find(({ from, to }) => wanted.from <= to && wanted.to >= from);
  if (touched) {
    touched.from = Math.min(touched.from, wanted.from);
    touched.to = Math.max(touched.to, wanted.to);
  } else if (ranges.length < most) ranges.push(wanted);
}

/** The anchor, then what fits below it and above it. */
function fit({ from, to, anchor }: LineRange, textOf: (line: number) => string, limits: ChunkLimits): Chunk {
  const lines: string[] = [];
  let room = limits.chunkCharacters;
  const takes = (line: number, add: (text: string) => void): boolean => {
    if (line < from || line >= to) return false;
    const text = cut(textOf(line), limits.lineCharacters);
    if (text.length >= room && line !== anchor) return false;
    room -= text.length + 1;
    add(text);
    return true;
  };
  let last = anchor;
  while (takes(last, (text) => lines.push(text))) last += 1;
  let first = anchor;
  while (takes(first - 1, (text) => lines.unshift(text))) first -= 1;
  return { startLine: first + 1, endLine: last, lines };
}

/** The beginning of a long line, in whole characters. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = most - 1;
  return `${text.slice(0, text.codePointAt(end - 1) === text.charCodeAt(end - 1) ? end : end - 1)}…`;
}
