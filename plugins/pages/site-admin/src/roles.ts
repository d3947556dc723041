import { Directory, navigationOrder } from '@sextant/contracts';
import type { DirectoryRole } from '@sextant/contracts';
import { ServerState } from '@sextant/core';
import { button, card, choice, field, html, postForm, table, tag } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { adminPage, changedBy, root } from './admin-page.ts';

const path = '/roles';

export const roles = adminPage({
  name: 'site-admin-roles',
  title: 'Roles',
  path,
  order: navigationOrder.roles,
  needs: { directory: Directory, state: ServerState },
  messages: { saved: 'The role was saved; it holds from the next request on.', removed: 'The role was removed.' },
  async body({ services: { directory, state }, csrfToken, typed }) {
    const known = state.permissions();
    return html`<div>
        <h1>Roles</h1>
        <p class="quiet">What a user may do is the union of the permissions of their roles. Everyone has the role User. To restrict MCP to some,
        take MCP#ACCESS from User and give it to a role of your own. Which repositories someone may read is said with each repository.</p>
      </div>
      ${table<DirectoryRole>({ caption: 'Roles', columns: columnsOf(csrfToken, known), rows: await directory.roles(), empty: '' })}
      ${card({ title: 'Add a role', body: roleForm({ csrfToken, name: typed.get('name') ?? '', permissions: [...typed.getAll('permission'), ...(typed.get('permissions') ?? '').split(/[\s,]+/)], known }) })}`;
  },
  actions: {
    async save(fields, { services: { directory }, call }) {
      const others = (fields.get('permissions') ?? '').split(/[\s,]+/).filter((each) => each !== '');
      const permissions = [...new Set([...fields.getAll('permission'), ...others])];
      await directory.saveRole({ name: fields.get('name')?.trim() ?? '', permissions }, changedBy(call));
      return 'saved';
    },
    async remove(fields, { services: { directory }, call }) {
      await directory.removeRole(fields.get('name') ?? '', changedBy(call));
      return 'removed';
    },
  },
});

const columnsOf = (csrfToken: string, known: readonly string[]) => [
  {
    title: 'Role',
    cell: ({ name, isBuiltIn }: DirectoryRole) =>
      html`<span class="strong">${name}</span> ${isBuiltIn && tag('Built in')}`,
  },
  { title: 'Permissions', cell: (role: DirectoryRole) => permissionsOf(role, csrfToken, known) },
  { title: '', cell: (role: DirectoryRole) => removal(role, csrfToken) },
];

const holdsEverything = ({ name, isBuiltIn }: DirectoryRole): boolean => isBuiltIn && name === 'Site Administrator';

function permissionsOf(role: DirectoryRole, csrfToken: string, known: readonly string[]): Content {
  if (holdsEverything(role)) return 'Every permission';
  const held =
    role.permissions.length === 0
      ? html`<span class="quiet">none</span>`
      : role.permissions.map((each) => [tag(each), ' ']);
  if (role.managedBy === 'config') return held;
  const { name, permissions } = role;
  return html`${held}
    <details>
      <summary aria-label=${`Change the permissions of ${name}`}>Change</summary>
      ${postForm({
        action: `${root}${path}/save`,
        csrfToken,
        hidden: { name },
        body: html`${permissionChoices(`Permissions of ${name}`, permissions, known)}
          <div>${button('Save', { kind: 'plain', isSmall: true })}</div>`,
      })}
    </details>`;
}

function removal({ name, isBuiltIn, managedBy }: DirectoryRole, csrfToken: string): Content {
  if (managedBy === 'config') return html`<span class="quiet">In the configuration</span>`;
  if (isBuiltIn) return undefined;
  const body = button('Remove', { kind: 'danger', isSmall: true, label: `Remove ${name}` });
  return postForm({ action: `${root}${path}/remove`, csrfToken, hidden: { name }, isInline: true, body });
}

interface RoleForm {
  readonly csrfToken: string;
  readonly name: string;
  readonly permissions: readonly string[];
  /** Permissions that something asks for. */
  readonly known: readonly string[];
}

const roleForm = ({ csrfToken, name, permissions, known }: RoleForm): Content =>
  postForm({
    action: `${root}${path}/save`,
    csrfToken,
    body: html`${field({ label: 'Name', name: 'name', value: name, isRequired: true, maxLength: 100, autocomplete: 'off' })}
      ${permissionChoices('Permissions', permissions, known)}
      <div>${button('Add role')}</div>`,
  });

/** Permissions that something asks for, each with a box, and room for those that nothing asks for yet. */
function permissionChoices(legend: string, held: readonly string[], known: readonly string[]): Content {
  const others = held.filter((each) => each !== '' && !known.includes(each));
  return html`<fieldset class="stack">
    <legend>${legend}</legend>
    ${known.map((value) => choice({ type: 'checkbox', name: 'permission', value, label: value, isChecked: held.includes(value) }))}
    <label class="field">
      <span>Others</span>
      <input name="permissions" value=${others.join(' ')} autocapitalize="none" autocomplete="off" spellcheck=${false} placeholder="NAMESPACE#ACTION" />
    </label>
  </fieldset>`;
}
