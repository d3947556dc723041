import { SextantError } from '@sextant/core';
import { count, emptyState, fragmentResponse, html, htmlResponse, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { fileChanges, isColouredPart, sidesOf } from '../render/diff.ts';
import { browseModule } from '../assets.ts';
import { heading, shortRevision } from '../render/heading.ts';
import { linkTo, pathGlobs } from '../visit.ts';
import type { Visit } from '../visit.ts';
import { filePages, filesPerPage, pagesOf, summary } from './commit.ts';
import { commitList, historyOf } from './commits.ts';
import { positionOf } from './page-position.ts';

const mostCommits = 50;
/** More stand folded above the changes. */
const mostOpenCommits = 5;

/** What `head` changed since it left `base`, as a pull request shows it. */
export async function showComparison(visit: Visit): Promise<Response> {
  const { repository, address, call, query } = visit;
  const [, base = '', head = ''] = /^(.*?)\.\.\.(.*)$/s.exec(address.rest) ?? [];
  if (base === '' && head === '')
    return htmlResponse({
      ...visit.frame,
      modules: [browseModule.path],
      title: 'Compare',
      body: html`${heading(visit, '', { title: 'Compare' })} ${chooser(visit, [visit.repository.info.defaultBranch, ''], query.get('below') ?? '')}`,
    });
  const pair = [base || repository.info.defaultBranch, head || repository.info.defaultBranch] as const;
  const { note, ...commits } = await repository.mergeBase(...pair, call.signal);
  const { offset, limit, ...position } = positionOf(query.get('page'), filesPerPage);
  const below = (query.get('below') ?? '').replace(/^\/+|\/+$/g, '');
  const changes = await repository.compare({ ...commits, offset, limit, below }, call.signal);
  const files = await fileChanges(visit, changes.files, sidesOf(visit, commits.base, commits.head));
  if (isColouredPart(visit)) return fragmentResponse(files);
  return htmlResponse({
    ...visit.frame,
    modules: [browseModule.path],
    title: `${pair.map(shortRevision).join('...')} · ${address.repo}`,
    body: html`${heading(visit, '', { title: 'Compare' })} ${chooser(visit, pair, below)}
      ${await commitsBetween(visit, commits, below)}
      ${note !== undefined && notice('info', note)}
      ${changes.totalFiles === 0 ? emptyState('There is nothing to compare.', `${pair[1]} has nothing${below === '' ? '' : ` in ${below}`} that ${pair[0]} lacks.`) : summary(changes)}
      ${files}
      ${filePages(pagesOf(visit, linkTo(visit, 'compare', address.rest)), changes, { ...position, offset, limit })}`,
  });
}

/** The form without a script: it leads to the address that the two revisions have. */
const chooser = (visit: Visit, [base, head]: readonly [string, string], below: string): Content => {
  const swapped = linkTo(visit, 'compare', { path: `${head}...${base}`, revision: '' });
  const refs = linkTo(visit, 'refs', { path: '', revision: '' });
  return html`<form class="row compare" action=${linkTo(visit, 'compare', { path: '', revision: '' })}>
    <label>From <input name="base" value=${base} required data-refs-for=${refs} autocapitalize="none" spellcheck="false" /></label>
    <label>to <input name="head" value=${head} required autofocus=${head === ''} data-refs-for=${refs} autocapitalize="none" spellcheck="false" /></label>
    <label>in <input name="below" value=${below} placeholder="All files" aria-label="Folder or file" autocapitalize="none" spellcheck="false" /></label>
    <button class="button" type="submit">Compare</button>
    ${head !== '' && html`<a class="button plain" href=${below === '' ? swapped : `${swapped}?${new URLSearchParams({ below })}`} title="The other way round">⇄</a>`}
  </form>`;
};

async function commitsBetween(
  visit: Visit,
  { base, head }: { base: string; head: string },
  below: string,
): Promise<Content> {
  if (!visit.services.history || base === head) return undefined;
  const range = [head, `^${base}`];
  const wanted = { count: mostCommits, paths: pathGlobs(below) };
  const { results, isLimited } = await historyOf(visit, range, wanted).catch((error: unknown) => {
    if (error instanceof SextantError && error.code === 'not_found') return { results: [], isLimited: false };
    throw error;
  });
  if (results.length === 0) return undefined;
  return html`<details class="stack" open=${results.length <= mostOpenCommits}>
    <summary>${count(results.length, 'commit')}${isLimited && ' or more'}</summary>
    ${commitList(visit, results)}
  </details>`;
}
