import { SextantError } from '@sextant/core';
import { count, emptyState, fragmentResponse, html, htmlResponse, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { fileChanges, isColouredPart, sidesOf } from '../render/diff.ts';
import { browseModule } from '../assets.ts';
import { heading, shortRevision } from '../render/heading.ts';
import { linkTo, pathGlobs } from '../visit.ts';
import type { Visit } from '../visit.ts';
import { changesInTime, isChangesPart } from './changes-in-time.ts';
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
  const below = (query.get('below') ?? '').replace(/^\/+|\/+$/g, '');
  const compared = { commits, head: pair[1], base: pair[0], below };
  if (isColouredPart(visit)) return fragmentResponse((await filesOf(visit, compared)).files);
  const changes = await changesInTime(visit, (given) => changesBetween(given, compared));
  if (isChangesPart(visit)) return fragmentResponse(changes);
  return htmlResponse({
    ...visit.frame,
    modules: [browseModule.path],
    title: `${pair.map(shortRevision).join('...')} · ${address.repo}`,
    body: html`${heading(visit, '', { title: 'Compare' })} ${chooser(visit, pair, below)}
      ${note !== undefined && notice('info', note)} ${changes}`,
  });
}

interface Compared {
  readonly commits: { readonly base: string; readonly head: string };
  /** As the visitor named them. */
  readonly base: string;
  readonly head: string;
  readonly below: string;
}

async function changesBetween(visit: Visit, compared: Compared): Promise<Content> {
  const { commits, base, head, below } = compared;
  const [between, { changes, files, position }] = await Promise.all([
    commitsBetween(visit, commits, below),
    filesOf(visit, compared),
  ]);
  const pages = pagesOf(visit, linkTo(visit, 'compare', visit.address.rest));
  return html`${between}
    ${changes.totalFiles === 0 ? emptyState('There is nothing to compare.', `${head} has nothing${below === '' ? '' : ` in ${below}`} that ${base} lacks.`) : summary(changes)}
    ${files} ${filePages(pages, changes, position)}`;
}

async function filesOf(visit: Visit, { commits, below }: Compared) {
  const { repository, call, query } = visit;
  const position = positionOf(query.get('page'), filesPerPage);
  const { offset, limit } = position;
  const changes = await repository.compare({ ...commits, offset, limit, below }, call.signal);
  const files = await fileChanges(visit, changes.files, sidesOf(visit, commits.base, commits.head));
  return { changes, files, position };
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
