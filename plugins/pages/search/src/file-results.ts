import { filterPattern, hasMoreLines } from '@sextant/contracts';
import type { FoundFile, SearchResult } from '@sextant/contracts';
import { codeLines, count, fileName, html, markedLine, markedMarkup, noteList } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { addressOf } from './asked.ts';
import { againAddress, coloured } from './coloured.ts';
import type { Coloured } from './coloured.ts';
import { kindOf } from './kinds.ts';
import { nothingFound } from './nothing.ts';
import type { View } from './page.ts';
import { csvLink, moreLink, readingLink, whyLink } from './result-links.ts';
import { reasons } from './reasons.ts';

/** Files that are read whole for their colours. */
const mostRead = 20;

/** Files with the lines that match, paths or repositories, the best first. */
export async function fileResults(
  view: View,
  { result, milliseconds }: { result: SearchResult; milliseconds: number },
): Promise<Content> {
  const { files, limitHit, notSearched } = result;
  // A reason may be a note, too.
  const notes = [...new Set([...result.notes, ...(notSearched?.reasons ?? [])])];
  const shown = await Promise.all(files.map((file, index) => found(view, file, index < mostRead)));
  const isOfFiles = kindOf(view.asked.query) === 'file';
  const isScored = files.some(({ score }) => score) || (isOfFiles && !view.asked.explains);
  return html`<div class="between quiet"><p role="status">${summary(result)} · ${Math.max(1, Math.round(milliseconds))} ms</p><p class="row">${isOfFiles && readingLink(view.asked)} ${files.length > 0 && [isScored && whyLink(view.asked), ' ', csvLink(view.asked)]}</p></div>
    ${noteList(notes, files.length > 0)}
    ${
      files.length === 0
        ? nothingFound(view.asked, notes)
        : html`<ol class="results" data-coloured=${againAddress(
            view,
            shown.flatMap(({ pieces }) => pieces),
          )}>${shown.map(({ article }) => html`<li>${article}</li>`)}</ol>`
    }
    ${limitHit && files.length > 0 && moreLink(view.asked, files.length)}`;
}

function summary({ type, files, matchCount, fileCount, limitHit }: SearchResult): string {
  const more = limitHit ? ' or more' : '';
  const what = type === 'repo' ? count(fileCount, 'repository', 'repositories') : count(fileCount, 'file');
  const lines = type === 'file' ? `${count(matchCount, 'match', 'matches')}${more} in ` : '';
  const shown = files.length < fileCount ? `, ${files.length} shown` : '';
  return `${lines}${what}${type === 'file' ? '' : more}${shown}`;
}

async function found(
  view: View,
  file: FoundFile,
  isRead: boolean,
): Promise<{ article: Content; pieces: readonly Coloured[] }> {
  const { links, asked } = view;
  const { repo, path, revision, chunks, matchCount } = file;
  const target = { repo, path, ...(revision !== undefined && { revision }) };
  const page = new URL(links.file(target)).pathname;
  const [first] = file.matches;
  const href = first === undefined ? page : `${page}?L${first.line}`;
  const read = isRead ? () => view.read({ ...target, revision: file.commit || revision }) : undefined;
  const pieces = await Promise.all(
    chunks.map(async ({ startLine, lines }) => {
      const whole = read && { whole: { startLine, read } };
      return { from: startLine, lines, ...(await coloured(view, { path, lines, ...whole })) };
    }),
  );
  const article = html`<article class="panel found-file">
    <div class="panel-bar">
      <h2><a class="file-name" href=${href} data-result aria-label=${path === '' ? repo : `${repo} ${path}`}>${fileName({ path, place: revision === undefined ? repo : `${repo}@${revision}` })}</a></h2>
      ${matchCount > 0 && html`<span class="quiet actions">${count(matchCount, 'match', 'matches')}</span>`}
    </div>
    ${file.score && reasons(file.score)}
    ${pieces.map((piece) => html`<div class="code" role="group" aria-label=${`Lines of ${path}`} tabindex="0">${codeLines({ from: piece.from, markup: markedLines(file, piece), path: page })}</div>`)}
    ${pieces.length > 0 && hasMoreLines(file) && html`<p class="rest"><a href=${addressOf(asked, { query: `${asked.query} ${filtersOf(file)}` })}>All ${count(matchCount, 'match', 'matches')} of this file</a></p>`}
  </article>`;
  return { article, pieces };
}

const filtersOf = ({ repo, path }: FoundFile): string => `repo:^${filterPattern(repo)}$ file:^${filterPattern(path)}$`;

function markedLines(
  { matches }: FoundFile,
  { from, lines, markup }: { from: number; lines: readonly string[]; markup: Coloured['markup'] },
): string[] {
  const rangesOf = new Map(matches.map(({ line, ranges }) => [line, ranges]));
  return lines.map((line, index) => {
    const ranges = (rangesOf.get(from + index) ?? []).filter(([start]) => start < line.length);
    const code = markup?.[index];
    return code === undefined ? markedLine(line, ranges) : markedMarkup(code, ranges);
  });
}
