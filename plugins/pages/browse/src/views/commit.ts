import { joinSignals, timeoutSignal } from '@sextant/core';
import type { CommitDetails, CommitPerson, Comparison, Ref, RefList } from '@sextant/contracts';
import {
  ago,
  count,
  fragmentResponse,
  html,
  htmlResponse,
  linkButton,
  moment,
  notice,
  pagination,
  withCode,
} from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { fileChanges, isColouredPart, sidesOf } from '../render/diff.ts';
import { browseModule } from '../assets.ts';
import { heading } from '../render/heading.ts';
import { linkTo } from '../visit.ts';
import type { Visit } from '../visit.ts';
import { changesInTime, isChangesPart } from './changes-in-time.ts';
import { positionOf } from './page-position.ts';
import type { PagePosition } from './page-position.ts';

export const filesPerPage = 50;
/** Milliseconds that a page waits for the branches and tags that have a commit, and that its script waits for late ones. */
const waitForRefsMs = { page: 30, part: 5000 };
const mostRefs = 1000;
const mostBranchesShown = 3;

/** A commit: who made it, what it says, and what it changed since its first parent. */
export async function showCommit(visit: Visit): Promise<Response> {
  const { repository, address, call } = visit;
  const hash = await repository.resolve(address.rest || address.revision, call.signal);
  const commit = await repository.readCommit(hash, call.signal);
  if (isColouredPart(visit)) return fragmentResponse(await changesOf(visit, commit));
  const changed = (given: Visit): Promise<Content> => changesOf(given, commit);
  if (isChangesPart(visit)) return fragmentResponse(await changesInTime(visit, changed));
  const isRefsPart = visit.query.get('part') === 'refs';
  const reached = refsWith(visit, hash, isRefsPart ? waitForRefsMs.part : waitForRefsMs.page);
  if (isRefsPart) return fragmentResponse(refsSection(visit, await reached));
  const [refs, changes] = await Promise.all([
    reached,
    commit.isCut ? notice('info', historyBeginsHere) : changesInTime(visit, changed),
  ]);
  const title = commit.message.split('\n')[0] ?? '';
  return htmlResponse({
    ...visit.frame,
    modules: [browseModule.path],
    title: `${title || hash.slice(0, 12)} · ${address.repo}`,
    body: html`${heading(visit, '', { title: html`Commit <span class="mono">${hash.slice(0, 12)}</span>` })} ${about(visit, commit, refs)}
      ${changes}`,
  });
}

const historyBeginsHere =
  'The history that the server has begins with this commit (a shallow clone): what it changed is not known.';

async function changesOf(visit: Visit, { commit: head, parents: [base = ''] }: CommitDetails): Promise<Content> {
  const { repository, call, query } = visit;
  const position = positionOf(query.get('page'), filesPerPage);
  const { offset, limit } = position;
  const changes = await repository.compare({ base, head, offset, limit }, call.signal);
  return html`${summary(changes)}
    ${await fileChanges(visit, changes.files, sidesOf(visit, base, head))}
    ${filePages(pagesOf(visit, linkTo(visit, 'commit', head)), changes, position)}`;
}

function about(
  visit: Visit,
  { commit, parents: all, author, committer, message, isCut = false }: CommitDetails,
  refs: RefList | undefined,
): Content {
  const parents = isCut ? [] : all;
  const [title = '', ...rest] = message.split('\n');
  const body = rest.join('\n').trim();
  const isOther = committer.name !== author.name || committer.email !== author.email;
  return html`<section class="card commit">
    <div class="between">
      <h2>${title === '' ? 'No message' : withCode(title)}</h2>
      ${linkButton('Browse files', linkTo(visit, 'tree', { path: '', revision: commit }), { kind: 'plain', isSmall: true })}
    </div>
    ${body !== '' && html`<pre class="message">${withLinks(body)}</pre>`}
    <div class="between quiet">
      <span><strong title=${author.email}>${author.name}</strong> wrote it ${when(author)}${isOther && html`, <strong title=${committer.email}>${committer.name}</strong> committed it ${when(committer)}`}</span>
      <span class="row">${parents.length > 0 && html`<span>${count(parents.length, 'parent').replace(/^\d+ /, '')} ${parents.map((parent) => html`<a class="mono" href=${linkTo(visit, 'commit', { path: parent, revision: '' })}>${parent.slice(0, 12)}</a> `)}</span>`}
        <code id="commit-hash">${commit}</code><button class="button small plain" type="button" data-copy="commit-hash" aria-label="Copy the hash" hidden>Copy</button></span>
    </div>
    ${refsSection(visit, refs) ?? html`<section data-part=${linkTo(visit, 'commit', { path: commit, query: { part: 'refs' } })}></section>`}
  </section>`;
}

/** The branches and tags from which a commit is reached; undefined where that takes longer, or fails: the page is of use without. */
async function refsWith(
  { repository, call }: Visit,
  commit: string,
  milliseconds: number,
): Promise<RefList | undefined> {
  const signal = joinSignals(call.signal, timeoutSignal(milliseconds));
  try {
    return await repository.listRefs({ types: ['branch', 'tag'], containsCommit: commit, limit: mostRefs }, signal);
  } catch {
    call.signal.throwIfAborted();
    return undefined;
  }
}

/** The first branches, and the tag that had the commit first: the oldest one. */
function refsSection(visit: Visit, found: RefList | undefined): Content {
  if (!found) return undefined;
  const { refs, hasMore } = found;
  const branches = refs.filter(({ type }) => type === 'branch');
  const tags = refs.filter(({ type }) => type === 'tag');
  const oldest = hasMore ? undefined : tags.at(-1);
  const others = branches.length - mostBranchesShown;
  const link = ({ name }: Ref): Content =>
    html`<a href=${linkTo(visit, 'tree', { path: '', revision: name })}>${name}</a>`;
  const later = count(tags.length - 1, 'later tag');
  return html`<section class="quiet">
    ${branches.length === 0 ? 'On no branch' : html`On ${branches.slice(0, mostBranchesShown).map((branch, index) => [index > 0 && ', ', link(branch)])}`}${others > 0 && ` and ${count(others, 'other branch', 'other branches')}`}${
      oldest
        ? html`; first in tag ${link(oldest)}${tags.length > 1 && `, and in ${later}`}`
        : `; in ${tags.length === 0 ? 'no tag' : `${count(tags.length, 'tag')}`}`
    }${hasMore && ' or more'}.
  </section>`;
}

/** A message whose addresses are links. */
const withLinks = (text: string): Content =>
  text
    .split(/(\bhttps?:\/\/[^\s<>"`]*[^\s<>"`.,:;!?)\]'])/)
    .map((part, index) =>
      index % 2 === 0 ? part : html`<a href=${part} rel="nofollow noopener noreferrer">${part}</a>`,
    );

const when = ({ date }: CommitPerson): Content => html`${ago(date)} (${moment(date)})`;

/** How much changed, in numbers. */
export function summary({ totalFiles, totalAdded, totalDeleted, atLeast, notes }: Comparison): Content {
  const [files, lines] = (['files', 'lines'] as const).map((each) => atLeast.includes(each) && 'at least ');
  return html`<p>
      ${files}<strong>${count(totalFiles, 'file')}</strong> changed, ${lines}<span class="plus">+${totalAdded}</span> <span class="minus">−${totalDeleted}</span>
    </p>
    ${notes.map((note) => html`<p class="quiet note">${note}</p>`)}`;
}

/** The address of a page of changes without its number: the others are seen in the same way. */
export function pagesOf({ query }: Visit, path: string): string {
  const kept = new URLSearchParams([...query].filter(([name]) => name === 'view' || name === 'below'));
  return kept.size === 0 ? path : `${path}?${kept}`;
}

/** Links through the files of a change. */
export function filePages(path: string, { files, totalFiles }: Comparison, { page, offset }: PagePosition): Content {
  const at = (number: number): string => `${path}${path.includes('?') ? '&' : '?'}page=${number}`;
  return pagination({
    ...(page > 1 && { previous: at(page - 1) }),
    ...(offset + files.length < totalFiles && { next: at(page + 1) }),
    position: `Files ${offset + 1}–${offset + files.length} of ${totalFiles}`,
  });
}
