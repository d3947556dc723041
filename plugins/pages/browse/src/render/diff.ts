import { patchContextLines } from '@sextant/contracts';
import type { FileChange, Hunk } from '@sextant/contracts';
import { oneLine } from '@sextant/core';
import { count, escapeText, html, markedLine, markedMarkup, tabs, tag } from '@sextant/library-ui';
import type { Content, TagKind } from '@sextant/library-ui';
import type { Source } from '../highlight/highlighter.ts';
import { languageOf } from '../highlight/languages.ts';
import { colouredPiece, wholeOf } from '../highlight/piece.ts';
import { linesQuery, linkTo } from '../visit.ts';
import type { Visit } from '../visit.ts';
import { changedWords } from './words.ts';

/** Where the two sides of a change can be seen whole. */
interface Sides {
  readonly before: (path: string) => string;
  readonly after: (path: string) => string;
  /** Who wrote the lines as they are after the change. */
  readonly blame: (path: string) => string;
  /** Where a script gets lines as they are after the change. */
  readonly lines: (path: string) => string;
  /** Commits; the first one is empty where there are no files before. */
  readonly commits: readonly [base: string, head: string];
}

/** A file as it is in a commit. */
interface FileAt {
  readonly commit: string;
  readonly path: string;
}

/** Of two commits; without the first one there are no files before. */
export const sidesOf = (visit: Visit, base: string, head: string): Sides => ({
  before: (path) => linkTo(visit, 'blob', { path, revision: base }),
  after: (path) => linkTo(visit, 'blob', { path, revision: head }),
  blame: (path) => linkTo(visit, 'blame', { path, revision: head }),
  lines: (path) => linkTo(visit, 'lines', { path, revision: head }),
  commits: [base, head],
});

const longestLine = 2000;
/** Milliseconds that a page waits for the colours of all its changes, and that a script waits for those that were late. */
const waitMs = { page: 150, part: 3000 };
/** A change with more lines is folded. */
const mostOpenLines = 1500;
/** Files that programs write: people look at them last. */
const generated =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|go\.sum|composer\.lock|Gemfile\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|flake\.lock)$|(^|\/)(vendor|node_modules|third_party|dist)\/|\.min\.(js|css)$|\.(pb|pb\.gw|generated|g)\.\w+$|_pb2(_grpc)?\.py$|(^|\/)zz_generated|\.snap$|\.(js|css)\.map$/;

/** Changed files one after the other, in one column or two, and beside them a list to jump to. */
export async function fileChanges(visit: Visit, files: readonly FileChange[], sides: Sides): Promise<Content> {
  if (files.length === 0) return undefined;
  const isSplit = visit.query.get('view') === 'split';
  const shown = await Promise.all(files.map((file, index) => fileChange(file, sides, { visit, index, isSplit })));
  return html`<div class=${files.length > 1 ? 'changes with-list' : 'changes'} data-coloured=${againAddress(visit, shown)}>
    ${fileList(files)}
    <div class="stack">${viewTabs(visit, isSplit)} ${shown.map(({ body }) => body)}</div>
  </div>`;
}

/** A part of a page with code. */
export interface Shown {
  readonly body: Content;
  /** Whether some of its colours were not ready in time. */
  readonly isLate: boolean;
}

/** Where a script gets a page again if some of its colours were late: its lines are put into their places. */
export function againAddress({ query }: Visit, shown: readonly Shown[]): string | undefined {
  if (!shown.some(({ isLate }) => isLate)) return undefined;
  const again = new URLSearchParams(query);
  again.set('part', 'coloured');
  return `?${again}`;
}

export const isColouredPart = ({ query }: Visit): boolean => query.get('part') === 'coloured';

function viewTabs({ query }: Visit, isSplit: boolean): Content {
  const at = (view: string): string => {
    const other = new URLSearchParams(query);
    other.delete('part');
    if (view === '') other.delete('view');
    else other.set('view', view);
    return `?${other}`;
  };
  return tabs('Ways to see the changes', [
    { title: 'One column', path: at(''), isCurrent: !isSplit },
    { title: 'Two columns', path: at('split'), isCurrent: isSplit },
  ]);
}

/** By folder, each named once. */
function fileList(files: readonly FileChange[]): Content {
  if (files.length < 2) return undefined;
  const numbered = files.map((file, index) => ({ ...file, index }));
  const folders = Map.groupBy(numbered, ({ path }) => path.slice(0, path.lastIndexOf('/') + 1));
  return html`<details class="changed-files" open>
    <summary>${count(files.length, 'file')} on this page</summary>
    <nav aria-label="Changed files">
      <ul>
        ${[...folders].map(
          ([folder, within]) =>
            html`<li>${folder !== '' && html`<span class="folder">${oneLine(folder)}</span>`}
              <ul>
                ${within.map(({ path, status, index, ...lines }) => html`<li><a href=${`#file-${index + 1}`} class=${status} title=${path}>${oneLine(path.slice(folder.length))}</a>${counts(lines)}</li>`)}
              </ul>
            </li>`,
        )}
      </ul>
    </nav>
  </details>`;
}

/** Nothing of a file without changed lines, such as a binary one. */
const counts = ({ added, deleted }: Pick<FileChange, 'added' | 'deleted'>): Content =>
  added + deleted > 0 &&
  html`<span class="counts"><span class="plus">+${added}</span> <span class="minus">−${deleted}</span></span>`;

interface Place {
  readonly visit: Visit;
  readonly index: number;
  readonly isSplit: boolean;
}

async function fileChange(file: FileChange, sides: Sides, place: Place): Promise<Shown> {
  const { path, previousPath, status, added, deleted } = file;
  const isGone = status === 'deleted';
  const folded = generated.test(path)
    ? 'A file that a program writes'
    : added + deleted > mostOpenLines
      ? 'A large change'
      : undefined;
  const { body, isLate } = await content(file, sides, place);
  const section = html`<section class="panel change" id=${`file-${place.index + 1}`} aria-label=${path}>
    <div class="panel-bar">
      <strong class="mono">${previousPath !== undefined && html`<span class="quiet">${oneLine(previousPath)} → </span>`}${oneLine(path)}</strong>
      ${file.isBinary && tag('binary')} ${status !== 'modified' && tag(words[status] ?? status, kinds[status] ?? 'plain')}
      ${counts(file)}
      ${!isGone && html`<a href=${sides.blame(path)}>Blame</a>`}
      <a href=${isGone ? sides.before(previousPath ?? path) : sides.after(path)}>${isGone ? 'File before' : 'Whole file'}</a>
    </div>
    ${folded === undefined || file.hunks.length === 0 ? body : html`<details class="folded"><summary>${folded}: show it</summary>${body}</details>`}
  </section>`;
  return { body: section, isLate };
}

const words: Readonly<Record<string, string>> = { 'type-changed': 'type changed' };
const kinds: Readonly<Record<string, TagKind>> = {
  added: 'success',
  deleted: 'danger',
  renamed: 'info',
  copied: 'info',
};

async function content(file: FileChange, sides: Sides, { visit, isSplit }: Place): Promise<Shown> {
  const { isBinary, isTruncated, hunks, path, previousPath = path, status } = file;
  if (isBinary || hunks.length === 0)
    return { body: html`<p class="quiet note">${withoutHunks(file)}</p>`, isLate: false };
  const isWhole = status === 'added' || status === 'deleted';
  const places = {
    file: status === 'deleted' ? sides.before(previousPath) : sides.after(path),
    ...(status !== 'deleted' && { blame: sides.blame(path) }),
    // What stands between hunks is the same on both sides.
    ...(!isWhole && { lines: sides.lines(path) }),
  };
  const [base, head] = sides.commits;
  const texts = isWhole ? {} : { before: { commit: base, path: previousPath }, after: { commit: head, path } };
  const table = await hunksTable(visit, { path, hunks, isSplit, isRange: false, places, texts });
  const rest = html`<p class="quiet note">The rest of this change is too large to be shown here.</p>`;
  return { ...table, body: [table.body, isTruncated && rest] };
}

export interface ShownHunks {
  readonly path: string;
  readonly hunks: readonly Hunk[];
  readonly isSplit: boolean;
  /** Whether they are of a range of lines, which ends before its file does. */
  readonly isRange: boolean;
  /** Pages of the file that was changed, to which hunks lead. */
  readonly places: { readonly file: string; readonly blame?: string; readonly lines?: string };
  /** The files that hunks are parts of. */
  readonly texts: { readonly before?: FileAt; readonly after?: FileAt };
}

/** Hunks of a file in one column or two, each with the ways to its lines; a script shows what stands between them. */
export async function hunksTable(
  visit: Visit,
  { path, hunks, isSplit, isRange, places, texts }: ShownHunks,
): Promise<Shown> {
  const startLines = hunks.map(({ newStart }) => newStart);
  const whole = async (file: FileAt | undefined): Promise<Source | undefined> =>
    file && wholeOf(visit.repository, { ...file, startLines }, visit.call.signal);
  const wholes = { '-': whole(texts.before), '+': whole(texts.after) };
  const colours = await Promise.all(hunks.map((hunk) => coloured(hunk, path, { visit, wholes })));
  const rows = hunks.map((hunk, index) => {
    const lines = linesOf(hunk, colours[index]?.markup);
    return (
      headingRow(hunk, hunks[index - 1], { places, columns: isSplit ? 4 : 3 }) +
      (isSplit ? splitRows(lines) : lines.map(unifiedRow).join(''))
    );
  });
  const last = hunks.at(-1);
  const mayGoOn = places.lines !== undefined && (isRange || endsInContext(last));
  const end = last && mayGoOn ? endRow(last, isSplit ? 4 : 3) : '';
  const markup = `${isSplit ? splitColumns : ''}<tbody>${rows.join('')}${end}</tbody>`;
  const body = html`<div class=${isSplit ? 'diff split' : 'diff'} role="group" tabindex="0" aria-label=${`Changes of ${path}`} data-lines=${places.lines}>
    <table dangerouslySetInnerHTML=${{ __html: markup }}></table>
  </div>`;
  return { body, isLate: colours.some(({ isLate }) => isLate) };
}

/** The widths of a fixed table: its first row has one cell. */
const splitColumns = '<colgroup><col class=number><col><col class=number><col></colgroup>';

function withoutHunks({ isBinary, isTruncated, status, oldMode, newMode }: FileChange): string {
  if (isBinary) return 'A binary file, or one over 16 MiB: its bytes are not shown.';
  if (isTruncated) return 'This change is too large to be shown here.';
  if (status === 'added' || status === 'deleted') return 'An empty file.';
  return oldMode === newMode ? 'Its content is the same.' : `Its mode changed from ${oldMode} to ${newMode}.`;
}

/** A line of a hunk as it is shown: everything that stands in a repository is escaped in its markup. */
interface DiffLine {
  readonly marker: string;
  /** Its numbers before and after; empty where that side lacks it. */
  readonly before: number | '';
  readonly after: number | '';
  readonly markup: string;
}

/** The marker is a character of the line, so a copied text is a patch, and nobody depends on colours. */
function linesOf({ lines, oldStart, newStart }: Hunk, colours?: ReadonlyMap<number, string>): DiffLine[] {
  const changed = changedWords(lines);
  let [before, after] = [oldStart, newStart];
  return lines.map((line, index) => {
    const marker = line[0] ?? ' ';
    const range = changed.get(index);
    const code = colours?.get(index);
    const shown = line.length > longestLine ? `${line.slice(0, longestLine)} …` : line;
    const markup =
      code === undefined || shown !== line
        ? markedLine(shown, range ? [range] : [])
        : markedMarkup(escapeText(marker) + code, range ? [range] : []);
    return {
      marker,
      before: marker === '+' || marker === '\\' ? '' : before++,
      after: marker === '-' || marker === '\\' ? '' : after++,
      markup,
    };
  });
}

type Wholes = Readonly<Record<'-' | '+', Promise<Source | undefined>>>;

/** Colours of the lines of a hunk by their indexes, of each side by itself. */
async function coloured(
  { lines, oldStart, newStart }: Hunk,
  path: string,
  { visit, wholes }: { visit: Visit; wholes: Wholes },
): Promise<{ markup: ReadonlyMap<number, string>; isLate: boolean }> {
  const language = languageOf(path);
  const colours = new Map<number, string>();
  if (language === undefined) return { markup: colours, isLate: false };
  const starts = { '-': oldStart, '+': newStart };
  const areComplete = await Promise.all(
    (['-', '+'] as const).map(async (side) => {
      const indexes = [...lines.keys()].filter((index) => [side, ' '].includes(lines[index]?.[0] ?? ''));
      const texts = indexes.map((index) => (lines[index] ?? '').slice(1));
      const piece = { language, lines: texts, startLine: starts[side], whole: wholes[side] };
      const milliseconds = isColouredPart(visit) ? waitMs.part : waitMs.page;
      const { markup, isComplete } = await colouredPiece(visit.services.highlighter, piece, milliseconds);
      for (const [at, index] of indexes.entries()) colours.set(index, markup[at] ?? '');
      return isComplete;
    }),
  );
  return { markup: colours, isLate: areComplete.includes(false) };
}

/** The range of the hunk with the ways to its lines, and which lines stand between it and the hunk before. */
function headingRow(
  { oldStart, oldLines, newStart, newLines, section }: Hunk,
  before: Hunk | undefined,
  { places: { file, blame }, columns }: Pick<ShownHunks, 'places'> & { columns: number },
): string {
  const title = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@ ${section}`;
  const lines = linesQuery(Math.max(1, blame === undefined ? oldStart : newStart));
  const links = [
    ...(blame === undefined ? [] : [`<a href="${escapeText(blame + lines)}">Blame</a>`]),
    `<a href="${escapeText(file + lines)}">View</a>`,
  ];
  const between = gapBefore({ newStart, newLines }, before);
  const shift = oldStart - newStart;
  return `<tr class=hunk${between === '' ? '' : ` data-between="${between}" data-shift="${shift}"`}><td colspan=${columns}><div><span>${escapeText(title)}</span>${links.join(' ')}</div></td></tr>`;
}

/** Lines after the change; of a hunk without any, the start is the line before it. */
function gapBefore({ newStart, newLines }: Pick<Hunk, 'newStart' | 'newLines'>, before: Hunk | undefined): string {
  const from = before ? before.newStart + before.newLines : 1;
  const to = newLines === 0 ? newStart : newStart - 1;
  return to < from ? '' : `${from}-${to}`;
}

/** A hunk with fewer lines after its changes than git shows there is the end of its file. */
const endsInContext = (hunk: Hunk | undefined): boolean =>
  hunk?.lines.slice(-patchContextLines).every((line) => line.startsWith(' ')) === true;

/** Stands for the lines after the last hunk. */
const endRow = ({ oldStart, oldLines, newStart, newLines }: Hunk, columns: number): string =>
  `<tr class=hunk data-between="${newStart + newLines}-" data-shift="${oldStart + oldLines - newStart - newLines}" hidden><td colspan=${columns}></td></tr>`;

const unifiedRow = ({ marker, before, after, markup }: DiffLine): string =>
  `<tr${rowClass(marker)}><td>${before}</td><td>${after}</td><td><code>${markup}\n</code></td></tr>`;

function rowClass(marker: string): string {
  if (marker === '+') return ' class=add';
  return marker === '-' ? ' class=del' : '';
}

/** Removed lines stand beside the added ones that follow them. */
function splitRows(lines: readonly DiffLine[]): string {
  const rows: string[] = [];
  let [removed, added]: [DiffLine[], DiffLine[]] = [[], []];
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      rows.push(`<tr>${cell(removed[index], 'before')}${cell(added[index], 'after')}</tr>`);
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.marker === '-') {
      // A removal after an addition begins the next pair.
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.marker === '+') added.push(line);
    else {
      flush();
      rows.push(`<tr>${cell(line, 'before')}${cell(line, 'after')}</tr>`);
    }
  }
  flush();
  return rows.join('');
}

const cell = (line: DiffLine | undefined, side: 'before' | 'after'): string =>
  line === undefined
    ? '<td></td><td class=none></td>'
    : `<td>${line[side]}</td><td${rowClass(line.marker)}><code>${line.markup}\n</code></td>`;
