import { AccessTokens, Directory, navigationOrder } from '@sextant/contracts';
import type { AccessTokenInfo, DirectoryUser } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { ago, html, moment, table, tag } from '@sextant/library-ui';
import { adminPage } from './admin-page.ts';
import { actOnChosen, chooser, choosesAll, chosenForm, pageOf } from './long-list.ts';
import type { ListPage, LongList } from './long-list.ts';
import { titleOf, userPath } from './user.ts';

const path = '/tokens';
const dayMs = 86_400_000;
/** Days after which a token that nobody used is worth a look, and before its end. */
const [unusedDays, soonDays] = [90, 14];

interface Row {
  readonly token: AccessTokenInfo & { readonly userId: number };
  readonly owner: DirectoryUser | undefined;
}

const kindsAt = (now: number): Readonly<Record<string, (row: Row) => boolean>> => {
  const isBefore = (time: string | undefined, days: number): boolean =>
    time !== undefined && Date.parse(time) < now + days * dayMs;
  return {
    All: () => true,
    'Every right': ({ token }) => token.scopes.includes('all'),
    'Never expire': ({ token }) => token.expires === undefined,
    'Expire soon': ({ token }) => isBefore(token.expires, soonDays) && !isBefore(token.expires, 0),
    Expired: ({ token }) => isBefore(token.expires, 0),
    [`Not used for ${unusedDays} days`]: ({ token }) => isBefore(token.lastUsed ?? token.created, -unusedDays),
    'Of disabled users': ({ owner }) => owner?.isDisabled ?? true,
  };
};

/** The access tokens of everyone. */
export const tokens = adminPage({
  name: 'site-admin-tokens',
  title: 'Tokens',
  path,
  order: navigationOrder.tokens,
  needs: { tokens: AccessTokens, directory: Directory },
  messages: { revoked: 'Revoked: they no longer work.' },
  async body({ services, url: { searchParams }, call: { caller }, csrfToken }) {
    const list = pageOf(searchParams, await listOf(services, caller));
    return html`<div>
        <h1>Tokens</h1>
        <p class="quiet">The access tokens of everyone. What a token is, only its owner knows.</p>
      </div>
      ${list.form} ${table<Row>({ caption: 'Tokens', columns: columnsOf(list), rows: list.rows, empty: 'There is no token like that.' })} ${list.pages}
      ${list.rows.length > 0 && chosenForm({ csrfToken, list, path: `${path}/revoke`, text: 'Revoke', kind: 'danger' })}`;
  },
  actions: {
    async revoke(fields, { services, call: { caller, signal } }) {
      const list = await listOf(services, caller);
      const owners = new Map(list.rows.map(({ token: { id, userId } }) => [String(id), userId]));
      await actOnChosen(fields, {
        what: 'tokens',
        list: async () => list,
        nameOf: ({ token }) => String(token.id),
        async act(id) {
          const owner = owners.get(id);
          if (owner === undefined) throw new SextantError('not_found', `there is no token ${id.slice(0, 20)}`);
          await services.tokens.revoke(caller, Number(id), owner);
        },
        signal,
      });
      return 'revoked';
    },
  },
});

async function listOf(
  { tokens, directory }: { tokens: AccessTokens; directory: Directory },
  caller: Caller,
): Promise<LongList<Row>> {
  const [all, people] = await Promise.all([tokens.listAll(caller), directory.list()]);
  const owners = new Map(people.map((user) => [user.id, user]));
  return {
    path,
    rows: all.map((token) => ({ token, owner: owners.get(token.userId) })),
    textOf: ({ token, owner }) => `${owner?.name ?? ''} ${token.name}`,
    kinds: kindsAt(Date.now()),
    sorts: {
      Owner: ({ owner }) => owner?.name.toLowerCase(),
      Created: ({ token }) => token.created,
      Expires: ({ token }) => token.expires,
      'Last used': ({ token }) => token.lastUsed,
    },
  };
}

const columnsOf = ({ heading }: ListPage<Row>) => [
  {
    title: 'Name',
    heading: html`${choosesAll} Name`,
    cell: ({ token, owner }: Row) =>
      chooser(
        String(token.id),
        html`<span class="strong">${titleOf(token)}</span>`,
        `${titleOf(token)} of ${owner?.name ?? 'nobody'}`,
      ),
  },
  {
    title: 'Owner',
    heading: heading('Owner'),
    cell: ({ owner }: Row) =>
      owner
        ? html`<a href=${userPath(owner.name)}>${owner.name}</a> ${owner.isDisabled && tag('Disabled', 'warning')}`
        : html`<span class="quiet">removed</span>`,
  },
  { title: 'Scopes', cell: ({ token }: Row) => token.scopes.map((scope) => [tag(scope), ' ']) },
  { title: 'Created', heading: heading('Created'), cell: ({ token }: Row) => moment(token.created) },
  {
    title: 'Expires',
    heading: heading('Expires'),
    cell: ({ token: { expires } }: Row) => (expires === undefined ? 'Never' : moment(expires)),
  },
  {
    title: 'Last used',
    heading: heading('Last used'),
    cell: ({ token: { lastUsed } }: Row) => (lastUsed === undefined ? 'Never' : ago(lastUsed)),
  },
];
