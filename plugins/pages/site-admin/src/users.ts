import { AccessTokens, Directory, Sessions, navigationOrder } from '@sextant/contracts';
import type { DirectoryRole, DirectoryUser } from '@sextant/contracts';
import { optional } from '@sextant/core';
import type { Caller, Resolved } from '@sextant/core';
import { ago, button, card, choice, field, html, postForm, table, tag } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { adminPage, changedBy, root } from './admin-page.ts';
import type { Visit } from './admin-page.ts';
import { actOnChosen, chooser, choosesAll, chosenForm, pageOf } from './long-list.ts';
import type { ListPage, LongList } from './long-list.ts';
import { kindOf, userPath } from './user.ts';

const path = '/users';

const kinds: Readonly<Record<string, (user: DirectoryUser) => boolean>> = {
  Everyone: () => true,
  People: ({ isServiceAccount }) => !isServiceAccount,
  'Service accounts': ({ isServiceAccount }) => isServiceAccount,
  'Site administrators': ({ isSiteAdmin }) => isSiteAdmin,
  Disabled: ({ isDisabled }) => isDisabled,
};

interface View {
  /** When somebody was seen last, by their id. */
  readonly seen: ReadonlyMap<number, string>;
  readonly custom: readonly DirectoryRole[];
  readonly csrfToken: string;
  readonly typed: URLSearchParams;
}

const needs = { directory: Directory, sessions: Sessions, tokens: optional(AccessTokens) };

export const users = adminPage({
  name: 'site-admin-users',
  title: 'Users',
  path,
  order: navigationOrder.users,
  needs,
  messages: {
    added: 'The user was added. Their page makes a link that signs them in.',
    disabled: 'Disabled: tokens and sessions no longer work.',
    enabled: 'Enabled again.',
    roles: 'The roles were changed.',
  },
  async body({ services, url: { searchParams }, call: { caller }, csrfToken, typed }) {
    const { directory } = services;
    const [roles, { seen, ...all }] = await Promise.all([directory.roles(), listOf(services, caller)]);
    const view = { custom: roles.filter(({ isBuiltIn }) => !isBuiltIn), seen, csrfToken, typed };
    const list = pageOf(searchParams, all);
    return html`<h1>Users</h1>
      ${list.form} ${table<DirectoryUser>({ caption: 'Users', columns: columnsOf(view, list), rows: list.rows, empty: 'There is nobody like that.' })} ${list.pages}
      ${list.rows.some(isChangeable) && withChosen(csrfToken, list)}
      ${card({ title: 'Add a user', body: newUser(view) })}`;
  },
  actions: {
    async add(fields, { services: { directory }, call }) {
      const email = fields.get('email')?.trim() ?? '';
      const user = {
        name: fields.get('name')?.trim() ?? '',
        ...(email !== '' && { email }),
        isServiceAccount: fields.get('kind') === 'service',
        isSiteAdmin: fields.has('admin'),
        roles: fields.getAll('role'),
      };
      await directory.add(user, changedBy(call));
      return 'added';
    },
    disable: (fields, visit) => setDisabled(fields, visit, true),
    enable: (fields, visit) => setDisabled(fields, visit, false),
    async roles(fields, { services: { directory }, call }) {
      await directory.setRoles(fields.get('name') ?? '', fields.getAll('role'), changedBy(call));
      return 'roles';
    },
  },
});

async function setDisabled(
  fields: URLSearchParams,
  { services, call }: Pick<Visit<typeof needs>, 'services' | 'call'>,
  isDisabled: boolean,
): Promise<string> {
  // Whoever chooses all does not mean to lock themselves out.
  const isMeant = (user: DirectoryUser): boolean =>
    isChangeable(user) && user.isDisabled !== isDisabled && user.id !== call.caller.user.id;
  const done = isDisabled ? 'disabled' : 'enabled';
  await actOnChosen(fields, {
    what: 'users',
    list: () => listOf(services, call.caller),
    nameOf: ({ name }) => name,
    isMeant,
    whyNone: `none of these can be ${done}: they are so already, of the configuration, or yourself`,
    act: (name) => services.directory.setDisabled(name, isDisabled, changedBy(call)),
    signal: call.signal,
  });
  return done;
}

async function listOf(
  { directory, sessions, tokens }: Resolved<typeof needs>,
  caller: Caller,
): Promise<LongList<DirectoryUser> & Pick<View, 'seen'>> {
  const [rows, signedIn, issued = []] = await Promise.all([directory.list(), sessions.list(), tokens?.listAll(caller)]);
  const seen = lastSeen([
    ...signedIn.map(({ userId, seenAt }) => [userId, seenAt] as const),
    ...issued.flatMap(({ userId, lastUsed }) => (lastUsed === undefined ? [] : [[userId, lastUsed] as const])),
  ]);
  return {
    path,
    rows,
    textOf: ({ name, email = '' }) => `${name} ${email}`,
    kinds,
    sorts: {
      Name: ({ name }) => name.toLowerCase(),
      'E-mail': ({ email }) => email?.toLowerCase(),
      Kind: ({ isSiteAdmin, isServiceAccount }) => (isSiteAdmin ? 0 : isServiceAccount ? 2 : 1),
      'Last seen': ({ id }) => seen.get(id),
    },
    seen,
  };
}

function lastSeen(times: readonly (readonly [userId: number, time: string])[]): ReadonlyMap<number, string> {
  const seen = new Map<number, string>();
  for (const [userId, time] of times) if (time > (seen.get(userId) ?? '')) seen.set(userId, time);
  return seen;
}

const isChangeable = ({ managedBy }: DirectoryUser): boolean => managedBy !== 'config';

/** What is done with all users that are chosen. */
const withChosen = (csrfToken: string, list: ListPage<DirectoryUser>): Content =>
  chosenForm({
    csrfToken,
    list,
    path: `${path}/disable`,
    text: 'Disable',
    kind: 'danger',
    others: html`<button class="button plain small" type="submit" formaction=${`${root}${path}/enable`} aria-label="Enable: all chosen">Enable</button>`,
  });

const linkedName = ({ name }: DirectoryUser): Content => html`<a class="strong" href=${userPath(name)}>${name}</a>`;

const columnsOf = (view: View, { heading }: ListPage<DirectoryUser>) => [
  {
    title: 'Name',
    heading: html`${choosesAll} ${heading('Name')}`,
    cell: (user: DirectoryUser) => (isChangeable(user) ? chooser(user.name, linkedName(user)) : linkedName(user)),
  },
  {
    title: 'E-mail',
    heading: heading('E-mail'),
    cell: ({ email }: DirectoryUser) => email ?? html`<span class="quiet">none</span>`,
  },
  { title: 'Kind', heading: heading('Kind'), cell: kindOf },
  {
    title: 'Last seen',
    heading: heading('Last seen'),
    cell: ({ id }: DirectoryUser) => seenOf(view.seen.get(id)),
  },
  { title: 'Roles', cell: (user: DirectoryUser) => rolesOf(user, view) },
  { title: '', cell: (user: DirectoryUser) => stateOf(user, view) },
];

const seenOf = (time: string | undefined): Content =>
  time === undefined ? html`<span class="quiet">never</span>` : ago(time);

function rolesOf({ name, roles, managedBy }: DirectoryUser, { custom, csrfToken }: View): Content {
  const held = roles.length === 0 ? html`<span class="quiet">none</span>` : roles.map((role) => [tag(role), ' ']);
  if (managedBy === 'config' || custom.length === 0) return held;
  return html`${held}
    <details>
      <summary aria-label=${`Change the roles of ${name}`}>Change</summary>
      ${postForm({
        action: `${root}${path}/roles`,
        csrfToken,
        hidden: { name },
        body: html`<fieldset class="stack">
          <legend>Roles of ${name}</legend>
          ${custom.map((role) => choice({ type: 'checkbox', label: role.name, name: 'role', value: role.name, isChecked: roles.includes(role.name) }))}
          <div>${button('Save', { kind: 'plain', isSmall: true })}</div>
        </fieldset>`,
      })}
    </details>`;
}

function stateOf({ name, isDisabled, managedBy }: DirectoryUser, { csrfToken }: View): Content {
  if (managedBy === 'config') return html`<span class="quiet">In the configuration</span>`;
  const [action, text] = isDisabled ? ['enable', 'Enable'] : ['disable', 'Disable'];
  const body = button(text, { kind: isDisabled ? 'plain' : 'danger', isSmall: true, label: `${text} ${name}` });
  return postForm({ action: `${root}${path}/${action}`, csrfToken, hidden: { name }, isInline: true, body });
}

const newUser = ({ custom, csrfToken, typed }: View): Content =>
  postForm({
    action: `${root}${path}/add`,
    csrfToken,
    body: html`${field({
      label: 'Name',
      name: 'name',
      value: typed.get('name') ?? '',
      isRequired: true,
      maxLength: 100,
      autocomplete: 'off',
      hint: 'Letters, digits, dots, dashes and underscores.',
    })}
    ${field({ label: 'E-mail', name: 'email', type: 'email', value: typed.get('email') ?? '', autocomplete: 'off' })}
    <fieldset class="stack">
      <legend>Kind</legend>
      ${choice({ type: 'radio', label: 'User', name: 'kind', value: 'user', hint: 'A person.', isChecked: typed.get('kind') !== 'service' })}
      ${choice({ type: 'radio', label: 'Service account', name: 'kind', value: 'service', hint: 'A program; it works with access tokens.', isChecked: typed.get('kind') === 'service' })}
      ${choice({ type: 'checkbox', label: 'Site administrator', name: 'admin', value: '1', hint: 'Holds every permission and reads every repository.', isChecked: typed.has('admin') })}
    </fieldset>
    ${
      custom.length > 0 &&
      html`<fieldset class="stack">
        <legend>Roles</legend>
        ${custom.map((role) => choice({ type: 'checkbox', label: role.name, name: 'role', value: role.name, isChecked: typed.getAll('role').includes(role.name) }))}
      </fieldset>`
    }
    <div>${button('Add user')}</div>`,
  });
