import { filterPattern } from '@sextant/contracts';
import type { Commit } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import { ago, emptyState, html, htmlResponse, linkButton, notice, pagination, withCode } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { browseModule } from '../assets.ts';
import { heading } from '../render/heading.ts';
import { commitOf, linkTo, markedLines, pathGlobs, repoFilter } from '../visit.ts';
import type { Visit } from '../visit.ts';
import { showLineHistory } from './line-history.ts';
import { positionOf } from './page-position.ts';
import type { PagePosition } from './page-position.ts';

const perPage = 50;
/** Beyond it people search: commit_search has dates, authors and words. */
const lastPage = 40;

/** The history of a repository, a folder or a file, newest first. */
export async function showCommits(visit: Visit): Promise<Response> {
  const { address, query } = visit;
  const lines = markedLines(visit.search);
  if (lines && address.rest !== '') return showLineHistory(visit, lines);
  const asked = positionOf(query.get('page'), perPage);
  const position = positionOf(String(Math.min(asked.page, lastPage)), perPage);
  const { results, notes } = await historyOf(visit, [await commitOf(visit)], {
    count: position.offset + perPage + 1,
    paths: pathGlobs(address.rest),
  });
  const shown = results.slice(position.offset, position.offset + perPage);
  return htmlResponse({
    ...visit.frame,
    modules: [browseModule.path],
    title: `History of ${address.rest || address.repo}`,
    body: html`${heading(visit, address.rest, { title: 'History', actions: searchThese(visit) })}
      ${notes.map((note) => notice('info', note))}
      ${shown.length > 0 ? byMonth(visit, shown) : emptyState('There are no commits here.')}
      ${pages(visit, position, results.length)}`,
  });
}

/** Commits that some revisions reach (`^` before one: do not), newest first. Throws where nothing reads history. */
export function historyOf(
  { services, call, address }: Visit,
  revisions: readonly string[],
  { count, paths = [] }: { readonly count: number; readonly paths?: readonly string[] },
) {
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
      paths,
      count,
      isRegex: false,
    },
    call.signal,
  );
}

/** The commits of each month below its name. */
const byMonth = (visit: Visit, commits: readonly Commit[]): Content =>
  html`<div class="stack">
    ${[...Map.groupBy(commits, ({ date }) => date.slice(0, 7))].map(
      ([month, ofMonth]) =>
        html`<section class="month" aria-label=${monthTitle.format(new Date(month))}><h2 class="quiet">${monthTitle.format(new Date(month))}</h2>${commitList(visit, ofMonth)}</section>`,
    )}
  </div>`;

const monthTitle = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'long', timeZone: 'UTC' });

/** A search in this history, by author, words or changed lines. */
function searchThese({ frame, address }: Visit): Content {
  if (!frame.navigation.some(({ path }) => path === '/search')) return undefined;
  const file = address.rest === '' ? '' : ` file:^${filterPattern(address.rest)}(/|$)`;
  const query = `type:commit ${repoFilter(address.repo)}${file} `;
  return linkButton('Search the history', `/search?${new URLSearchParams({ q: query })}`, {
    kind: 'plain',
    isSmall: true,
  });
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
      <a href=${linkTo(visit, visit.address.rest === '' ? 'tree' : 'blob', { path: visit.address.view === 'commits' ? visit.address.rest : '', revision: commit })}>At this commit</a>
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
