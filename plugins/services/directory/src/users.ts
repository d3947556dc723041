import { SextantError } from '@sextant/core';
import { unknownUser } from '@sextant/contracts';
import type { DirectoryUser, NewUser } from '@sextant/contracts';
import type { Kysely, Selectable, Updateable } from 'kysely';
import { z } from 'zod';
import { keyOf } from './config.ts';
import type { ConfiguredUser } from './config.ts';
import type { DirectoryTables } from './tables.ts';

type Row = Selectable<DirectoryTables['directory_user']>;

const storedRoles = z.array(z.string());

/**
 * The users of the database, and over them those of the configuration. Of the latter the database holds only the id, in
 * a row that is disabled: a process with another configuration, or one that is never put into force, changes nothing.
 */
export class Users {
  readonly #db: Kysely<DirectoryTables>;
  readonly #configured: ReadonlyMap<string, ConfiguredUser>;

  constructor(db: Kysely<DirectoryTables>, configured: ReadonlyMap<string, ConfiguredUser>) {
    this.#db = db;
    this.#configured = configured;
  }

  /** Gives the users of the configuration an id, if they have none yet. */
  static async open(db: Kysely<DirectoryTables>, configured: readonly ConfiguredUser[]): Promise<Users> {
    const byKey = new Map(configured.map((user) => [keyOf(user.name), user]));
    const rows = await db.selectFrom('directory_user').select('name_key').execute();
    const known = new Set(rows.map(({ name_key: key }) => key));
    const unknown = [...byKey].filter(([key]) => !known.has(key));
    const values = unknown.map(([key, { name }]) => ({ name, name_key: key, is_disabled: 1 }));
    // One by one: the number of parameters of a statement is limited.
    if (values.length > 0)
      await db.transaction().execute(async (transaction) => {
        for (const value of values)
          await transaction
            .insertInto('directory_user')
            .values(value)
            .onConflict((conflict) => conflict.doNothing())
            .execute();
      });
    return new Users(db, byKey);
  }

  /** By name. */
  async all(): Promise<DirectoryUser[]> {
    const rows = await this.#db.selectFrom('directory_user').selectAll().orderBy('name_key').execute();
    return rows.map((row) => this.#toUser(row));
  }

  async find(name: string): Promise<DirectoryUser | undefined> {
    const row = await this.#db
      .selectFrom('directory_user')
      .selectAll()
      .where('name_key', '=', keyOf(name))
      .executeTakeFirst();
    return row && this.#toUser(row);
  }

  async findById(id: number): Promise<DirectoryUser | undefined> {
    const row = await this.#db.selectFrom('directory_user').selectAll().where('id', '=', id).executeTakeFirst();
    return row && this.#toUser(row);
  }

  /** Throws `conflict` when the name is taken. */
  async add({
    name,
    email,
    isServiceAccount = false,
    isSiteAdmin = false,
    roles = [],
  }: NewUser): Promise<DirectoryUser> {
    const added = await this.#db
      .insertInto('directory_user')
      .values({
        name,
        name_key: keyOf(name),
        email: email ?? null,
        is_service_account: Number(isServiceAccount),
        is_site_admin: Number(isSiteAdmin),
        roles: JSON.stringify(roles),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (added) return this.#toUser(added);
    const taken = await this.find(name);
    const hint = taken?.isDisabled ? `, who is disabled; user enable ${taken.name} lets it in again` : '';
    throw new SextantError('conflict', `the name "${name}" is taken by user ${taken?.id}${hint}`);
  }

  /** Throws `not_found`, or `conflict` for who is managed elsewhere and for the last site administrator. */
  setDisabled(name: string, isDisabled: boolean): Promise<DirectoryUser> {
    return this.#change(name, async (user, users) => {
      if (isDisabled && user.isSiteAdmin) await users.#requireOtherAdministrator(user);
      return { is_disabled: Number(isDisabled) };
    });
  }

  /** Throws `not_found`, or `conflict` for who is managed elsewhere. */
  setRoles(name: string, roles: readonly string[]): Promise<DirectoryUser> {
    return this.#change(name, async () => ({ roles: JSON.stringify(roles) }));
  }

  #change(
    name: string,
    change: (user: DirectoryUser, users: Users) => Promise<Updateable<DirectoryTables['directory_user']>>,
  ): Promise<DirectoryUser> {
    return this.#db.transaction().execute(async (transaction) => {
      const users = new Users(transaction, this.#configured);
      const user = await users.find(name);
      if (!user) throw await users.#unknown(name);
      if (user.managedBy === 'config')
        throw new SextantError(
          'conflict',
          `${user.name} is managed by the configuration file; change it there (key "users")`,
        );
      const changes = await change(user, users);
      const update = transaction.updateTable('directory_user').set(changes).where('id', '=', user.id);
      return this.#toUser(await update.returningAll().executeTakeFirstOrThrow());
    });
  }

  async #requireOtherAdministrator({ id, name }: DirectoryUser): Promise<void> {
    const others = (await this.all()).filter((user) => user.isSiteAdmin && !user.isDisabled && user.id !== id);
    if (others.length === 0)
      throw new SextantError(
        'conflict',
        `${name} is the last site administrator; make another one first: user add NAME --site-admin`,
      );
  }

  async #unknown(name: string): Promise<SextantError> {
    return unknownUser(
      name,
      (await this.all()).map((user) => user.name),
    );
  }

  #toUser(row: Row): DirectoryUser {
    const configured = this.#configured.get(row.name_key);
    return { id: row.id, ...(configured ? asConfigured(configured) : asStored(row)) };
  }
}

const asConfigured = ({
  name,
  email,
  serviceAccount,
  siteAdmin,
  roles,
}: ConfiguredUser): Omit<DirectoryUser, 'id'> => ({
  name,
  ...(email !== undefined && { email }),
  isServiceAccount: serviceAccount,
  isSiteAdmin: siteAdmin,
  isDisabled: false,
  roles,
  managedBy: 'config',
});

const asStored = (row: Row): Omit<DirectoryUser, 'id'> => ({
  name: row.name,
  ...(row.email !== null && { email: row.email }),
  isServiceAccount: row.is_service_account === 1,
  isSiteAdmin: row.is_site_admin === 1,
  isDisabled: row.is_disabled === 1,
  roles: storedRoles.parse(JSON.parse(row.roles)),
  managedBy: 'database',
});
