import type { TextLeaf } from './protocol.ts';
import { linesOf } from './text.ts';

/** First and past-the-last UTF-16 code unit of a match in its line. */
export type Range = readonly [start: number, end: number];

/** Matches by the line, from 0. A line may match with nothing to mark. */
export type LineMatches = Map<number, Range[]>;

/** Matches of a line beyond these are not marked. */
const rangesKept = 32;

/** The text of a file, searched. */
export class FileText {
  readonly lines: readonly string[];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.lines = linesOf(text);
  }

  has({ isOverLines }: TextLeaf, expression: RegExp): boolean {
    return isOverLines ? expression.test(this.#text) : this.lines.some((line) => expression.test(line));
  }

  /** Adds the matches of a text to those of others. */
  addMatches({ isOverLines }: TextLeaf, expression: RegExp, found: LineMatches): void {
    const everywhere = new RegExp(expression.source, 'gu');
    if (isOverLines) this.#addOverLines(everywhere, found);
    else
      for (const [number, line] of this.lines.entries()) {
        if (!expression.test(line)) continue;
        const ranges = [...line.matchAll(everywhere).take(rangesKept)].map(rangeOf);
        add(found, number, ranges);
      }
  }

  #addOverLines(expression: RegExp, found: LineMatches): void {
    const starts = lineStarts(this.lines);
    let number = 0;
    for (const match of this.#text.matchAll(expression)) {
      const [start, end] = rangeOf(match);
      while ((starts[number + 1] ?? Infinity) <= start) number += 1;
      for (let at = number; at < this.lines.length && (starts[at] ?? 0) < end; at += 1) {
        const lineStart = starts[at] ?? 0;
        const length = this.lines[at]?.length ?? 0;
        add(found, at, [[Math.max(0, start - lineStart), Math.min(length, end - lineStart)]]);
      }
    }
  }
}

const rangeOf = (match: RegExpExecArray): Range => [match.index, match.index + match[0].length];

function add(found: LineMatches, line: number, ranges: readonly Range[]): void {
  const known = found.get(line);
  if (known) known.push(...ranges);
  else found.set(line, [...ranges]);
}

function lineStarts(lines: readonly string[]): number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return start;
  });
}

/** In order, without empty ones and those that overlap an earlier one. */
export function apart(ranges: readonly Range[]): Range[] {
  const ordered = ranges.filter(([start, end]) => end > start).sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  let last = 0;
  return ordered.filter(([start, end]) => {
    if (start < last) return false;
    last = end;
    return true;
  });
}
