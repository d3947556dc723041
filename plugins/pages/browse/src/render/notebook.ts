import { hash } from 'node:crypto';
import { html, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { z } from 'zod';
import { sourceOfText } from '../file-source.ts';
import { languageOf } from '../highlight/languages.ts';
import type { ShownFile } from '../views/blob.ts';
import { renderMarkdown } from './markdown.ts';

const longest = 16 << 20;
const mostCells = 500;
const longestOutput = 20_000;
const waitMs = 60;

/** Written as one text or as its lines. */
const multiline = z.union([z.string(), z.array(z.string())]).transform((text) => [text].flat().join(''));
const output = z.looseObject({
  output_type: z.string(),
  text: multiline.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
});
const cell = z.looseObject({
  cell_type: z.string(),
  source: multiline,
  execution_count: z.number().nullish(),
  outputs: z.array(output).default([]),
});
const notebook = z.looseObject({
  metadata: z.looseObject({ language_info: z.looseObject({ name: z.string() }).optional() }).default({}),
  cells: z.array(cell),
});
type Cell = z.output<typeof cell>;
type Output = z.output<typeof output>;

/** A Jupyter notebook: text, code and what it printed. Markup that cells made is not shown: it could be anything. */
export async function renderNotebook(shown: ShownFile, text: string): Promise<Content> {
  const parsed = text.length > longest ? undefined : notebook.safeParse(parse(text)).data;
  if (!parsed) return notice('warning', 'This is no notebook that can be shown; the code shows the file.');
  const language = languageOf(parsed.metadata.language_info?.name ?? 'python');
  const cells = await Promise.all(parsed.cells.slice(0, mostCells).map((cell) => renderCell(shown, cell, language)));
  const left = parsed.cells.length - cells.length;
  return html`<div class="notebook">${cells} ${left > 0 && notice('info', `${left} more cells are not shown.`)}</div>`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function renderCell(shown: ShownFile, cell: Cell, language: string | undefined): Promise<Content> {
  if (cell.cell_type === 'markdown') return renderMarkdown(shown, cell.source);
  const source = sourceOfText(
    cell.source,
    hash('sha256', cell.source),
    cell.cell_type === 'code' ? language : undefined,
  );
  const { markup } = await shown.visit.services.highlighter.lines(source, [0, source.lineCount], waitMs);
  return html`<div class="cell">
    <span class="quiet mono">${cell.execution_count === undefined ? '' : `[${cell.execution_count ?? ' '}]`}</span>
    <div>
      <pre tabindex="0" dangerouslySetInnerHTML=${{ __html: markup.join('\n') }}></pre>
      ${cell.outputs.map(renderOutput)}
    </div>
  </div>`;
}

function renderOutput({ output_type: type, text, data = {}, ename, evalue }: Output): Content {
  if (type === 'stream') return printed(text ?? '');
  if (type === 'error')
    return html`<pre class="output danger" tabindex="0">${`${ename ?? 'Error'}: ${evalue ?? ''}`}</pre>`;
  const image = ['image/png', 'image/jpeg', 'image/gif'].find((type) => typeof data[type] === 'string');
  const encoded = image === undefined ? '' : String(data[image]).replace(/\s/g, '');
  if (/^[A-Za-z0-9+/=]+$/.test(encoded))
    return html`<img class="output" src=${`data:${image};base64,${encoded}`} alt="What the cell drew" />`;
  const plain = multiline.safeParse(data['text/plain']);
  return plain.success ? printed(plain.data) : html`<p class="quiet output">What this cell shows is not text.</p>`;
}

const printed = (text: string): Content =>
  html`<pre class="output" tabindex="0">${withoutColors(text).slice(0, longestOutput)}${text.length > longestOutput && '\n…'}</pre>`;

/** The codes by which terminals colour text. */
const withoutColors = (text: string): string => text.replaceAll(new RegExp(String.raw`\u001b\[[\d;]*m`, 'g'), '');
