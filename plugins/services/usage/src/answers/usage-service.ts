import type { Caller } from '@sextant/core';
import { seesEveryonesUsage } from '@sextant/contracts';
import type { Directory, InstanceUsage, Repositories, Usage, UsageUser } from '@sextant/contracts';
import type { Kysely } from 'kysely';
import { ViewedUsage } from './report-rows.ts';
import { Instances, hostOf, inaccessible } from './instances.ts';
import type { OtherInstance } from './instances.ts';
import { people } from './view.ts';
import { ownInstance } from '../database/tables.ts';
import type { UsageTables } from '../database/tables.ts';
import type { RepositoryKeys } from '../recording/repository-keys.ts';

export interface UsageServiceOptions {
  db: Kysely<UsageTables>;
  directory: Pick<Directory, 'list'>;
  /** Absent: nobody learns which repositories calls were about. */
  repositories: Pick<Repositories, 'list'> | undefined;
  keys: RepositoryKeys;
  externalURL: string;
  /** Brings the sums of this instance up to date. */
  settle(): Promise<void>;
}

/** The usage of this instance, and of those that send theirs here. */
export class UsageService implements Usage {
  readonly #options: UsageServiceOptions;
  readonly #instances: Instances;

  constructor(options: UsageServiceOptions) {
    this.#options = options;
    this.#instances = new Instances(options.db);
  }

  async open(caller: Caller, instanceURL: string): Promise<InstanceUsage> {
    const own = new URL(this.#options.externalURL);
    const host = hostOf(instanceURL, own.protocol);
    if (host === own.host) return this.#openOwn(caller);
    const other = host === undefined ? undefined : await this.#instances.find(host);
    const usage = other && (await this.#openOther(caller, other));
    if (usage) return usage;
    throw inaccessible();
  }

  async instances(caller: Caller): Promise<string[]> {
    const hosts = [new URL(this.#options.externalURL).host];
    for (const other of await this.#instances.list()) if (await this.#openOther(caller, other)) hosts.push(other.host);
    return hosts;
  }

  #openOwn(caller: Caller): InstanceUsage {
    const { db, directory, settle } = this.#options;
    const userId = seesEveryonesUsage(caller) ? undefined : caller.user.id;
    return new ViewedUsage({
      db,
      instanceId: ownInstance,
      userId,
      repositories: () => this.#namesFor(caller),
      people: () => people(directory, userId),
      settle,
    });
  }

  /** Of repositories that the caller may read now, whoever called: others are as if there were none. */
  async #namesFor(caller: Caller): Promise<ReadonlyMap<number, string>> {
    const { db, repositories, keys } = this.#options;
    const readable = (await repositories?.list(caller)) ?? [];
    const keyOf = await keys();
    const nameOf = new Map(readable.map(({ name }) => [keyOf.get(name), name]));
    const known = await db.selectFrom('usage_repository').selectAll().execute();
    return new Map(
      known.flatMap(({ id, name: key }) => {
        const name = nameOf.get(key);
        return name === undefined ? [] : [[id, name] as const];
      }),
    );
  }

  /** Of an instance that has users of its own, those with the caller's e-mail address are the caller. */
  async #openOther(caller: Caller, { id: instanceId }: OtherInstance): Promise<InstanceUsage | undefined> {
    const { db } = this.#options;
    const everyone = await this.#instances.people(instanceId);
    const sent = { db, instanceId, repositories: noNames, settle: nothing };
    if (seesEveryonesUsage(caller))
      return new ViewedUsage({ ...sent, userId: undefined, people: async () => everyone });
    const self = everyone.find((person) => isSame(person, caller));
    return self && new ViewedUsage({ ...sent, userId: self.id, people: async () => [self] });
  }
}

/** Which repositories calls were about is not sent: here nobody knows who may read them. */
const noNames = async (): Promise<ReadonlyMap<number, string>> => new Map();

/** Sums that others send are up to date as they come. */
const nothing = async (): Promise<void> => {};

const isSame = ({ email }: UsageUser, { user }: Caller): boolean =>
  email !== '' && email.toLowerCase() === user.email?.toLowerCase();
