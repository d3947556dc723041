import { cut } from '@sextant/library-search-results';
import type { Range } from './file-text.ts';

export interface ShownLine {
  readonly text: string;
  readonly ranges: readonly Range[];
}

const mark = '…';

/** A line as it is shown, without its CR: a long one around its first match, in whole characters. */
export function shownLine(line: string, ranges: readonly Range[], most: number): ShownLine {
  const whole = line.replace(/\r$/, '');
  const first = ranges[0]?.[0] ?? 0;
  const from = whole.length <= most || first <= most / 2 ? 0 : wholeCharacter(whole, first - Math.floor(most / 4));
  const before = from > 0 ? mark : '';
  const rest = whole.slice(from);
  const kept = cut(rest, most - before.length);
  // What is behind the mark is not shown, and the mark is no match.
  const end = kept === rest ? whole.length : from + kept.length - mark.length;
  const shown = ranges.map(([a, b]) => [a - from + before.length, Math.min(b, end) - from + before.length] as const);
  return { text: before + kept, ranges: shown.filter(([a, b]) => b > a) };
}

/** The offset, or one before where that is in the middle of a character. */
const wholeCharacter = (text: string, at: number): number => ((text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at);
