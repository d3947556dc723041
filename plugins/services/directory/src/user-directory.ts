import { scopes } from '@sextant/core';
import type { Caller, Principals } from '@sextant/core';
import type { CredentialUse, Database, Directory, DirectoryUser, NewUser } from '@sextant/contracts';
import { LRUCache } from 'lru-cache';
import type { Roles } from './roles.ts';
import type { Users } from './users.ts';

const cachedUsers = 10_000;

/** What a caller needs of a user; made once for as long as nothing changes. */
type Principal = Omit<Caller, 'scopes' | 'credential'>;

export interface UserDirectoryOptions {
  users: Users;
  roles: Roles;
  /** Of the database that holds the users. */
  version: Database['version'];
}

/** Users with their roles and permissions as they are at this moment, whoever changed them. */
export class UserDirectory implements Directory, Principals {
  readonly #users: Users;
  readonly #roles: Roles;
  readonly #version: Database['version'];
  readonly #principals = new LRUCache<number, { principal: Principal | undefined }>({ max: cachedUsers });
  #cachedVersion: number | undefined;

  constructor({ users, roles, version }: UserDirectoryOptions) {
    this.#users = users;
    this.#roles = roles;
    this.#version = version;
  }

  list(): Promise<DirectoryUser[]> {
    return this.#users.all();
  }

  find(name: string): Promise<DirectoryUser | undefined> {
    return this.#users.find(name);
  }

  async add(user: NewUser): Promise<DirectoryUser> {
    this.#roles.requireCustom(user.roles ?? []);
    return this.#users.add(user);
  }

  setDisabled(name: string, isDisabled: boolean): Promise<DirectoryUser> {
    return this.#users.setDisabled(name, isDisabled);
  }

  async callerFor({ userId, scopes: granted, credential }: CredentialUse): Promise<Caller | undefined> {
    const principal = await this.#principalOf(userId);
    return principal && { ...principal, scopes: new Set(granted), credential };
  }

  async named(name: string): Promise<Caller | undefined> {
    const user = await this.#users.find(name);
    return user && this.callerFor({ userId: user.id, scopes, credential: `local:${user.id}` });
  }

  async #principalOf(id: number): Promise<Principal | undefined> {
    const version = this.#version();
    if (version === undefined || version !== this.#cachedVersion) this.#principals.clear();
    this.#cachedVersion = version;
    const known = this.#principals.get(id);
    if (known) return known.principal;
    const user = await this.#users.findById(id);
    const principal = user && !user.isDisabled ? this.#toPrincipal(user) : undefined;
    // What was read while something changed may be old already.
    if (version !== undefined && version === this.#version()) this.#principals.set(id, { principal });
    return principal;
  }

  #toPrincipal(user: DirectoryUser): Principal {
    const roles = this.#roles.of(user);
    const { id, name, email, isServiceAccount, isSiteAdmin } = user;
    return {
      user: { id, name, ...(email !== undefined && { email }), isServiceAccount, isSiteAdmin },
      roles,
      permissions: this.#roles.permissions(roles),
    };
  }
}
