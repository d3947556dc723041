import type { Ref } from '@sextant/contracts';
import { html, htmlResponse, moment, notice, table, tabs, tag } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { heading } from '../render/heading.ts';
import { linkTo } from '../visit.ts';
import type { Visit } from '../visit.ts';

const mostRefs = 500;

/** Branches or tags, each with the way to the same path there. */
export async function showRefs(visit: Visit): Promise<Response> {
  const { repository, address, call, query } = visit;
  const type = query.get('type') === 'tag' ? 'tag' : 'branch';
  const { refs, hasMore, notes = [] } = await repository.listRefs({ types: [type], limit: mostRefs }, call.signal);
  const tab = (title: string, value: string) => ({
    title,
    path: linkTo(visit, 'refs', { path: address.rest, query: { type: value } }),
    isCurrent: value === type,
  });
  return htmlResponse({
    ...visit.frame,
    title: `Branches and tags · ${address.repo}`,
    body: html`${heading(visit, address.rest)} ${tabs('Kinds', [tab('Branches', 'branch'), tab('Tags', 'tag')])}
      ${table({ caption: type === 'tag' ? 'Tags' : 'Branches', columns: columns(visit), rows: refs, empty: 'There are none.' })}
      ${hasMore && notice('info', `Only the first ${mostRefs} are listed.`)} ${notes.map((note) => notice('warning', note))}`,
  });
}

const columns = (visit: Visit) => [
  {
    title: 'Name',
    cell: (ref: Ref): Content =>
      html`<a class="strong" href=${there(visit, ref)}>${ref.name}</a> ${ref.isDefault && tag('default', 'info')}`,
  },
  { title: 'Last change', cell: ({ date }: Ref): Content => moment(date) },
  {
    title: 'Commit',
    cell: ({ commit }: Ref): Content =>
      html`<a class="mono" href=${linkTo(visit, 'commit', { path: commit, revision: '' })}>${commit.slice(0, 12)}</a>`,
  },
  { title: '', cell: (ref: Ref): Content => html`<a href=${compareWith(visit, ref)}>Compare</a>` },
];

const there = (visit: Visit, { name }: Ref): string =>
  linkTo(visit, visit.address.rest === '' ? 'tree' : 'blob', { path: visit.address.rest, revision: name });

const compareWith = (visit: Visit, { name }: Ref): string =>
  linkTo(visit, 'compare', { path: `${visit.repository.info.defaultBranch}...${name}`, revision: '' });
