import { html, withVisibleTexts } from './components.ts';
import type { Content } from './components.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for an element or a quoted attribute. All code must pass through it. */
export const escapeText = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => entities[character] ?? character);

/** Maximum characters of a line that is shown in full. */
export const longestLine = 5000;

/** Markup of a line without colours. */
export const plainLine = (line: string): string =>
  line.length > longestLine
    ? `${escapeText(line.slice(0, longestLine))}<span class="cut"> … ${line.length - longestLine} more characters</span>`
    : escapeText(line);

/** Markup of a line with marked ranges, which are in order and do not overlap. */
export function markedLine(line: string, ranges: readonly (readonly [start: number, end: number])[]): string {
  let at = 0;
  const parts = ranges.map(([start, end]) => {
    const part = `${escapeText(line.slice(at, start))}<mark>${escapeText(line.slice(start, end))}</mark>`;
    at = end;
    return part;
  });
  return parts.join('') + escapeText(line.slice(at));
}

/**
 * Marks ranges of the text in a line of coloured markup, as `plainLine` and highlighters make it: elements without attributes that
 * have a `>`, and the entities of `escapeText`. The ranges are in order and do not overlap.
 */
export function markedMarkup(markup: string, ranges: readonly (readonly [start: number, end: number])[]): string {
  if (ranges.length === 0) return markup;
  let result = '';
  let at = 0;
  let [next = 0, isOpen] = [0, false];
  for (const [part] of markup.matchAll(/<[^>]*>|&#?\w+;|[^<&]/gs)) {
    if (part.startsWith('<') && part.length > 1) {
      // Elements of colours begin and end outside of marks, so that both are nested well.
      result += isOpen ? `</mark>${part}<mark>` : part;
      continue;
    }
    const [start, end] = ranges[next] ?? [Infinity, Infinity];
    if (at === start) result += '<mark>';
    isOpen ||= at === start;
    result += part;
    at += part.length > 1 && part.startsWith('&') ? 1 : part.length;
    if (isOpen && at >= end) {
      result += '</mark>';
      [next, isOpen] = [next + 1, false];
    }
  }
  return (isOpen ? `${result}</mark>` : result).replaceAll('<mark></mark>', '');
}

export interface CodeLines {
  /** The markup of each line. */
  readonly markup: readonly string[];
  /** Number of the first line, from 1. */
  readonly from: number;
  readonly marked?: readonly [number, number] | undefined;
  /** The page of the file, to which line numbers link; empty for this page. Absent: line numbers are no links. */
  readonly path?: string;
}

/** Lines of a block. Browsers lay out only visible blocks. */
const linesPerBlock = 100;

/** Lines of code with their numbers. Their markup must come from `plainLine` or `markedLine`, which escape it. */
export const codeLines = (lines: CodeLines): Content =>
  html`<div class="lines" dangerouslySetInnerHTML=${{ __html: codeMarkup(lines) }}></div>`;

/** The markup of `codeLines`, for a part of a page. */
export const codeMarkup = (lines: CodeLines): string => withVisibleTexts([...blocks(lines)].join(''));

function* blocks(lines: CodeLines): Generator<string> {
  for (let at = 0; at < lines.markup.length; at += linesPerBlock) {
    const block = lines.markup.slice(at, at + linesPerBlock);
    const rows = block.map((markup, index) => row(markup, lines.from + at + index, lines));
    yield `<div class="block${block.length < linesPerBlock ? ' short' : ''}">${rows.join('')}</div>`;
  }
}

function row(markup: string, number: number, { marked, path }: CodeLines): string {
  const isMarked = marked !== undefined && number >= marked[0] && number <= marked[1];
  // Focus goes to the first marked line, and the browser scrolls there without a script.
  const target = path === '' ? ` id=L${number}${isMarked && number === marked[0] ? ' autofocus' : ''}` : '';
  const label =
    path === undefined
      ? `<b>${number}</b>`
      : `<a href="${escapeText(path)}?L${number}"${target} tabindex=-1>${number}</a>`;
  return `<div${isMarked ? ' class=m' : ''}>${label}<code>${markup}\n</code></div>`;
}
