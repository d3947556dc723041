import { AccessTokens, Directory, Sessions, SignInLinks, userNamed } from '@sextant/contracts';
import type { AccessTokenInfo, DirectoryUser, SeenSession } from '@sextant/contracts';
import { Principals, SextantError, optional } from '@sextant/core';
import {
  ago,
  button,
  card,
  copyText,
  count,
  emptyState,
  facts,
  html,
  linkButton,
  moment,
  notice,
  postForm,
  table,
  tag,
} from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { accessPath } from './access.ts';
import { adminPage, changedBy, root } from './admin-page.ts';

const path = '/user';
/** How long an invitation is good. */
const inviteHours = 24;

export const userPath = (name: string): string => `${root}${path}?${new URLSearchParams({ name })}`;

/** Everything about one user, and what ends their access. */
export const user = adminPage({
  name: 'site-admin-user',
  title: 'User',
  path,
  needs: {
    directory: Directory,
    principals: Principals,
    sessions: Sessions,
    tokens: optional(AccessTokens),
    links: optional(SignInLinks),
  },
  messages: {
    'signed-out': 'All sessions have ended.',
    revoked: 'The token no longer works.',
  },
  async body({ services, url: { searchParams }, call: { caller }, csrfToken, typed }) {
    const name = typed.get('name') ?? searchParams.get('name') ?? '';
    const found = await services.directory.find(name);
    if (!found) return emptyState('There is no such user.', html`<a href=${`${root}/users`}>All users</a>`);
    const [principal, sessions, tokens] = await Promise.all([
      services.principals.named(found.name),
      services.sessions.ofUser(found.id),
      services.tokens?.list(caller, found.id) ?? [],
    ]);
    const lastSeen = [...sessions.map(({ seenAt }) => seenAt), ...tokens.flatMap(({ lastUsed }) => lastUsed ?? [])]
      .toSorted()
      .at(-1);
    return html`<div class="between">
        <div><h1>${found.name}</h1><p>${kindOf(found)}</p></div>
        ${linkButton('What they did', `/analytics?${new URLSearchParams({ user: found.name })}`, { kind: 'plain', isSmall: true })}
      </div>
      ${card({
        title: 'Who this is',
        body: facts({
          'E-mail': found.email ?? 'none',
          Roles: found.roles.length === 0 ? 'only the built-in ones' : found.roles.map((role) => [tag(role), ' ']),
          'Last seen': lastSeen === undefined ? 'never' : ago(lastSeen),
          'Managed by':
            found.managedBy === 'config'
              ? 'the configuration'
              : html`<a href=${`${root}/users?${new URLSearchParams({ find: found.name })}`}>the list of users</a>`,
        }),
      })}
      ${card({
        title: 'What they may do',
        body: html`<p>${rightsOf(found, principal?.permissions)}</p>
          <p>${linkButton('What they may read, and why', `${root}${accessPath}?${new URLSearchParams({ user: found.name })}`, { kind: 'plain' })}</p>`,
      })}
      ${!found.isServiceAccount && card({ title: count(sessions.length, 'session'), body: sessionsOf(found, sessions, csrfToken) })}
      ${card({ title: count(tokens.length, 'access token'), body: tokensOf(found, tokens, csrfToken) })}
      ${services.links && !found.isServiceAccount && !found.isDisabled && card({ title: 'Invite', body: inviteForm(found, csrfToken) })}`;
  },
  actions: {
    async 'sign-out'(fields, { services }) {
      const { id, name } = await userNamed(services.directory, fields.get('name') ?? '');
      await services.sessions.endAll(id);
      return { done: 'signed-out', query: { name } };
    },
    async revoke(fields, { services, call: { caller } }) {
      const { id, name } = await userNamed(services.directory, fields.get('name') ?? '');
      const token = /^\d{1,15}$/.exec(fields.get('token') ?? '')?.[0];
      if (token === undefined) throw new SextantError('invalid_argument', 'which token?');
      await services.tokens?.revoke(caller, Number(token), id);
      return { done: 'revoked', query: { name } };
    },
    async invite(fields, { services, call }) {
      const name = fields.get('name') ?? '';
      const link = await services.links?.make(name, inviteHours * 60, changedBy(call));
      if (link === undefined) throw new SextantError('not_found', 'sign-in links are switched off on this server');
      return {
        shown: notice(
          'success',
          html`<p>This link signs ${name} in, once, within ${inviteHours} hours. It is shown only now.</p>
            ${copyText({ id: 'invitation', text: link, label: 'Copy link' })}`,
        ),
      };
    },
  },
});

export const kindOf = ({ isServiceAccount, isSiteAdmin, isDisabled }: DirectoryUser): Content => [
  isServiceAccount ? tag('Service account') : tag('User'),
  ' ',
  isSiteAdmin && tag('Site administrator', 'info'),
  ' ',
  isDisabled && tag('Disabled', 'warning'),
];

function rightsOf({ isDisabled, isSiteAdmin }: DirectoryUser, permissions: ReadonlySet<string> | undefined): Content {
  if (isDisabled) return 'Nothing: the user is disabled.';
  if (isSiteAdmin) return 'Everything: a site administrator holds every permission and reads every repository.';
  const held = [...(permissions ?? [])].toSorted();
  return held.length === 0 ? html`<span class="quiet">No permissions.</span>` : held.map((each) => [tag(each), ' ']);
}

const sessionsOf = ({ name }: DirectoryUser, sessions: readonly SeenSession[], csrfToken: string): Content =>
  html`${table<SeenSession>({
    caption: 'Sessions',
    columns: [
      { title: 'Signed in', cell: ({ signedInAt }) => moment(signedInAt) },
      { title: 'Last seen', cell: ({ seenAt }) => ago(seenAt) },
    ],
    rows: sessions,
    empty: 'Signed in to no browser.',
  })}
  ${
    sessions.length > 0 &&
    postForm({
      action: `${root}${path}/sign-out`,
      csrfToken,
      hidden: { name },
      isInline: true,
      body: button('Sign out everywhere', { kind: 'danger', isSmall: true }),
    })
  }`;

const tokensOf = ({ name }: DirectoryUser, tokens: readonly AccessTokenInfo[], csrfToken: string): Content =>
  table<AccessTokenInfo>({
    caption: 'Access tokens',
    columns: [
      { title: 'Name', cell: (token) => html`<span class="strong">${titleOf(token)}</span>` },
      { title: 'Scopes', cell: ({ scopes }) => scopes.map((scope) => [tag(scope), ' ']) },
      { title: 'Created', cell: ({ created }) => moment(created) },
      { title: 'Expires', cell: ({ expires }) => (expires === undefined ? 'Never' : moment(expires)) },
      { title: 'Last used', cell: ({ lastUsed }) => (lastUsed === undefined ? 'Never' : ago(lastUsed)) },
      {
        title: '',
        cell: (token) =>
          postForm({
            action: `${root}${path}/revoke`,
            csrfToken,
            hidden: { name, token: String(token.id) },
            isInline: true,
            body: button('Revoke', { kind: 'danger', isSmall: true, label: `Revoke ${titleOf(token)}` }),
          }),
      },
    ],
    rows: tokens,
    empty: 'None.',
  });

export const titleOf = ({ id, name }: AccessTokenInfo): string => name || `Token ${id}`;

const inviteForm = ({ name }: DirectoryUser, csrfToken: string): Content =>
  html`<p class="quiet">A link that signs ${name} in to a browser once, to begin with or in place of a password that is lost.
    Whoever opens it is signed in: hand it over in private.</p>
    ${postForm({
      action: `${root}${path}/invite`,
      csrfToken,
      hidden: { name },
      isInline: true,
      body: button('Make a link', { kind: 'plain' }),
    })}`;
