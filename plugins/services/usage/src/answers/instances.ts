import type { UsageUser } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import type { Kysely } from 'kysely';
import type { UsageTables } from '../database/tables.ts';

export interface OtherInstance {
  readonly id: number;
  readonly host: string;
}

/** The instances that send their sums here, with their users. */
export class Instances {
  readonly #db: Kysely<UsageTables>;

  constructor(db: Kysely<UsageTables>) {
    this.#db = db;
  }

  find(host: string): Promise<OtherInstance | undefined> {
    return this.#all().where('host', '=', host).executeTakeFirst();
  }

  /** By host. */
  list(): Promise<OtherInstance[]> {
    return this.#all().orderBy('host').execute();
  }

  /** By id. */
  async people(instanceId: number): Promise<UsageUser[]> {
    const people = await this.#db
      .selectFrom('usage_person')
      .selectAll()
      .where('instance_id', '=', instanceId)
      .orderBy('user_id')
      .execute();
    return people.map((person) => ({
      id: person.user_id,
      name: person.name,
      email: person.email,
      isActive: person.is_active === 1,
      isServiceAccount: person.is_service_account === 1,
      isSiteAdmin: person.is_site_admin === 1,
    }));
  }

  #all() {
    return this.#db.selectFrom('usage_instance').select(['id', 'host']);
  }
}

/** The same for an instance that is unknown and one that the caller has nothing to do with. */
export const inaccessible = (): SextantError =>
  new SextantError(
    'forbidden',
    'this token may not access that instance; instanceURL is the host of an instance that it belongs to',
  );

/** Host and port of a URL or a bare host; undefined when it is neither. */
export function hostOf(instance: string, protocol: string): string | undefined {
  const text = instance.trim();
  const url = /^https?:\/\//i.test(text) ? text : `${protocol}//${text}`;
  return URL.canParse(url) ? new URL(url).host : undefined;
}
