import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';

export interface CodeLines {
  /** One for each line, already markup. */
  readonly markup: readonly string[];
  /** Number of the first line, from 1. */
  readonly from: number;
  readonly marked?: readonly [number, number] | undefined;
  /** Where links to lines lead, without their query; absent: numbers are no links. */
  readonly path?: string;
}

/** Lines in one block: browsers lay out only the blocks that are seen. */
export const linesPerBlock = 100;

/** Lines of code with their numbers. What comes in is markup of this package, which escaped it. */
export const codeLines = (lines: CodeLines): Content =>
  html`<div class="lines" dangerouslySetInnerHTML=${{ __html: [...blocks(lines)].join('') }}></div>`;

/** The same as text, for a part of a page. */
export const codeMarkup = (lines: CodeLines): string => [...blocks(lines)].join('');

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
  const focus = isMarked && number === marked[0] ? ' autofocus' : '';
  const label =
    path === undefined ? `<b>${number}</b>` : `<a href="?L${number}" id=L${number} tabindex=-1${focus}>${number}</a>`;
  return `<div${isMarked ? ' class=m' : ''}>${label}<code>${markup}\n</code></div>`;
}
