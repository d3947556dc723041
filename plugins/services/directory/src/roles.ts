import { SextantError, builtInRoles, didYouMean, mcpAccess } from '@sextant/core';
import type { DirectoryUser } from '@sextant/contracts';
import type { DirectoryConfig } from './config.ts';

const defaults: Readonly<Record<string, readonly string[]>> = {
  [builtInRoles.user]: [mcpAccess],
  [builtInRoles.serviceAccount]: [],
};

/** What each role permits: the built-in ones as the configuration edits them, and the custom ones. */
export class Roles {
  readonly #permissions: ReadonlyMap<string, readonly string[]>;

  /** Throws when the configuration edits the role that holds everything. */
  constructor(configured: DirectoryConfig['roles']) {
    if (Object.hasOwn(configured, builtInRoles.siteAdministrator))
      throw new SextantError('invalid_argument', `roles: "${builtInRoles.siteAdministrator}" holds every permission and cannot be edited`);
    const custom = Object.entries(configured).map(([name, { permissions }]) => [name, permissions] as const);
    this.#permissions = new Map([...Object.entries(defaults), ...custom]);
  }

  /** Throws `invalid_argument` with the nearest name unless there are custom roles of these names. */
  requireCustom(names: readonly string[]): void {
    const custom = [...this.#permissions.keys()].filter((name) => !Object.hasOwn(defaults, name));
    const unknown = names.find((name) => !custom.includes(name));
    if (unknown === undefined) return;
    const known = custom.length > 0 ? `Custom roles: ${custom.join(', ')}.` : 'The configuration has no custom roles yet (key "roles").';
    throw new SextantError('invalid_argument', `unknown role "${unknown}".${didYouMean(unknown, custom)} ${known}`);
  }

  /** All roles that a user has: every user is a `User`, and flags add their built-in role. */
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
