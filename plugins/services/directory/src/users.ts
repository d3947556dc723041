import { isDeepStrictEqual } from 'node:util';
import { SextantError, didYouMean } from '@sextant/core';
import { administratorName } from '@sextant/contracts';
import type { DirectoryUser, NewUser } from '@sextant/contracts';
import { sql } from 'kysely';
import type { Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import type { ConfiguredUser } from './config.ts';
import type { DirectoryTables } from './tables.ts';

const storedRoles = z.array(z.string());

type Row = Selectable<DirectoryTables['directory_user']>;

/** The users of the database, those of the configuration among them. */
export class Users {
  readonly #db: Kysely<DirectoryTables>;

  constructor(db: Kysely<DirectoryTables>) {
    this.#db = db;
  }

  async all(): Promise<DirectoryUser[]> {
    const rows = await this.#db.selectFrom('directory_user').selectAll().execute();
    return rows.map(toUser).toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
  }

  async find(name: string): Promise<DirectoryUser | undefined> {
    const row = await this.#named(name).selectAll().executeTakeFirst();
    return row && toUser(row);
  }

  async findById(id: number): Promise<DirectoryUser | undefined> {
    const row = await this.#db.selectFrom('directory_user').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toUser(row);
  }

  /** Throws `conflict` when the name is taken. */
  async add({ name, email, isServiceAccount = false, isSiteAdmin = false, roles = [] }: NewUser): Promise<DirectoryUser> {
    return this.#db.transaction().execute(async (transaction) => {
      const users = new Users(transaction);
      const taken = await users.find(name);
      if (taken) throw new SextantError('conflict', `the name "${name}" is taken by user ${taken.id}${taken.isDisabled ? ', who is disabled' : ''}`);
      const values = { name, email: email ?? null, ...flags({ isServiceAccount, isSiteAdmin }), roles: JSON.stringify(roles) };
      return toUser(await transaction.insertInto('directory_user').values(values).returningAll().executeTakeFirstOrThrow());
    });
  }

  /** Throws `not_found`, or `conflict` for who is managed elsewhere and for the last site administrator. */
  async setDisabled(name: string, isDisabled: boolean): Promise<DirectoryUser> {
    return this.#db.transaction().execute(async (transaction) => {
      const users = new Users(transaction);
      const user = await users.find(name);
      if (!user) throw await users.#unknown(name);
      if (user.managedBy === 'config')
        throw new SextantError('conflict', `${user.name} is managed by the configuration file; change it there (key "users")`);
      if (isDisabled && user.isSiteAdmin) await users.#requireOtherAdministrator(user);
      const update = transaction.updateTable('directory_user').set({ is_disabled: Number(isDisabled) }).where('id', '=', user.id);
      return toUser(await update.returningAll().executeTakeFirstOrThrow());
    });
  }

  /**
   * Makes the users of the configuration what it says, and disables those that it no longer names (`admin` aside, without
   * whom nobody might be left to repair things). Ids stay. A user of the database whom the configuration names belongs to it.
   */
  async configure(configured: readonly ConfiguredUser[]): Promise<void> {
    await this.#db.transaction().execute(async (transaction) => {
      const users = new Users(transaction);
      const before = await users.all();
      const names = new Set(configured.map(({ name }) => name.toLowerCase()));
      const gone = before.filter(({ name, managedBy }) => managedBy === 'config' && !names.has(name.toLowerCase()));
      for (const { id, name } of gone) {
        const isDisabled = Number(name !== administratorName);
        await transaction.updateTable('directory_user').set({ is_disabled: isDisabled, is_configured: 0 }).where('id', '=', id).execute();
      }
      for (const user of configured) await users.#configureOne(user);
    });
  }

  /** The administrator of the first start. */
  async ensureAdministrator(): Promise<void> {
    if (await this.find(administratorName)) return;
    await this.add({ name: administratorName, isSiteAdmin: true }).catch(async (error: unknown) => {
      // Another process may have been first.
      if (!(await this.find(administratorName))) throw error;
    });
  }

  async #configureOne({ name, email, roles, serviceAccount, siteAdmin }: ConfiguredUser): Promise<void> {
    const values = {
      name,
      email: email ?? null,
      ...flags({ isServiceAccount: serviceAccount, isSiteAdmin: siteAdmin }),
      is_disabled: 0,
      is_configured: 1,
      roles: JSON.stringify(roles),
    };
    const row = await this.#named(name).selectAll().executeTakeFirst();
    if (!row) await this.#db.insertInto('directory_user').values(values).execute();
    // A start that changes nothing must write nothing: every write makes caches read again.
    else if (!isDeepStrictEqual({ ...row, ...values }, row))
      await this.#db.updateTable('directory_user').set(values).where('id', '=', row.id).execute();
  }

  #named(name: string) {
    return this.#db.selectFrom('directory_user').where(sql`lower(name)`, '=', name.toLowerCase());
  }

  async #requireOtherAdministrator({ id, name }: DirectoryUser): Promise<void> {
    const others = (await this.all()).filter((user) => user.isSiteAdmin && !user.isDisabled && user.id !== id);
    if (others.length === 0)
      throw new SextantError('conflict', `${name} is the last site administrator; make another one first: user add NAME --site-admin`);
  }

  async #unknown(name: string): Promise<SextantError> {
    const names = (await this.all()).map((user) => user.name);
    return new SextantError('not_found', `there is no user "${name}".${didYouMean(name, names)}`);
  }
}

const flags = ({ isServiceAccount, isSiteAdmin }: { isServiceAccount: boolean; isSiteAdmin: boolean }) => ({
  is_service_account: Number(isServiceAccount),
  is_site_admin: Number(isSiteAdmin),
});

function toUser(row: Row): DirectoryUser {
  return {
    id: row.id,
    name: row.name,
    ...(row.email !== null && { email: row.email }),
    isServiceAccount: row.is_service_account === 1,
    isSiteAdmin: row.is_site_admin === 1,
    isDisabled: row.is_disabled === 1,
    roles: storedRoles.parse(JSON.parse(row.roles)),
    managedBy: row.is_configured === 1 ? 'config' : 'database',
  };
}
