import { Fetches, IndexStates, Links, Repositories, navigationOrder } from '@sextant/contracts';
import type { IndexState, RepositoryInfo } from '@sextant/contracts';
import { ServerState, optional } from '@sextant/core';
import { ago, button, count, html, postForm, table, tag } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { adminPage, root } from './admin-page.ts';
import { failureTable, failuresIn, minuteOf } from './failures.ts';
import { tookOf } from './overview.ts';
import { chooser, choosesAll, chosenForm, chosenIn, pageOf } from './long-list.ts';
import type { ListPage } from './long-list.ts';

const path = '/repositories';

interface Row {
  readonly info: RepositoryInfo;
  readonly index: IndexState | undefined;
  readonly link: string;
}

const kinds: Readonly<Record<string, (row: Omit<Row, 'link'>) => boolean>> = {
  All: () => true,
  Indexed: ({ index }) => index?.state === 'indexed',
  'Being indexed': ({ index }) => index?.state === 'indexing',
  Failed: ({ index, info }) => index?.state === 'failed' || info.clone?.state === 'failed',
  Restricted: ({ info }) => info.isPrivate,
};

export const repositories = adminPage({
  name: 'site-admin-repositories',
  title: 'Repositories',
  path,
  order: navigationOrder.repositories,
  needs: {
    repositories: Repositories,
    states: optional(IndexStates),
    fetches: optional(Fetches),
    links: Links,
    state: ServerState,
  },
  messages: { refreshed: 'Fetching and indexing has begun.' },
  async body({ services, call: { caller }, url, csrfToken }) {
    const all = await services.repositories.list(caller);
    const indexes = new Map((await services.states?.list(caller))?.map((state) => [state.repo, state]));
    const list = pageOf(url.searchParams, {
      path,
      rows: all.map((info) => ({ info, index: indexes.get(info.name) })),
      textOf: ({ info: { name } }) => name,
      kinds,
      sorts: {
        Repository: ({ info: { name } }) => name.toLowerCase(),
        Fetched: ({ info: { clone } }) => clone?.fetched,
        Files: ({ index }) => (index?.state === 'indexed' ? index.files : undefined),
        Indexed: ({ index }) => index?.updated?.at,
        Took: ({ index }) => index?.updated?.milliseconds,
      },
    });
    const linked = list.rows.map((row) => ({ ...row, link: services.links.file({ repo: row.info.name, path: '' }) }));
    const failed = [...indexes.values()].filter(({ state }) => state === 'failed').length;
    return html`<div>
        <h1>Repositories</h1>
        <p class="quiet">${count(all.length, 'repository', 'repositories')}${failed > 0 && `, ${failed} of them not indexed because of an error`}.
        They are named in the configuration; see <code>repositories</code> there.</p>
      </div>
      ${failureTable(failuresIn(services.state))}
      ${list.form} ${table<Row>({ caption: 'Repositories', columns: columnsOf(csrfToken, list), rows: linked, empty: all.length > 0 ? 'There is no repository like that.' : 'No repository is served yet: name some in the configuration, or start with --repos.' })} ${list.pages}
      ${linked.length > 0 && chosenForm({ csrfToken, path: `${path}/refresh`, text: 'Index now', kind: 'plain' })}`;
  },
  actions: {
    async refresh(fields, { services, call: { caller } }) {
      for (const name of chosenIn(fields, 'repositories')) {
        await services.fetches?.queue(caller, name);
        await services.states?.refresh(caller, name);
      }
      return 'refreshed';
    },
  },
});

const columnsOf = (csrfToken: string, { heading }: Pick<ListPage<unknown>, 'heading'>) => [
  {
    title: 'Repository',
    heading: html`${choosesAll} ${heading('Repository')}`,
    cell: ({ info, link }: Row) =>
      html`${chooser(info.name)} <a href=${link}>${info.name}</a> ${info.isPrivate && tag('Restricted', 'warning')}`,
  },
  { title: 'Default branch', cell: ({ info }: Row) => info.defaultBranch || html`<span class="quiet">none</span>` },
  { title: 'Fetched', heading: heading('Fetched'), cell: ({ info }: Row) => fetchedOf(info) },
  { title: 'Index', cell: ({ index }: Row) => indexOf(index) },
  {
    title: 'Files',
    heading: heading('Files'),
    cell: ({ index }: Row) => index && index.files.toLocaleString('en'),
  },
  {
    title: 'Indexed',
    heading: heading('Indexed'),
    cell: ({ index }: Row) => index?.updated && ago(index.updated.at),
  },
  {
    title: 'Took',
    heading: heading('Took'),
    cell: ({ index }: Row) => index?.updated && tookOf(index.updated.milliseconds),
  },
  {
    title: '',
    cell: ({ info: { name } }: Row) =>
      postForm({
        action: `${root}${path}/refresh`,
        csrfToken,
        hidden: { name },
        isInline: true,
        body: button('Index now', { kind: 'plain', isSmall: true, label: `Index now: ${name}` }),
      }),
  },
];

function fetchedOf({ clone }: RepositoryInfo): Content {
  if (!clone) return html`<span class="quiet">Read in place</span>`;
  if (clone.fetched !== undefined) return ago(clone.fetched);
  return tag(clone.state);
}

function indexOf(index: IndexState | undefined): Content {
  switch (index?.state) {
    case 'indexed':
      return tag('Indexed', 'success');
    case 'indexing':
      return html`${tag('Indexing', 'info')} <small class="quiet">${index.progress !== undefined && `${Math.floor(index.progress * 100)}%`}</small>`;
    case 'failed':
      return html`${tag('Failed', 'danger')} <small>${index.reason}${index.nextTry !== undefined && html`; next try ${minuteOf(index.nextTry)}`}</small>`;
    default:
      return html`<span class="quiet">No index</span>`;
  }
}
