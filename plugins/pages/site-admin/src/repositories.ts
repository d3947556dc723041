import { Fetches, IndexStates, Links, Repositories, navigationOrder } from '@sextant/contracts';
import type { CloneProgress, IndexState, RepositoryInfo } from '@sextant/contracts';
import { ServerState, optional } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { ago, button, byteSize, count, html, postForm, table, tag, until } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { adminPage, root } from './admin-page.ts';
import { failureTable, failuresIn } from './failures.ts';
import { tookOf } from './overview.ts';
import { actOnChosen, chooser, choosesAll, chosenForm, pageOf } from './long-list.ts';
import type { ListPage, LongList } from './long-list.ts';

const path = '/repositories';

interface Unlinked {
  readonly info: RepositoryInfo;
  readonly index: IndexState | undefined;
}
interface Row extends Unlinked {
  readonly link: string;
}

const kinds: Readonly<Record<string, (row: Unlinked) => boolean>> = {
  All: () => true,
  Indexed: ({ index }) => index?.state === 'indexed',
  'In progress': isInProgress,
  Failed: isFailed,
  Evicted: ({ info }) => info.clone?.state === 'evicted',
  Restricted: ({ info }) => info.isPrivate,
};

/** Without its first clone there is nothing to index. */
function isInProgress({ index, info: { clone } }: Unlinked): boolean {
  return clone && clone.state !== 'ready' ? clone.state === 'cloning' : index?.state === 'indexing';
}

function isFailed({ index, info: { clone } }: Unlinked): boolean {
  if (clone?.state === 'evicted') return false;
  return index?.state === 'failed' || clone?.failedSince !== undefined || clone?.state === 'failed';
}

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
    const all = await listOf(services, caller);
    const { rows } = all;
    const list = pageOf(url.searchParams, all);
    const linked = list.rows.map((row) => ({ ...row, link: services.links.file({ repo: row.info.name, path: '' }) }));
    const inProgress = rows.filter(isInProgress).length;
    return html`<div>
        <h1>Repositories</h1>
        <p class="quiet">${[count(rows.length, 'repository', 'repositories'), inProgress && `${inProgress} in progress`].filter(Boolean).join(', ')}.
        They are named in the configuration, below <code>repositories</code> and <code>sources</code>.</p>
      </div>
      <section id="state" class="stack" data-live=${inProgress || undefined}>${failureTable(failuresIn(services.state))}
      ${list.form} ${table<Row>({ caption: 'Repositories', columns: columnsOf(csrfToken, list), rows: linked, empty: rows.length > 0 ? 'There is no repository like that.' : 'No repository is served yet: name some in the configuration, or start with --repos.' })} ${list.pages}</section>
      ${linked.length > 0 && chosenForm({ csrfToken, list, path: `${path}/refresh`, text: 'Index now', kind: 'plain' })}`;
  },
  actions: {
    async refresh(fields, { services, call: { caller, signal } }) {
      await actOnChosen(fields, {
        what: 'repositories',
        list: () => listOf(services, caller),
        nameOf: ({ info }) => info.name,
        // Their clones would drive out others, which are of the same list.
        isMeant: ({ info }) => info.clone?.state !== 'evicted',
        whyNone: 'all of these are evicted; choose those that are needed one by one',
        // Nobody waits for each of all: what calls name comes before.
        async act(name, { isOfAll }) {
          await services.fetches?.queue(caller, name, { isNamed: !isOfAll });
          await services.states?.refresh(caller, name);
        },
        signal,
      });
      return 'refreshed';
    },
  },
});

async function listOf(
  { repositories, states }: { repositories: Repositories; states: IndexStates | undefined },
  caller: Caller,
): Promise<LongList<Unlinked>> {
  const all = await repositories.list(caller);
  const indexes = new Map((await states?.list(caller))?.map((state) => [state.repo, state]));
  return {
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
  };
}

const columnsOf = (csrfToken: string, { heading }: Pick<ListPage<unknown>, 'heading'>) => [
  {
    title: 'Repository',
    heading: html`${choosesAll} ${heading('Repository')}`,
    cell: ({ info, link }: Row) =>
      chooser(info.name, html`<a href=${link}>${info.name}</a> ${info.isPrivate && tag('Restricted', 'warning')}`),
  },
  { title: 'Default branch', cell: ({ info }: Row) => info.defaultBranch || html`<span class="quiet">none</span>` },
  { title: 'Fetched', heading: heading('Fetched'), cell: ({ info }: Row) => html`${fetchedOf(info)} ${depthOf(info)}` },
  { title: 'Index', cell: indexOf },
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
    cell: (row: Row) => {
      const { name } = row.info;
      const text = isFailed(row) ? 'Try again' : row.info.clone?.state === 'evicted' ? 'Clone again' : 'Index now';
      return postForm({
        action: `${root}${path}/refresh`,
        csrfToken,
        hidden: { name },
        isInline: true,
        body: button(text, { kind: 'plain', isSmall: true, label: `${text}: ${name}` }),
      });
    },
  },
];

function fetchedOf({ clone }: RepositoryInfo): Content {
  if (!clone) return html`<span class="quiet">Read in place</span>`;
  const { state, fetched, failedSince, cause, evictedSince, progress } = clone;
  if (failedSince !== undefined || state === 'failed')
    return html`${tag('Failed', 'danger')} <small>${cause}${failedSince !== undefined && html`; since ${ago(failedSince)}`}</small>`;
  if (state === 'evicted')
    return html`${tag('Evicted', 'warning')} <small>to keep the quota of disk${evictedSince !== undefined && html`, ${ago(evictedSince)}`}; fetched again when it is asked for</small>`;
  if (fetched !== undefined) return ago(fetched);
  if (state === 'cloning')
    return html`${tag('Cloning', 'info')} <small class="quiet">${progress && toldOf(progress)}</small>`;
  return html`<span class="quiet">Not since the start</span>`;
}

const depthOf = ({ clone }: RepositoryInfo): Content =>
  clone?.depth !== undefined && html`<small class="quiet">${count(clone.depth, 'commit', 'commits')} deep</small>`;

const stages: Readonly<Record<CloneProgress['stage'], string>> = {
  waiting: 'waits for its turn',
  preparing: 'its host prepares it',
  receiving: 'is received',
  resolving: 'is worked up',
};

const toldOf = ({ stage, percent, bytes }: CloneProgress): string =>
  [stages[stage], percent !== undefined && `${percent}%`, bytes !== undefined && byteSize(bytes)]
    .filter(Boolean)
    .join(', ');

function indexOf({ index, info: { clone } }: Row): Content {
  if (clone?.state === 'evicted') return html`<span class="quiet">Kept for its return</span>`;
  if (clone && clone.state !== 'ready') return html`<span class="quiet">After the clone</span>`;
  switch (index?.state) {
    case 'indexed':
      return tag('Indexed', 'success');
    case 'indexing':
      return html`${tag('Indexing', 'info')} <small class="quiet">${index.progress !== undefined && `${Math.floor(index.progress * 100)}%`}</small>`;
    case 'failed':
      return html`${tag('Failed', 'danger')} <small>${index.reason}${index.nextTry !== undefined && html`; next try ${until(index.nextTry)}`}</small>`;
    default:
      return html`<span class="quiet">No index</span>`;
  }
}
