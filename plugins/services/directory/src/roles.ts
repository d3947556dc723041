import { SextantError, builtInRoles, mcpAccess, nearest } from '@sextant/core';
import type { DirectoryRole, DirectoryUser } from '@sextant/contracts';
import type { DirectoryConfig } from './config.ts';

const defaults: Readonly<Record<string, readonly string[]>> = {
  [builtInRoles.user]: [mcpAccess],
  [builtInRoles.serviceAccount]: [],
};

const builtIn: readonly string[] = Object.values(builtInRoles);

/** What each role permits: the built-in ones as they were edited, and the custom ones. */
export class Roles {
  readonly #permissions: ReadonlyMap<string, readonly string[]>;

  constructor(configured: DirectoryConfig['roles']) {
    const edited = Object.entries(configured).map(([name, { permissions }]) => [name, permissions] as const);
    this.#permissions = new Map([...Object.entries(defaults), ...edited]);
  }

  /** The built-in ones first, then by name. */
  list(): Omit<DirectoryRole, 'managedBy'>[] {
    const names = [...builtIn, ...[...this.#permissions.keys()].filter((name) => !builtIn.includes(name)).toSorted()];
    return names.map((name) => ({
      name,
      permissions: (this.#permissions.get(name) ?? []).toSorted(),
      isBuiltIn: builtIn.includes(name),
    }));
  }

  /** Why a user cannot be given this role; undefined for a custom role that exists. */
  problemOf(name: string): string | undefined {
    if (builtIn.includes(name))
      return 'is built in: everyone is a User, and what else one is follows from siteAdmin and serviceAccount';
    if (this.#permissions.has(name)) return undefined;
    const custom = [...this.#permissions.keys()].filter((known) => !builtIn.includes(known));
    const meant = nearest(name, custom);
    if (meant !== undefined) return `is no custom role (did you mean "${meant}"?)`;
    return custom.length === 0
      ? 'is no custom role (the configuration has none; key "roles")'
      : `is no custom role (there are ${custom.join(', ')})`;
  }

  /** Throws `invalid_argument` for the first name that is no custom role. */
  requireCustom(names: readonly string[]): void {
    for (const name of names) {
      const problem = this.problemOf(name);
      if (problem !== undefined)
        throw new SextantError('invalid_argument', `the role "${name.slice(0, 100)}" ${problem}`);
    }
  }

  /** All roles that a user has: everyone is a `User`, and flags add their built-in role. */
  of({ isServiceAccount, isSiteAdmin, roles }: DirectoryUser): ReadonlySet<string> {
    return new Set([
      builtInRoles.user,
      ...(isServiceAccount ? [builtInRoles.serviceAccount] : []),
      ...(isSiteAdmin ? [builtInRoles.siteAdministrator] : []),
      ...roles,
    ]);
  }

  /** The union of the rights of these roles. */
  permissions(roles: ReadonlySet<string>): ReadonlySet<string> {
    return new Set([...roles].flatMap((role) => this.#permissions.get(role) ?? []));
  }
}
