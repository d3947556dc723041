import type { Directory, UsageUser } from '@sextant/contracts';
import type { Kysely } from 'kysely';
import type { UsageTables } from '../database/tables.ts';

/** What one caller may see of one instance. */
export interface View {
  readonly db: Kysely<UsageTables>;
  readonly instanceId: number;
  /** Absent: everyone's. */
  readonly userId: number | undefined;
  /** The users that may be seen, by id. */
  people(): Promise<UsageUser[]>;
  /** Brings the sums up to date. */
  settle(): Promise<void>;
}

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
