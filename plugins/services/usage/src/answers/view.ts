import type { Directory, UsageUser } from '@sextant/contracts';
import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import { isHere } from '../database/row-writer.ts';
import type { UsageTables } from '../database/tables.ts';

/** What one caller may see of one instance. */
export interface View {
  readonly db: Kysely<UsageTables>;
  readonly instanceId: number;
  /** Absent: everyone's. */
  readonly userId: number | undefined;
  /** Names of the repositories that may be known, by number. Reads all of them: a look asks once. */
  repositories(): Promise<ReadonlyMap<number, string>>;
  /** The users that may be seen, by id. */
  people(): Promise<UsageUser[]>;
  /** Brings the sums up to date. */
  settle(): Promise<void>;
}

/** The number of a repository. One that is unknown and one that may not be known have the same, of which there are no calls. */
export async function numberOf(view: View, repository: string): Promise<number> {
  for (const [id, name] of await view.repositories()) if (name === repository) return id;
  return nobody;
}

/** No user, and no repository, has it: a list in SQL must not be empty. */
export const nobody = -1;

/** Whether a user is one of many. They are one parameter: SQLite takes 32,766 of them, PostgreSQL 65,535. */
export const isOneOf = (db: View['db'], users: readonly number[]): RawBuilder<boolean> =>
  isHere(db)
    ? sql`user_id in (select value from json_each(${JSON.stringify(users)}))`
    : sql`user_id = any(${`{${users.join()}}`}::bigint[])`;

/** Whoever is not in the directory any more keeps the number, and nothing else. */
export const formerUser = (id: number): UsageUser => ({
  id,
  name: '',
  email: '',
  isActive: false,
  isServiceAccount: false,
  isSiteAdmin: false,
});

/** The users of this instance by id, or one of them. */
export async function people(directory: Pick<Directory, 'list'>, only?: number): Promise<UsageUser[]> {
  return (await directory.list())
    .filter(({ id }) => only === undefined || id === only)
    .map(({ id, name, email = '', isDisabled, isServiceAccount, isSiteAdmin }) => ({
      id,
      name,
      email,
      isActive: !isDisabled,
      isServiceAccount,
      isSiteAdmin,
    }))
    .toSorted((a, b) => a.id - b.id);
}
