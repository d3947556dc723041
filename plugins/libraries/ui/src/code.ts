import type { Content } from './content.ts';
import { html, withVisibleTexts } from './html.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as it stands inside an element or a quoted attribute: the only way of code into markup. */
export const escapeText = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => entities[character] ?? character);

/** Longest line that is shown whole. */
export const longestLine = 5000;

/** A line without colours, as markup. */
export const plainLine = (line: string): string =>
  line.length > longestLine
    ? `${escapeText(line.slice(0, longestLine))}<span class="cut"> … ${line.length - longestLine} more characters</span>`
    : escapeText(line);

/** A line with some parts of it marked, as markup. The ranges are in order and do not overlap. */
export function markedLine(line: string, ranges: readonly (readonly [start: number, end: number])[]): string {
  let at = 0;
  const parts = ranges.map(([start, end]) => {
    const part = `${escapeText(line.slice(at, start))}<mark>${escapeText(line.slice(start, end))}</mark>`;
    at = end;
    return part;
  });
  return parts.join('') + escapeText(line.slice(at));
}

export interface CodeLines {
  /** One for each line, already markup. */
  readonly markup: readonly string[];
  /** Number of the first line, from 1. */
  readonly from: number;
  readonly marked?: readonly [number, number] | undefined;
  /** The page that shows the file, to which numbers lead; empty: this one. Absent: numbers are no links. */
  readonly path?: string;
}

/** Lines in one block: browsers lay out only the blocks that are seen. */
const linesPerBlock = 100;

/** Lines of code with their numbers. Their markup must come from the functions here, which escape. */
export const codeLines = (lines: CodeLines): Content =>
  html`<div class="lines" dangerouslySetInnerHTML=${{ __html: codeMarkup(lines) }}></div>`;

/** The same as text, for a part of a page. */
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
  // The cursor of the keyboard goes to the first marked line, and the browser scrolls there without a script.
  const target = path === '' ? ` id=L${number}${isMarked && number === marked[0] ? ' autofocus' : ''}` : '';
  const label =
    path === undefined
      ? `<b>${number}</b>`
      : `<a href="${escapeText(path)}?L${number}"${target} tabindex=-1>${number}</a>`;
  return `<div${isMarked ? ' class=m' : ''}>${label}<code>${markup}\n</code></div>`;
}
