import type { FileChange, Hunk } from '@sextant/contracts';
import { oneLine } from '@sextant/core';
import { escapeText, html, markedLine, tag } from '@sextant/library-ui';
import type { Content, TagKind } from '@sextant/library-ui';
import { changedWords } from './words.ts';

/** Where the two sides of a change can be seen whole. */
export interface Sides {
  readonly before: (path: string) => string;
  readonly after: (path: string) => string;
}

const longestLine = 2000;

/** Changed files, one below the other. */
export const fileChanges = (files: readonly FileChange[], sides: Sides): Content =>
  files.map((file, index) => fileChange(file, sides, index));

function fileChange(file: FileChange, sides: Sides, index: number): Content {
  const { path, previousPath, status, added, deleted } = file;
  const isGone = status === 'deleted';
  return html`<section class="panel change" id=${`file-${index + 1}`} aria-label=${path}>
    <div class="panel-bar">
      <strong class="mono">${previousPath !== undefined && html`<span class="quiet">${oneLine(previousPath)} → </span>`}${oneLine(path)}</strong>
      ${tag(words[status] ?? status, kinds[status] ?? 'plain')}
      <span class="counts"><span class="plus">+${added}</span> <span class="minus">−${deleted}</span></span>
      <a href=${isGone ? sides.before(previousPath ?? path) : sides.after(path)}>${isGone ? 'File before' : 'Whole file'}</a>
    </div>
    ${content(file)}
  </section>`;
}

const words: Readonly<Record<string, string>> = { 'type-changed': 'type changed' };
const kinds: Readonly<Record<string, TagKind>> = {
  added: 'success',
  deleted: 'danger',
  renamed: 'info',
  copied: 'info',
};

function content(file: FileChange): Content {
  const { isBinary, isTruncated, hunks, path } = file;
  if (isBinary) return html`<p class="quiet note">A binary file, or one over 16 MiB: its bytes are not shown.</p>`;
  if (hunks.length === 0) return html`<p class="quiet note">${withoutHunks(file)}</p>`;
  return html`<div class="diff" role="group" tabindex="0" aria-label=${`Changes of ${path}`}>
      <table dangerouslySetInnerHTML=${{ __html: `<tbody>${hunks.map(hunkRows).join('')}</tbody>` }}></table>
    </div>
    ${isTruncated && html`<p class="quiet note">The rest of this change is too large to be shown here.</p>`}`;
}

function withoutHunks({ isTruncated, status, oldMode, newMode }: FileChange): string {
  if (isTruncated) return 'This change is too large to be shown here.';
  if (status === 'added' || status === 'deleted') return 'An empty file.';
  return oldMode === newMode ? 'Its content is the same.' : `Its mode changed from ${oldMode} to ${newMode}.`;
}

/** The rows of a hunk as markup: everything that stands in a repository is escaped here. */
function hunkRows(hunk: Hunk): string {
  const { oldStart, oldLines, newStart, newLines, section } = hunk;
  const title = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@ ${section}`;
  const rows = [`<tr class=hunk><td colspan=3>${escapeText(title)}</td></tr>`];
  const changed = changedWords(hunk.lines);
  let [before, after] = [oldStart, newStart];
  for (const [index, line] of hunk.lines.entries()) {
    const marker = line[0] ?? ' ';
    const [left, right] = [
      marker === '+' || marker === '\\' ? '' : before,
      marker === '-' || marker === '\\' ? '' : after,
    ];
    if (left !== '') before += 1;
    if (right !== '') after += 1;
    rows.push(
      `<tr${rowClass(marker)}><td>${left}</td><td>${right}</td><td><code>${lineMarkup(line, changed.get(index))}\n</code></td></tr>`,
    );
  }
  return rows.join('');
}

function rowClass(marker: string): string {
  if (marker === '+') return ' class=add';
  return marker === '-' ? ' class=del' : '';
}

/** The marker is a character of the line, so a copied text is a patch, and nobody depends on colours. */
function lineMarkup(line: string, changed: readonly [number, number] | undefined): string {
  const shown = line.length > longestLine ? `${line.slice(0, longestLine)} …` : line;
  return markedLine(shown, changed ? [changed] : []);
}
