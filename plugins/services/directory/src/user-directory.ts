import { SextantError, scopes } from '@sextant/core';
import type { Caller, Principals } from '@sextant/core';
import { CommittedReads } from '@sextant/contracts';
import type {
  Audit,
  ChangedBy,
  CredentialUse,
  Database,
  Directory,
  DirectoryRole,
  DirectoryUser,
  NewUser,
} from '@sextant/contracts';
import { z } from 'zod';
import { email, userName } from './config.ts';
import type { RoleStore } from './role-store.ts';
import type { Users } from './users.ts';

const cachedUsers = 10_000;

const newUser = z.object({ name: userName, email: email.optional() });

/** What a caller needs of a user; made once for as long as nothing changes. */
type Principal = Omit<Caller, 'scopes' | 'credential'>;

export interface UserDirectoryOptions {
  users: Users;
  roles: RoleStore;
  /** The one that holds the users. */
  database: Pick<Database, 'version'>;
  audit?: Audit | undefined;
}

/** Users with their roles and permissions as they are at this moment, whoever changed them. */
export class UserDirectory implements Directory, Principals {
  readonly #users: Users;
  readonly #roles: RoleStore;
  readonly #principals: CommittedReads<number, Principal>;
  readonly #audit: Audit | undefined;

  constructor({ users, roles, database, audit }: UserDirectoryOptions) {
    this.#users = users;
    this.#audit = audit;
    this.#roles = roles;
    this.#principals = new CommittedReads({ database, max: cachedUsers });
  }

  list(): Promise<DirectoryUser[]> {
    return this.#users.all();
  }

  find(name: string): Promise<DirectoryUser | undefined> {
    return this.#users.find(name);
  }

  async add(user: NewUser, by: ChangedBy = {}): Promise<DirectoryUser> {
    const [issue] = newUser.safeParse(user).error?.issues ?? [];
    if (issue) throw new SextantError('invalid_argument', `the ${issue.path.join('.')} of a user ${issue.message}`);
    (await this.#roles.read()).requireCustom(user.roles ?? []);
    const added = await this.#users.add(user);
    const detail = [...(added.isSiteAdmin ? ['site administrator'] : []), ...added.roles].join(', ');
    this.#record('user.added', added, { ...by, detail });
    return added;
  }

  async setDisabled(name: string, isDisabled: boolean, by: ChangedBy = {}): Promise<DirectoryUser> {
    const changed = await this.#users.setDisabled(name, isDisabled);
    this.#record(isDisabled ? 'user.disabled' : 'user.enabled', changed, by);
    return changed;
  }

  async setRoles(name: string, roles: readonly string[], by: ChangedBy = {}): Promise<DirectoryUser> {
    (await this.#roles.read()).requireCustom(roles);
    const changed = await this.#users.setRoles(name, [...new Set(roles)]);
    this.#record('roles.changed', changed, { ...by, detail: changed.roles.join(', ') || 'none' });
    return changed;
  }

  roles(): Promise<DirectoryRole[]> {
    return this.#roles.list();
  }

  async saveRole(role: Pick<DirectoryRole, 'name' | 'permissions'>, by: ChangedBy = {}): Promise<DirectoryRole> {
    const saved = await this.#roles.save(role);
    this.#record('role.changed', saved, { ...by, detail: saved.permissions.join(', ') || 'no permissions' });
    return saved;
  }

  async removeRole(name: string, by: ChangedBy = {}): Promise<void> {
    const holders = (await this.#users.all()).filter(({ roles }) => roles.includes(name)).map((user) => user.name);
    if (holders.length > 0)
      throw new SextantError('conflict', `the role "${name}" is held by ${listed(holders)}; take it from them first`);
    await this.#roles.remove(name);
    this.#record('role.removed', { name }, by);
  }

  async callerFor({ userId, scopes: granted, credential, asOf }: CredentialUse): Promise<Caller | undefined> {
    const principal = await this.#principals.read(userId, (id) => this.#principalOf(id), asOf);
    return principal && { ...principal, scopes: new Set(granted), credential };
  }

  async named(name: string): Promise<Caller | undefined> {
    const user = await this.#users.find(name);
    return user && this.callerFor({ userId: user.id, scopes, credential: `local:${user.id}` });
  }

  #record(
    action: string,
    { name: target }: Pick<DirectoryUser, 'name'>,
    { detail = '', ...by }: ChangedBy & { detail?: string },
  ): void {
    this.#audit?.record({ ...by, action, outcome: 'success', target, ...(detail && { detail }) });
  }

  async #principalOf(userId: number): Promise<Principal | undefined> {
    const user = await this.#users.findById(userId);
    if (!user || user.isDisabled) return undefined;
    const known = await this.#roles.read();
    const roles = known.of(user);
    const { id, name, email: address, isServiceAccount, isSiteAdmin } = user;
    return {
      user: { id, name, ...(address !== undefined && { email: address }), isServiceAccount, isSiteAdmin },
      roles,
      permissions: known.permissions(roles),
    };
  }
}

/** The first few, so that the sentence stays one. */
const listed = (names: readonly string[]): string =>
  `${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;
