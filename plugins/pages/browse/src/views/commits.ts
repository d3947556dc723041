import type { BlamedLine, Commit } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import { ago, count, emptyState, html, htmlResponse, notice, pagination, withCode } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { browseModule } from '../assets.ts';
import { heading } from '../render/heading.ts';
import { commitOf, linesQuery, linkTo, markedLines, pathGlobs } from '../visit.ts';
import type { Visit } from '../visit.ts';
import { positionOf } from './page-position.ts';
import type { PagePosition } from './page-position.ts';

const perPage = 50;
/** Beyond it people search: commit_search has dates, authors and words. */
const lastPage = 40;

/** The history of a repository, a folder or a file, newest first. */
export async function showCommits(visit: Visit): Promise<Response> {
  const { address, query } = visit;
  const lines = markedLines(visit.search);
  if (lines && address.rest !== '') return showCommitsOfLines(visit, lines);
  const asked = positionOf(query.get('page'), perPage);
  const position = positionOf(String(Math.min(asked.page, lastPage)), perPage);
  const { results, notes } = await historyOf(visit, [await commitOf(visit)], position.offset + perPage + 1);
  const shown = results.slice(position.offset, position.offset + perPage);
  return htmlResponse({
    ...visit.frame,
    modules: [browseModule.path],
    title: `History of ${address.rest || address.repo}`,
    body: html`${heading(visit, address.rest)}
      <div class="between">
        <h2>History</h2>
        <a class="button small" href=${linkTo(visit, 'tree', address.rest)}>${address.rest === '' ? 'Files' : 'As it is now'}</a>
      </div>
      ${notes.map((note) => notice('info', note))}
      ${shown.length > 0 ? commitList(visit, shown) : emptyState('There are no commits here.')}
      ${pages(visit, position, results.length)}`,
  });
}

/** The commits that some lines of a file come from, newest first, each with the way to the lines before it. */
async function showCommitsOfLines(visit: Visit, [startLine, endLine]: readonly [number, number]): Promise<Response> {
  const { address, repository, call } = visit;
  const path = address.rest;
  const commit = await commitOf(visit);
  const blamed = await repository.blame({ commit, path, startLine, endLine }, call.signal);
  const groups = [...Map.groupBy(blamed, (line) => line.commit).values()].toSorted((a, b) =>
    (a[0]?.author.date ?? '') < (b[0]?.author.date ?? '') ? 1 : -1,
  );
  const title = startLine === endLine ? `line ${startLine}` : `lines ${startLine}–${endLine}`;
  return htmlResponse({
    ...visit.frame,
    modules: [browseModule.path],
    title: `History of ${title} of ${path}`,
    body: html`${heading(visit, path)}
      <div class="between">
        <h2>History of ${title}</h2>
        <div class="row">
          <a class="button small" href=${linkTo(visit, 'blob', path) + linesQuery(startLine, endLine)}>The lines</a>
          <a class="button small" href=${linkTo(visit, 'commits', path)}>History of the file</a>
        </div>
      </div>
      <ul class="panel commits">${groups.map((lines) => html`<li>${blamedLine(visit, lines)}</li>`)}</ul>`,
  });
}

function blamedLine(visit: Visit, lines: readonly BlamedLine[]): Content {
  const [first] = lines;
  if (!first) return undefined;
  const { commit, title, author, date } = { ...first, date: first.author.date, author: first.author.name };
  const link = linkTo(visit, 'commit', { path: commit, revision: '' });
  const before = { path: visit.address.rest, query: { before: commit, line: String(first.line) } };
  return html`<div>
      <a class="strong" href=${link}>${title === '' ? 'No message' : withCode(title)}</a><br />
      <span class="quiet">${author}, ${ago(date)}, ${count(lines.length, 'line')} of these</span>
    </div>
    <div class="actions">
      <a class="mono" href=${link} aria-label=${`Commit ${commit.slice(0, 12)}`}>${commit.slice(0, 12)}</a>
      <a href=${linkTo(visit, 'blame', before)} rel="nofollow">Before this change</a>
    </div>`;
}

/** Commits that some revisions reach (`^` before one: do not), newest first. Throws where nothing reads history. */
export function historyOf({ services, call, address }: Visit, revisions: readonly string[], most: number) {
  const { history } = services;
  if (!history) throw new SextantError('unavailable', 'the history of repositories is switched off on this server');
  return history.commits(
    call.caller,
    {
      repositories: [address.repo],
      revisions,
      messages: [],
      authors: [],
      contents: [],
      paths: address.view === 'commits' ? pathGlobs(address.rest) : [],
      count: most,
      isRegex: false,
    },
    call.signal,
  );
}

/** Commits, each with the way to it and to the files as they were. */
export const commitList = (visit: Visit, commits: readonly Commit[]): Content =>
  html`<ul class="panel commits">${commits.map((commit) => html`<li>${line(visit, commit)}</li>`)}</ul>`;

const line = (visit: Visit, { commit, title, author, date }: Commit): Content =>
  html`<div>
      <a class="strong" href=${linkTo(visit, 'commit', { path: commit, revision: '' })}>${title === '' ? 'No message' : withCode(title)}</a><br />
      <span class="quiet">${author.name}, ${ago(date)}</span>
    </div>
    <div class="actions">
      <a class="mono" href=${linkTo(visit, 'commit', { path: commit, revision: '' })} aria-label=${`Commit ${commit.slice(0, 12)}`}>${commit.slice(0, 12)}</a>
      <a href=${linkTo(visit, visit.address.rest === '' ? 'tree' : 'blob', { path: visit.address.view === 'commits' ? visit.address.rest : '', revision: commit })}>Files then</a>
    </div>`;

function pages(visit: Visit, { page, offset }: PagePosition, found: number): Content {
  const at = (number: number): string =>
    linkTo(visit, 'commits', { path: visit.address.rest, query: { page: String(number) } });
  return pagination({
    ...(page > 1 && { previous: at(page - 1) }),
    ...(found > offset + perPage && page < lastPage && { next: at(page + 1) }),
    position: `${offset + 1}–${Math.min(found, offset + perPage)}`,
  });
}
