import { filterPattern } from '@sextant/contracts';
import type { TreeEntry } from '@sextant/contracts';
import { oneLine } from '@sextant/core';
import {
  ago,
  count,
  emptyState,
  fragmentResponse,
  html,
  htmlResponse,
  linkButton,
  notice,
  withCode,
} from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { browseModule } from '../assets.ts';
import { aboutFolder } from '../render/about.ts';
import { treePart } from '../render/file-tree.ts';
import { heading } from '../render/heading.ts';
import { lastCommits } from '../render/last-commits.ts';
import type { LastCommit } from '../render/last-commits.ts';
import { renderMarkdown } from '../render/markdown.ts';
import { commitOf, linkTo, repoFilter, within } from '../visit.ts';
import type { Visit } from '../visit.ts';
import { redirect } from './redirect.ts';

const mostEntries = 2000;
/** Milliseconds that a page waits for the last commits and what stands beside the files. A script fetches later ones. */
const waitMs = 60;
const readme = /^readme(\.(md|markdown|mkd))?$/i;

/** A folder, with its read-me below it. */
export async function showTree(visit: Visit): Promise<Response> {
  const { repository, address, call } = visit;
  const path = address.rest.replace(/\/$/, '');
  const commit = await commitOf(visit).catch((error: unknown) => {
    if (address.revision === undefined && path === '') return undefined;
    throw error;
  });
  if (commit === undefined)
    return htmlResponse({
      ...visit.frame,
      title: address.repo,
      body: html`${heading(visit, path)} ${emptyState('This repository has no commits yet.')}`,
    });
  const { kind } = await repository.find(commit, path, call.signal);
  if (kind !== 'directory') return redirect(linkTo(visit, 'blob', path));
  const part = visit.query.get('part');
  if (part === '') return fragmentResponse(await treePart(visit, commit, path));
  if (part === 'about') return fragmentResponse(await aboutFolder(visit, commit, path));
  const { entries, isTruncated } = await repository.listTree({ commit, path, limit: mostEntries }, call.signal);
  const folder = { commit, path, entries };
  if (part === 'commits') return fragmentResponse(list(visit, folder, await lastCommits(visit, folder)));
  const [commits, about] = await Promise.all([
    visit.services.history ? within(waitMs, lastCommits(visit, folder)) : new Map<string, LastCommit>(),
    within(waitMs, aboutFolder(visit, commit, path)),
  ]);
  const files = html`<div class="stack">
    ${list(visit, folder, commits)}
    ${isTruncated && notice('warning', `Only the first ${count(mostEntries, 'entry', 'entries')} are shown.`)}
    ${await readmeOf(visit, commit, entries)}
  </div>`;
  const later = html`<aside class="about" data-part=${linkTo(visit, 'tree', { path, query: { part: 'about' } })}></aside>`;
  return page(visit, path, html`<div class="repository">${files} ${about ?? later}</div>`);
}

const page = (visit: Visit, path: string, body: Content): Response =>
  htmlResponse({
    ...visit.frame,
    modules: [browseModule.path],
    title: path === '' ? visit.address.repo : `${oneLine(path)} · ${visit.address.repo}`,
    body: html`${heading(visit, path, { actions: actions(visit, path) })} ${body}`,
  });

const actions = (visit: Visit, path: string): Content => [
  searchHere(visit, path),
  linkButton('History', linkTo(visit, 'commits', path), { kind: 'plain', isSmall: true }),
  linkButton('Compare', compareHere(visit, path), { kind: 'plain', isSmall: true }),
];

/** What a revision that was chosen has new in this folder; else a comparison of which the revisions are to be chosen. */
function compareHere(visit: Visit, path: string): string {
  const { address, repository } = visit;
  const isChosen = address.revision !== undefined && address.revision !== repository.info.defaultBranch;
  const pair = isChosen ? `${repository.info.defaultBranch}...${address.revision}` : '';
  return linkTo(visit, 'compare', { path: pair, revision: '', ...(path !== '' && { query: { below: path } }) });
}

/** A search that begins with this repository, at the revision that is looked at. */
function searchHere({ frame, address }: Visit, path: string): Content {
  if (!frame.navigation.some(({ path }) => path === '/search')) return undefined;
  const at = address.revision === undefined ? '' : `@${address.revision}`;
  const file = path === '' ? '' : ` file:^${filterPattern(path)}/`;
  const query = `${repoFilter(address.repo)}${at}${file} `;
  return linkButton('Search here', `/search?${new URLSearchParams({ q: query })}`, { kind: 'plain', isSmall: true });
}

/** The entries of a folder, each with the last commit that changed it. Where that is not known yet a script replaces the list. */
const list = (
  visit: Visit,
  { path, entries }: ShownFolder,
  commits: ReadonlyMap<string, LastCommit> | undefined,
): Content =>
  html`<nav class="panel" aria-label="Files" data-part=${commits ? undefined : linkTo(visit, 'tree', { path, query: { part: 'commits' } })}>
    ${newest(visit, commits)}
    <ul class="tree">
      ${path !== '' && html`<li><a class="entry" href=${linkTo(visit, 'tree', path.split('/').slice(0, -1).join('/'))}>${folderMark}<span>..</span></a></li>`}
      ${entries.map((entry) => html`<li>${line(visit, entry)}${lastChange(visit, commits?.get(entry.path))}</li>`)}
    </ul>
  </nav>`;

/** The newest commit of a folder: that of the entry which changed last. */
function newest(visit: Visit, commits: ReadonlyMap<string, LastCommit> | undefined): Content {
  const [last] = [...(commits?.values() ?? [])].toSorted((a, b) => (a.date < b.date ? 1 : -1));
  if (!last) return undefined;
  const link = linkTo(visit, 'commit', { path: last.commit, revision: '' });
  return html`<div class="panel-bar newest">
    <strong>${last.author.name}</strong>
    <a href=${link}>${withCode(last.title)}</a>
    <a class="mono" href=${link} aria-label=${`Commit ${last.commit.slice(0, 12)}`}>${last.commit.slice(0, 12)}</a>
    <span class="quiet">${ago(last.date)}</span>
  </div>`;
}

interface ShownFolder {
  readonly commit: string;
  readonly path: string;
  readonly entries: readonly TreeEntry[];
}

const lastChange = (visit: Visit, found: LastCommit | undefined): Content =>
  found &&
  html`<a class="last" href=${linkTo(visit, 'commit', { path: found.commit, revision: '' })} title=${`${found.author.name}: ${found.title}`}>${withCode(found.title)}</a>
    <span class="when">${ago(found.date)}</span>`;

function line(visit: Visit, { path, kind }: TreeEntry): Content {
  const name = oneLine(path.slice(path.lastIndexOf('/') + 1));
  const view = kind === 'directory' ? 'tree' : 'blob';
  const hint = kind === 'symlink' ? 'link' : kind === 'submodule' ? 'submodule' : undefined;
  return html`<a class="entry" href=${linkTo(visit, view, path)}>${kind === 'directory' ? folderMark : fileMark}<span>${name}</span></a>
    ${hint && html`<span class="tag">${hint}</span>`}`;
}

async function readmeOf(visit: Visit, commit: string, entries: readonly TreeEntry[]): Promise<Content> {
  const found = entries.find(({ path, kind }) => kind === 'file' && readme.test(path.slice(path.lastIndexOf('/') + 1)));
  if (!found) return undefined;
  const { repository, call } = visit;
  const entry = await repository.find(commit, found.path, call.signal);
  const file = await repository.readText(commit, found.path, call.signal).catch(() => undefined);
  if (!file) return undefined;
  const shown = { visit, commit, path: found.path, entry };
  return html`<section class="panel" aria-label=${found.path}>
    <div class="panel-bar"><h2>${found.path.slice(found.path.lastIndexOf('/') + 1)}</h2></div>
    ${/\.\w+$/.test(found.path) ? await renderMarkdown(shown, file.text) : html`<pre class="text">${file.text}</pre>`}
  </section>`;
}

const folderMark = html`<svg width="16" height="16" viewBox="0 0 16 16" fill="currentColor" class="folder" aria-hidden="true">
  <path d="M1.5 3.5A1 1 0 0 1 2.5 2.5h3.2l1.6 1.8h6.2a1 1 0 0 1 1 1v7.2a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1Z" />
</svg>`;
const fileMark = html`<svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.2" aria-hidden="true">
  <path d="M3.5 1.75h5.75L12.5 5v9.25h-9Z M9 1.75V5.2h3.5" stroke-linejoin="round" />
</svg>`;
