import type { Links } from '@sextant/contracts';
import { ago, count, emptyState, html, pagination, table, tag, withCode } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { pageSize } from './repositories.ts';
import type { ListedRepository, OverviewOf, RepositoryPage } from './repositories.ts';

export interface ShownList {
  readonly list: RepositoryPage;
  readonly overviewOf: OverviewOf;
  readonly links: Links;
}

/** The repositories that the viewer may read: what they are, and their state. A script asks for what came too late. */
export const repositoryList = (shown: ShownList): Content => {
  const { list } = shown;
  const isLate = list.rows.some((row) => shown.overviewOf(row) === 'later');
  const later = `/?${new URLSearchParams({ part: 'list', filter: list.filter, page: String(list.page) })}`;
  return html`<section class="stack" aria-labelledby="repositories" data-part=${isLate ? later : undefined}>
    <div class="between">
      <h2 id="repositories">${count(list.total, 'repository', 'repositories')}</h2>
      ${(list.total > 10 || list.filter !== '') && filterForm(list.filter)}
    </div>
    ${table({ caption: 'Repositories', columns: columns(shown), rows: list.rows, empty: nothing(list) })} ${pages(list)}
  </section>`;
};

const filterForm = (filter: string): Content =>
  html`<form class="row" action="/">
    <input type="text" class="short" name="filter" value=${filter} aria-label="Part of the name" placeholder="Part of the name" />
    <button class="button" type="submit">Filter</button>
  </form>`;

const nothing = ({ filter, total }: RepositoryPage): Content =>
  total === 0
    ? emptyState(
        'There is no repository that you may read.',
        'Whoever runs this server names them in its configuration.',
      )
    : emptyState(`No repository has “${filter}” in its name.`, html`<a href="/">Show all</a>`);

const columns = (shown: ShownList) => [
  { title: 'Name', cell: (row: ListedRepository) => named(row, overview(shown, row)?.description ?? '') },
  { title: 'Last change', cell: (row: ListedRepository) => newest(shown, row) },
  { title: 'Index', cell: ({ info, index }: ListedRepository) => stateOf(info, index) },
  ...(shown.list.rows.some(({ info }) => info.clone)
    ? [{ title: 'Last fetched', cell: ({ info }: ListedRepository) => fetched(info) }]
    : []),
];

function overview({ overviewOf }: ShownList, row: ListedRepository) {
  const found = overviewOf(row);
  return found === 'later' ? undefined : found;
}

/** What its code host says of it, else its read-me. */
function named({ info, path }: ListedRepository, described: string): Content {
  const text = info.description || described;
  return html`<div><a class="strong" href=${path}>${info.name}</a>${text !== '' && html`<br /><span class="quiet">${text}</span>`}</div>`;
}

function newest(shown: ShownList, row: ListedRepository): Content {
  const found = overview(shown, row)?.newest;
  if (!found) return undefined;
  const { commit, message, author, committer } = found;
  const link = new URL(shown.links.commit(row.info.name, commit)).pathname;
  return html`<div><a class="commit-title" href=${link}>${withCode(message.split('\n')[0] || commit.slice(0, 12))}</a><br /><span class="quiet">${author.name}, ${ago(committer.date)}</span></div>`;
}

function stateOf({ clone }: ListedRepository['info'], index: ListedRepository['index']): Content {
  if (clone?.state === 'cloning') return tag('Cloning', 'info');
  if (clone?.state === 'failed') return tag('Clone failed', 'danger');
  if (clone?.state === 'evicted')
    return html`${tag('Evicted', 'warning')} <span class="quiet">cloned again when you open it</span>`;
  if (!index) return html`<span class="quiet">Searched in place</span>`;
  if (index.state === 'indexing') return tag('Indexing', 'info');
  if (index.state === 'failed') return html`${tag('Failed', 'danger')} <span class="quiet">${index.reason}</span>`;
  return html`<span class="whole">${tag('Indexed', 'success')} <span class="quiet">${count(index.files, 'file')}</span></span>`;
}

function fetched({ clone }: ListedRepository['info']): Content {
  if (!clone) return html`<span class="quiet">Read in place</span>`;
  if (clone.evictedSince !== undefined) return html`<span class="quiet">Evicted ${ago(clone.evictedSince)}</span>`;
  return clone.fetched === undefined ? html`<span class="quiet">Not yet</span>` : ago(clone.fetched);
}

function pages({ page, matching, filter, rows }: RepositoryPage): Content {
  const at = (number: number): string =>
    `/?${new URLSearchParams({ ...(filter && { filter }), page: String(number) })}`;
  const first = (page - 1) * pageSize + 1;
  return pagination({
    ...(page > 1 && { previous: at(page - 1) }),
    ...(page * pageSize < matching && { next: at(page + 1) }),
    position: `${first}–${first + rows.length - 1} of ${matching}`,
  });
}
