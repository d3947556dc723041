import type { FoundFile, SearchResult } from '@sextant/contracts';
import { codeLines, count, emptyState, html, markedLine, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { moreLink } from './more-link.ts';
import type { View } from './page.ts';

/** Files with the lines that match, paths or repositories, the best first. */
export function fileResults(
  view: View,
  { result, milliseconds }: { result: SearchResult; milliseconds: number },
): Content {
  const { files, limitHit, notSearched } = result;
  // A reason may be a note, too.
  const notes = new Set([...result.notes, ...(notSearched?.reasons ?? [])]);
  return html`<p class="quiet" role="status">${summary(result)} in ${Math.max(1, Math.round(milliseconds))} ms</p>
    ${[...notes].map((note) => notice('info', note))}
    ${files.length === 0 ? nothing(view) : html`<ol class="results">${files.map((file) => html`<li>${found(view, file)}</li>`)}</ol>`}
    ${limitHit && files.length > 0 && moreLink(view.asked, files.length)}`;
}

function summary({ type, files, matchCount, fileCount, limitHit }: SearchResult): string {
  const more = limitHit ? ' or more' : '';
  const what = type === 'repo' ? count(fileCount, 'repository', 'repositories') : count(fileCount, 'file');
  const lines = type === 'file' ? `${count(matchCount, 'match', 'matches')}${more} in ` : '';
  const shown = files.length < fileCount ? `, ${files.length} shown` : '';
  return `${lines}${what}${type === 'file' ? '' : more}${shown}`;
}

const nothing = ({ asked }: View): Content =>
  emptyState(
    'Nothing was found.',
    asked.mode === 'natural'
      ? 'Try other words, or search for exact keywords.'
      : 'All words must be in one file: try fewer, join them with OR, or ask in natural language.',
  );

function found({ links }: View, file: FoundFile): Content {
  const { repo, path, revision, chunks, matchCount } = file;
  const target = { repo, path, ...(revision !== undefined && { revision }) };
  const page = new URL(links.file(target)).pathname;
  const [first] = file.matches;
  const href = first === undefined ? page : `${page}?L${first.line}`;
  return html`<article class="panel found-file">
    <div class="panel-bar">
      <h2><a href=${href} data-result><span class="quiet">${repo}${revision !== undefined && `@${revision}`}</span>${path !== '' && html` ${path}`}</a></h2>
      ${matchCount > 0 && html`<span class="quiet actions">${count(matchCount, 'match', 'matches')}</span>`}
    </div>
    ${chunks.map((chunk) => html`<div class="code" role="group" aria-label=${`Lines of ${path}`} tabindex="0">${codeLines({ markup: linesOf(file, chunk), from: chunk.startLine, path: page })}</div>`)}
  </article>`;
}

function linesOf({ matches }: FoundFile, { startLine, lines }: FoundFile['chunks'][number]): string[] {
  const rangesOf = new Map(matches.map(({ line, ranges }) => [line, ranges]));
  return lines.map((line, index) => {
    const ranges = rangesOf.get(startLine + index) ?? [];
    return markedLine(
      line,
      ranges.filter(([start]) => start < line.length),
    );
  });
}
