import type { DirectoryRole } from '@sextant/contracts';
import { SextantError, builtInRoles, didYouMean } from '@sextant/core';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { permission, roleName } from './config.ts';
import type { DirectoryConfig } from './config.ts';
import { Roles } from './roles.ts';
import type { DirectoryTables } from './tables.ts';

const storedPermissions = z.array(z.string());
const newRole = z.object({
  name: roleName.regex(/^\S(.*\S)?$/, 'must not begin or end with a space'),
  permissions: z.array(permission).max(1000),
});

/** The roles of the database, and over them those of the configuration. */
export class RoleStore {
  readonly #db: Kysely<DirectoryTables>;
  readonly #configured: DirectoryConfig['roles'];

  constructor(db: Kysely<DirectoryTables>, configured: DirectoryConfig['roles']) {
    this.#db = db;
    this.#configured = configured;
  }

  /** As they are at this moment, whoever changed them. */
  async read(): Promise<Roles> {
    const rows = await this.#db.selectFrom('directory_role').selectAll().execute();
    const stored = rows.map(({ name, permissions }) => [
      name,
      { permissions: storedPermissions.parse(JSON.parse(permissions)) },
    ]);
    return new Roles({ ...Object.fromEntries(stored), ...this.#configured });
  }

  async list(): Promise<DirectoryRole[]> {
    return (await this.read()).list().map((role) => ({ ...role, managedBy: this.#managerOf(role.name) }));
  }

  async save(role: { name: string; permissions: readonly string[] }): Promise<DirectoryRole> {
    const [issue] = newRole.safeParse(role).error?.issues ?? [];
    if (issue)
      throw new SextantError('invalid_argument', `the ${String(issue.path[0] ?? 'role')} of a role ${issue.message}`);
    const { name } = role;
    this.#requireOwn(name);
    const permissions = [...new Set(role.permissions)].toSorted();
    const row = { name, permissions: JSON.stringify(permissions) };
    await this.#db
      .insertInto('directory_role')
      .values(row)
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ permissions: row.permissions }))
      .execute();
    return { name, permissions, isBuiltIn: isBuiltIn(name), managedBy: 'database' };
  }

  /** Throws `not_found`, and `conflict` for roles that are built in or of the configuration. */
  async remove(name: string): Promise<void> {
    this.#requireOwn(name);
    if (isBuiltIn(name))
      throw new SextantError('conflict', `the role "${name}" is built in; change its permissions instead`);
    const { numDeletedRows } = await this.#db.deleteFrom('directory_role').where('name', '=', name).executeTakeFirst();
    if (numDeletedRows > 0n) return;
    const names = (await this.list()).map((role) => role.name);
    throw new SextantError('not_found', `there is no role "${name.slice(0, 100)}".${didYouMean(name, names)}`);
  }

  #requireOwn(name: string): void {
    if (this.#managerOf(name) === 'config')
      throw new SextantError(
        'conflict',
        `the role "${name}" is managed by the configuration file; change it there (key "roles")`,
      );
  }

  #managerOf = (name: string): 'config' | 'database' => (Object.hasOwn(this.#configured, name) ? 'config' : 'database');
}

const isBuiltIn = (name: string): boolean => Object.values<string>(builtInRoles).includes(name);
