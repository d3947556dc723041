import { AccessRules, Directory, Links, Repositories, navigationOrder } from '@sextant/contracts';
import type { AccessExplanation } from '@sextant/contracts';
import { Principals, oneLine } from '@sextant/core';
import { button, field, html, notice, pagination, table, tag } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { adminPage, root } from './admin-page.ts';

export const accessPath = '/access';

const perPage = 50;
const longestText = 200;

/** What `sextant access explain` says, for many repositories at once. */
export const access = adminPage({
  name: 'site-admin-access',
  title: 'Access',
  path: accessPath,
  order: navigationOrder.access,
  needs: {
    directory: Directory,
    principals: Principals,
    repositories: Repositories,
    rules: AccessRules,
    links: Links,
  },
  async body({ services, url: { searchParams }, call: { caller } }) {
    const name = (searchParams.get('user') ?? '').trim();
    const part = (searchParams.get('repository') ?? '').trim().slice(0, longestText);
    const heading = html`<div>
        <h1>Access</h1>
        <p class="quiet">Who may read which repository, and which rule says so.</p>
      </div>
      ${form(
        name,
        part,
        (await services.directory.list()).map((user) => user.name),
      )}`;
    if (name === '') return heading;
    const user = await services.principals.named(name);
    if (!user) return [heading, notice('warning', `There is no user "${name.slice(0, 100)}" who may sign in.`)];
    const all = (await services.repositories.list(caller)).filter((info) =>
      info.name.toLowerCase().includes(part.toLowerCase()),
    );
    const last = Math.max(1, Math.ceil(all.length / perPage));
    const asked = /^\d{1,7}$/.test(searchParams.get('page') ?? '') ? Number(searchParams.get('page')) : 1;
    const page = Math.min(Math.max(1, asked), last);
    const shown = all.slice((page - 1) * perPage, page * perPage);
    const rows: Row[] = [];
    for (const info of shown)
      rows.push({
        ...(await services.rules.explain(user, info.name)),
        link: services.links.file({ repo: info.name, path: '' }),
      });
    const at = (number: number): string =>
      `${root}${accessPath}?${new URLSearchParams({ user: name, repository: part, page: String(number) })}`;
    return [
      heading,
      table<Row>({
        caption: `What ${user.user.name} may read`,
        columns,
        rows,
        empty: 'No repository has that in its name.',
      }),
      pagination({
        ...(page > 1 && { previous: at(page - 1) }),
        ...(page < last && { next: at(page + 1) }),
        position: `${(page - 1) * perPage + 1}–${(page - 1) * perPage + rows.length} of ${all.length.toLocaleString('en')}`,
      }),
    ];
  },
});

type Row = AccessExplanation & { readonly link: string };

const form = (user: string, repository: string, names: readonly string[]): Content =>
  html`<form method="get" action=${root + accessPath} class="row filters">
    ${field({ label: 'User', name: 'user', value: user, autocomplete: 'off', isRequired: true, offers: names.slice(0, mostOffered) })}
    ${field({ label: 'Repository', name: 'repository', value: repository, autocomplete: 'off' })}
    ${button('Explain', { kind: 'plain' })}
  </form>`;

/** Names that the box offers. */
const mostOffered = 500;

const columns = [
  { title: 'Repository', cell: ({ repository, link }: Row) => html`<a href=${link}>${repository}</a>` },
  { title: 'May read', cell: ({ canRead }: Row) => (canRead ? tag('Yes', 'success') : tag('No', 'warning')) },
  { title: 'Why', cell: ({ why }: Row) => oneLine(why) },
];
