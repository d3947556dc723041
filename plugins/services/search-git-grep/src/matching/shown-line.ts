import { cut } from '@sextant/library-search-results';
import type { Range } from './file-text.ts';

export interface ShownLine {
  readonly text: string;
  readonly ranges: readonly Range[];
}

/** A line as it is shown, without its CR: a long one around its first match, in whole characters. */
export function shownLine(line: string, ranges: readonly Range[], most: number): ShownLine {
  const whole = line.replace(/\r$/, '');
  const first = ranges[0]?.[0] ?? 0;
  if (whole.length <= most || first <= most / 2) return within(cut(whole, most), ranges, 0);
  const from = wholeCharacter(whole, first - Math.floor(most / 4));
  return within(`…${cut(whole.slice(from), most - 1)}`, ranges, from - 1);
}

/** The ranges that are left of a line from an offset. */
function within(text: string, ranges: readonly Range[], from: number): ShownLine {
  const moved = ranges.map(([start, end]) => [Math.max(0, start - from), Math.min(text.length, end - from)] as const);
  return { text, ranges: moved.filter(([start, end]) => end > start) };
}

/** The offset, or one before where that is in the middle of a character. */
const wholeCharacter = (text: string, at: number): number => ((text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at);
