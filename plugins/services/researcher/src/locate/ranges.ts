import type { OutlineEntry } from '@sextant/contracts';
import { scan } from '../ranking/scan.ts';
import type { Hit, Scan } from '../ranking/scan.ts';
import type { WordWeights } from '../ranking/signals.ts';
import { Vocabulary } from '../ranking/vocabulary.ts';
import type { ChosenRange, Steps } from '../threads/research-steps.ts';

/** Lines of a file, counted from 1, inclusive. */
export interface LineRange {
  readonly startLine: number;
  readonly endLine: number;
  /** Lines that say most, the best first. */
  readonly best: readonly number[];
}

export interface RangeRequest {
  readonly scan: Scan;
  readonly weights: WordWeights;
  /** Lines, from 1, that the task itself points at. */
  readonly pointed: readonly number[];
  /** Definitions of the file, in order; a range begins with one rather than inside it. */
  readonly outline: readonly Pick<OutlineEntry, 'line' | 'endLine'>[];
  readonly most: number;
}

/** Lines of a range. */
const size = 56;
/** Of a range that is made longer, so that it ends with a definition. */
const mostLines = 120;
/** Lines before a match that are shown with it. */
const lead = 6;
/** A definition that begins so many lines before is shown from its beginning. */
const mostBefore = 24;
const gap = 4;
const bestLines = 3;

/** The best parts of each file, with their text. What is canceled is not heard. */
export function chooseRanges(
  { read, weights, files }: Steps['ranges']['asked'],
  isCanceled: () => boolean,
): (readonly ChosenRange[])[] {
  const vocabulary = new Vocabulary(read);
  return files.map(({ text, pointed, outline, most }) => {
    if (isCanceled() || most === 0) return [];
    const scanned = scan(text, vocabulary);
    const inFile = pointed.filter((line) => line <= scanned.lineStarts.length);
    const ranges = rangesOf({ scan: scanned, weights, pointed: inFile, outline, most });
    return ranges.map((range) => ({ ...range, lines: textOf(scanned, range) }));
  });
}

function textOf({ text, lineStarts }: Scan, { startLine, endLine }: LineRange): string[] {
  return text
    .slice(lineStarts[startLine - 1], lineStarts[endLine])
    .replace(/\r?\n$/, '')
    .split(/\r?\n/);
}

/** The parts of a file that say most of a task; they do not overlap. */
function rangesOf(request: RangeRequest): LineRange[] {
  const { scan, pointed, most } = request;
  const starts = startsOf(request);
  const taken: { startLine: number; endLine: number; score: number }[] = [];
  const windows = starts.map((startLine) => ({
    startLine,
    endLine: Math.min(scan.lineStarts.length, startLine + size - 1),
  }));
  const scored = windows.map((window) => ({ ...window, score: windowScore(window, request) }));
  for (const window of scored.sort((a, b) => b.score - a.score || a.startLine - b.startLine)) {
    if (taken.length === most) break;
    if (taken.every(({ startLine, endLine }) => window.startLine > endLine || window.endLine < startLine))
      taken.push(window);
  }
  if (taken.length === 0) taken.push({ startLine: 1, endLine: Math.min(scan.lineStarts.length, size), score: 0 });
  return joined(taken.map((range) => withWholeEnd(range, request))).map(({ startLine, endLine }) => ({
    startLine,
    endLine,
    best: linesOf({ startLine, endLine }, request),
  }));

  function startsOf({ scan, outline }: RangeRequest): number[] {
    const lines = [...pointed.map((line) => line - size / 2), ...scan.hits.map(({ line }) => line + 1 - lead)];
    const inFile = lines.map((line) => Math.max(1, Math.min(line, scan.lineStarts.length)));
    return [...new Set(inFile.map((line) => beginningOf(line, outline)))];
  }
}

/** The definition that a line stands in, where it begins not far above. */
function beginningOf(line: number, outline: RangeRequest['outline']): number {
  const around = outline.filter(
    (entry) => entry.line <= line + lead && entry.endLine >= line && line - entry.line <= mostBefore,
  );
  const [nearest] = around.toSorted((a, b) => b.line - a.line);
  return nearest ? Math.max(1, Math.min(line, nearest.line - 1)) : line;
}

/** Does not end inside of a definition: that is left out if no word of the task stands there, else shown as far as it is not long. */
function withWholeEnd(
  { startLine, endLine }: Pick<LineRange, 'startLine' | 'endLine'>,
  { scan, outline, pointed }: RangeRequest,
): Pick<LineRange, 'startLine' | 'endLine'> {
  const cut = outline.filter((entry) => startLine < entry.line && entry.line <= endLine && endLine < entry.endLine);
  const innermost = cut.toSorted((a, b) => b.line - a.line)[0];
  if (!innermost) return { startLine, endLine };
  const isPointed = pointed.some((line) => innermost.line <= line && line <= endLine);
  if (!isPointed && hitsIn(scan.hits, innermost.line, endLine).length === 0)
    return { startLine, endLine: innermost.line - 1 };
  return { startLine, endLine: innermost.endLine - startLine < mostLines ? innermost.endLine : endLine };
}

/** Every word counts more the oftener it stands there, but less and less. */
function windowScore({ startLine, endLine }: Pick<LineRange, 'startLine' | 'endLine'>, request: RangeRequest): number {
  const counts = new Map<number, number>();
  for (const hit of hitsIn(request.scan.hits, startLine, endLine))
    counts.set(hit.word, (counts.get(hit.word) ?? 0) + 1 + hit.definition);
  let score = 0;
  for (const [word, count] of counts) score += ((request.weights[word] ?? 0) * count) / (count + 1);
  const isPointed = request.pointed.some((line) => line >= startLine && line <= endLine);
  return isPointed ? score + request.weights.reduce((sum, weight) => sum + weight, 1) : score;
}

function linesOf(
  { startLine, endLine }: Pick<LineRange, 'startLine' | 'endLine'>,
  { scan, weights, pointed }: RangeRequest,
): number[] {
  const worth = new Map<number, number>(
    pointed.filter((line) => line >= startLine && line <= endLine).map((line) => [line, 100]),
  );
  for (const { line, word, definition } of hitsIn(scan.hits, startLine, endLine))
    worth.set(line + 1, (worth.get(line + 1) ?? 0) + (weights[word] ?? 0) * (1 + definition));
  return [...worth]
    .sort(([a, first], [b, second]) => second - first || a - b)
    .slice(0, bestLines)
    .map(([line]) => line);
}

/** Hits are in the order of lines. */
function hitsIn(hits: readonly Hit[], startLine: number, endLine: number): readonly Hit[] {
  const before = (line: number): number => {
    let [low, high] = [0, hits.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((hits[middle]?.line ?? 0) < line) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return hits.slice(before(startLine - 1), before(endLine));
}

/** Neighbours become one, in the place of the better. */
function joined(ranges: readonly { startLine: number; endLine: number }[]): { startLine: number; endLine: number }[] {
  const result: { startLine: number; endLine: number }[] = [];
  for (const range of ranges) {
    const near = result.find(
      ({ startLine, endLine }) => range.startLine <= endLine + gap && range.endLine >= startLine - gap,
    );
    if (!near) result.push({ startLine: range.startLine, endLine: range.endLine });
    else {
      near.startLine = Math.min(near.startLine, range.startLine);
      near.endLine = Math.max(near.endLine, range.endLine);
    }
  }
  return result;
}
