import { ago, count, emptyState, html, pagination, table, tag } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { pageSize } from './repositories.ts';
import type { ListedRepository, RepositoryPage } from './repositories.ts';

/** The repositories that the viewer may read, with their state. */
export const repositoryList = (list: RepositoryPage): Content =>
  html`<section class="stack" aria-labelledby="repositories">
    <div class="between">
      <h2 id="repositories">${count(list.total, 'repository', 'repositories')}</h2>
      ${(list.total > 10 || list.filter !== '') && filterForm(list.filter)}
    </div>
    ${table({ caption: 'Repositories', columns, rows: list.rows, empty: nothing(list) })} ${pages(list)}
  </section>`;

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

const columns = [
  { title: 'Name', cell: ({ info, path }: ListedRepository) => named(info.name, info.description, path) },
  { title: 'Default branch', cell: ({ info }: ListedRepository) => html`<code>${info.defaultBranch || '–'}</code>` },
  { title: 'Index', cell: ({ info, index }: ListedRepository) => stateOf(info, index) },
  { title: 'Last fetched', cell: ({ info }: ListedRepository) => fetched(info) },
];

const named = (name: string, description: string, path: string): Content =>
  html`<div><a class="strong" href=${path}>${name}</a>${description !== '' && html`<br /><span class="quiet">${description}</span>`}</div>`;

function stateOf({ clone }: ListedRepository['info'], index: ListedRepository['index']): Content {
  if (clone?.state === 'cloning') return tag('Cloning', 'info');
  if (clone?.state === 'failed') return tag('Clone failed', 'danger');
  if (!index) return html`<span class="quiet">Searched in place</span>`;
  if (index.state === 'indexing') return tag('Indexing', 'info');
  if (index.state === 'failed') return html`${tag('Failed', 'danger')} <span class="quiet">${index.reason}</span>`;
  return html`${tag('Indexed', 'success')} <span class="quiet">${count(index.files, 'file')}</span>`;
}

function fetched({ clone }: ListedRepository['info']): Content {
  if (!clone) return html`<span class="quiet">Read in place</span>`;
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
