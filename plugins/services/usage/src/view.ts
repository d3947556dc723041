import type { UsageUser } from '@sextant/contracts';
import type { Kysely } from 'kysely';
import type { UsageTables } from './tables.ts';

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
