import { codeLines, html, pagination } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import type { Source } from '../highlight/highlighter.ts';
import type { FileContent } from '../render/file-page.ts';
import { outlineOf } from '../render/outline.ts';
import { linkTo, markedLines } from '../visit.ts';
import type { ShownFile } from './blob.ts';

/** A file up to this length is shown whole. */
const wholeLines = 2000;
/** Lines of a longer file that are shown at once. A script loads the others when they are scrolled to. */
const windowLines = 1000;
/** Milliseconds that a page waits for colours and definitions. The browser fetches later ones. */
const waitMs = 60;

/** The lines of a file, or a part of them. */
export async function codeView({ visit, commit, path }: ShownFile, source: Source): Promise<FileContent> {
  if (source.lineCount === 0)
    return { body: html`<p class="quiet empty-file">This file is empty.</p>`, outline: 'none' };
  const marked = markedLines(visit.search);
  const [from, to] = shownLines(source.lineCount, marked?.[0] ?? Number(visit.query.get('from') ?? 1));
  const [{ markup, isComplete }, outline] = await Promise.all([
    visit.services.highlighter.lines(source, [from, to], waitMs),
    outlineOf(visit, commit, waitMs),
  ]);
  const file = linkTo(visit, 'blob', path);
  const body = html`<div
      class="code"
      role="region"
      aria-label=${`Code of ${path}`}
      tabindex="0"
      data-lines=${linkTo(visit, 'lines', { path, revision: commit })}
      data-symbols=${visit.services.symbols && linkTo(visit, 'symbol', { path, revision: commit })}
      data-revision=${visit.address.revision ?? ''}
      data-from=${from + 1}
      data-total=${source.lineCount}
      data-plain=${!isComplete}
    >
      ${codeLines({ markup, from: from + 1, marked, path: '' })}
    </div>
    ${windowLinks(file, [from, to], source.lineCount)}`;
  return { body, outline };
}

/** Counted from 0, the second one not included. */
export function shownLines(total: number, wanted: number): readonly [number, number] {
  if (total <= wholeLines) return [0, total];
  const line = Number.isSafeInteger(wanted) ? Math.min(Math.max(1, wanted), total) : 1;
  // A bit of what stands before a line that was asked for is shown too.
  const from = Math.max(0, Math.floor((line - 100) / 100) * 100);
  return [from, Math.min(total, from + windowLines)];
}

/** For those without a script; with one, the other lines come by scrolling. */
export function windowLinks(file: string, [from, to]: readonly [number, number], total: number): Content {
  const at = (line: number): string => `${file}?from=${line}`;
  const links = pagination({
    ...(from > 0 && { previous: at(Math.max(1, from - windowLines + 100)) }),
    ...(to < total && { next: at(to + 100) }),
    position: `Lines ${from + 1}–${to} of ${total}`,
  });
  return links && html`<div class="windows">${links}</div>`;
}
