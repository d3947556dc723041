import type { FoundFile, SearchResult } from '@sextant/contracts';
import { codeLines, count, emptyState, html, markedLine, markedMarkup, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import type { View } from './page.ts';
import { csvLink, moreLink, readingLink } from './result-links.ts';

/** Milliseconds that a page waits for colours. */
const waitMs = 80;

/** Files with the lines that match, paths or repositories, the best first. */
export async function fileResults(
  view: View,
  { result, milliseconds }: { result: SearchResult; milliseconds: number },
): Promise<Content> {
  const { type, files, limitHit, notSearched } = result;
  // A reason may be a note, too.
  const notes = new Set([...result.notes, ...(notSearched?.reasons ?? [])]);
  const shown = await Promise.all(files.map((file) => found(view, file)));
  return html`<div class="between quiet"><p role="status">${summary(result)} in ${Math.max(1, Math.round(milliseconds))} ms</p><p class="row">${type !== 'repo' && readingLink(view.asked)} ${files.length > 0 && csvLink(view.asked)}</p></div>
    ${[...notes].map((note) => notice('info', note))}
    ${files.length === 0 ? nothing(view) : html`<ol class="results">${shown.map((article) => html`<li>${article}</li>`)}</ol>`}
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
      : 'All words must be in one file: try fewer, join them with OR, or ask a question in plain words.',
  );

async function found({ links, colours }: View, file: FoundFile): Promise<Content> {
  const { repo, path, revision, chunks, matchCount } = file;
  const target = { repo, path, ...(revision !== undefined && { revision }) };
  const page = new URL(links.file(target)).pathname;
  const [first] = file.matches;
  const href = first === undefined ? page : `${page}?L${first.line}`;
  const pieces = await Promise.all(
    chunks.map(async (chunk) => ({ from: chunk.startLine, markup: await linesOf(file, chunk, colours) })),
  );
  return html`<article class="panel found-file">
    <div class="panel-bar">
      <h2><a href=${href} data-result><span class="quiet">${repo}${revision !== undefined && `@${revision}`}</span>${path !== '' && html` ${path}`}</a></h2>
      ${matchCount > 0 && html`<span class="quiet actions">${count(matchCount, 'match', 'matches')}</span>`}
    </div>
    ${pieces.map((piece) => html`<div class="code" role="group" aria-label=${`Lines of ${path}`} tabindex="0">${codeLines({ ...piece, path: page })}</div>`)}
  </article>`;
}

async function linesOf(
  { path, matches }: FoundFile,
  { startLine, lines }: FoundFile['chunks'][number],
  colours: View['colours'],
): Promise<string[]> {
  const rangesOf = new Map(matches.map(({ line, ranges }) => [line, ranges]));
  const coloured = await colours?.markup({ path, lines }, waitMs);
  return lines.map((line, index) => {
    const ranges = (rangesOf.get(startLine + index) ?? []).filter(([start]) => start < line.length);
    const markup = coloured?.[index];
    return markup === undefined ? markedLine(line, ranges) : markedMarkup(markup, ranges);
  });
}
