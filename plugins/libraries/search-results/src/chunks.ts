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

/** The text of a file; `textOf` gives a line by its number from 0, without its end. */
export interface FileLines {
  readonly lineCount: number;
  textOf(line: number): string;
}

/**
 * The lines to show of a file: the best matches first with a line around each, neighbours together, each chunk within its
 * characters, no line twice.
 */
export function chunksOf(lines: readonly RatedLine[], file: FileLines, limits: ChunkLimits): Chunk[] {
  const best = lines.toSorted((a, b) => b.weight - a.weight || a.line - b.line);
  const wanted = withContext(lines, file.lineCount);
  const chunks: Chunk[] = [];
  for (const { line } of best) {
    if (chunks.length >= limits.chunksPerFile) break;
    if (wanted.has(line)) chunks.push(takeAround(line, { wanted, textOf: file.textOf }, limits));
  }
  return chunks;
}

function withContext(lines: readonly RatedLine[], lineCount: number): Set<number> {
  const wanted = new Set<number>();
  for (const { line } of lines)
    for (let near = Math.max(0, line - context); near <= line + context && near < lineCount; near += 1)
      wanted.add(near);
  return wanted;
}

/** A line, then what is wanted and fits below it and above it; what is taken is wanted no more. */
function takeAround(anchor: number, { wanted, textOf }: Wanted, limits: ChunkLimits): Chunk {
  const lines: string[] = [];
  let room = limits.chunkCharacters;
  const takes = (line: number, add: (text: string) => void): boolean => {
    if (!wanted.has(line)) return false;
    const text = cut(textOf(line), limits.lineCharacters);
    if (text.length >= room && line !== anchor) return false;
    room -= text.length + 1;
    wanted.delete(line);
    add(text);
    return true;
  };
  let last = anchor;
  while (takes(last, (text) => lines.push(text))) last += 1;
  let first = anchor;
  while (takes(first - 1, (text) => lines.unshift(text))) first -= 1;
  return { startLine: first + 1, endLine: last, lines };
}

interface Wanted extends Pick<FileLines, 'textOf'> {
  readonly wanted: Set<number>;
}

/** The beginning of a long line, in whole characters. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = most - 1;
  return `${text.slice(0, text.codePointAt(end - 1) === text.charCodeAt(end - 1) ? end : end - 1)}…`;
}
