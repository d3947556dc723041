import type {
  GitLogin,
  HostAccount,
  HostEvent,
  HostMessage,
  HostRepository,
  ReadableRepositories,
  RepositorySource,
  SignInIdentity,
  SourceCheck,
  SourceContext,
  SourcePermissions,
  Visibility,
} from '@sextant/contracts';
import { SextantError, isSextantError } from '@sextant/core';
import { z } from 'zod';
import type { BitbucketConfig } from '../config.ts';
import { eventOf } from '../messages.ts';
import { group, hostRepository, isPublic, repository, user as userSchema } from './answers.ts';
import type { DataCenterRepository, DataCenterUser } from './answers.ts';
import { DataCenterClient } from './client.ts';
import { grantsOfProjects, grantsOfRepositories } from './grants.ts';
import type { Grants, ProjectGrants } from './grants.ts';

/** What decides about who reads what, as of the last complete list. */
interface Listed {
  readonly repositories: ReadonlyMap<number, DataCenterRepository>;
  readonly needsSignIn: boolean;
  readonly projects: ReadonlyMap<string, ProjectGrants>;
  readonly own: ReadonlyMap<number, Grants>;
  /** Milliseconds since 1970 at which the oldest part of it was asked for. */
  readonly at: number;
}

/** Repositories of a Bitbucket Data Center, and what its accounts may read there. */
export class DataCenterSource implements RepositorySource {
  readonly host: string;
  readonly cloneOrigins: readonly string[];
  readonly sshHosts: readonly string[];
  readonly #config: BitbucketConfig;
  readonly #permissions: SourcePermissions;
  readonly #client: DataCenterClient;
  #listed: Listed | undefined;

  constructor(config: BitbucketConfig, { permissions, onWait }: SourceContext) {
    const { url, token = '', webhookSecret = '', requestsPerHour } = config;
    this.#config = config;
    this.#permissions = permissions;
    this.host = new URL(url).host;
    this.cloneOrigins = [new URL(url).origin];
    this.sshHosts = [new URL(url).hostname];
    this.#client = new DataCenterClient({
      baseURL: `${url}/rest`,
      headers: async () => ({ authorization: `Bearer ${token}` }),
      secrets: () => [token, webhookSecret],
      requestsPerHour,
      onWait,
    });
  }

  async check(signal: AbortSignal): Promise<SourceCheck> {
    const account = this.#config.username ?? `a token of ${this.host}`;
    const ask = (path: string): Promise<unknown> =>
      this.#client.read({ path, query: { limit: 1 }, schema: z.unknown(), waits: false, signal });
    // Only those who sign in are told of users.
    await ask('/api/latest/users');
    try {
      if (this.#permissions === 'sync') await ask('/api/latest/admin/permissions/users');
      return { account, problems: [] };
    } catch (error) {
      if (!isSextantError(error) || !isRefusal.includes(error.code)) throw error;
      const problem = `the token cannot tell what others may read: it must be of an administrator of ${this.host}`;
      return { account, problems: [problem] };
    }
  }

  async *list(signal: AbortSignal): AsyncIterable<readonly HostRepository[]> {
    const at = Date.now();
    const repositories = await this.#all(signal);
    const again = await this.#all(signal);
    if ([...repositories.keys()].join() !== [...again.keys()].join())
      throw new SextantError('unavailable', `repositories of ${this.host} came or went while they were listed`);
    const needsSignIn = await this.#refusesStrangers(signal);
    const closed = [...repositories.values()].filter((each) => !isPublic(each));
    const isAsked = this.#permissions === 'sync';
    const projects = isAsked ? await grantsOfProjects(this.#client, projectsOf(closed), signal) : new Map();
    const inClosed = isAsked ? closed.filter(({ project }) => projects.get(project.key)?.isForAll !== true) : [];
    const own = await grantsOfRepositories(this.#client, inClosed, signal);
    this.#listed = { repositories, needsSignIn, projects, own, at };
    yield this.#described(repositories.values());
  }

  async *listChanged(since: string, signal: AbortSignal): AsyncIterable<readonly HostRepository[]> {
    const listed = this.#listed;
    const now = await this.#all(signal);
    if (
      !listed ||
      [...now.values()].some((each) => !isSame(each, listed.repositories.get(each.id))) ||
      now.size !== listed.repositories.size
    )
      throw new SextantError('conflict', `other repositories of ${this.host} are there than were listed`);
    yield this.#described(now.values()).filter(({ changed }) => changed >= since);
  }

  async login(): Promise<GitLogin> {
    // Tokens of projects and repositories have no account.
    return { username: this.#config.username ?? 'x-token-auth', password: this.#config.token ?? '' };
  }

  /** By the name of the account. */
  async account({ issuer, subject }: SignInIdentity, signal: AbortSignal): Promise<HostAccount | undefined> {
    if (issuer.replace(/\/+$/, '') !== this.#config.url) return undefined;
    const found = await this.#users({ filter: subject }, signal);
    return accountOf(found.find(({ name }) => name === subject));
  }

  async accountOfEmail(email: string, signal: AbortSignal): Promise<HostAccount | undefined> {
    const found = await this.#users({ filter: email }, signal);
    const owners = found.filter(({ emailAddress }) => emailAddress?.toLowerCase() === email.toLowerCase());
    return owners.length === 1 ? accountOf(owners[0]) : undefined;
  }

  async readable({ id, login }: HostAccount, signal: AbortSignal): Promise<ReadableRepositories> {
    // Who has no licence may sign in, and reads nothing.
    const found = await this.#users({ filter: login, permission: 'LICENSED_USER' }, signal);
    const account = found.find((each) => each.name === login && String(each.id) === id);
    if (!accountOf(account)) return { whole: [], ids: [] };
    const listed = this.#listed;
    if (!listed) throw new SextantError('unavailable', `the repositories of ${this.host} were not listed yet`);
    const path = '/api/latest/admin/users/more-members';
    const groups = await this.#client.all({ path, query: { context: login }, schema: group, waits: false, signal });
    const names = groups.map(({ name }) => name);
    const isGiven = (grants: Grants | undefined): boolean =>
      grants !== undefined && (grants.users.has(Number(id)) || names.some((name) => grants.groups.has(name)));
    const ids = [...listed.repositories.values()]
      .filter((each) => isGiven(listed.projects.get(each.project.key)) || isGiven(listed.own.get(each.id)))
      .map((each) => String(each.id));
    return { whole: ['public', 'internal'], ids, asOf: listed.at };
  }

  readMessage(message: HostMessage): HostEvent | undefined {
    return eventOf(message, this.#config.webhookSecret);
  }

  #described(given: Iterable<DataCenterRepository>): HostRepository[] {
    const now = Date.now();
    return [...given].map((each) => hostRepository(each, this.#visibilityOf(each), now));
  }

  #visibilityOf(given: DataCenterRepository): Visibility {
    if (isPublic(given)) return this.#listed?.needsSignIn === true ? 'internal' : 'public';
    return this.#listed?.projects.get(given.project.key)?.isForAll === true ? 'internal' : 'private';
  }

  /** Everything that the configuration asks for, by id. */
  async #all(signal: AbortSignal): Promise<Map<number, DataCenterRepository>> {
    const { projects } = this.#config;
    const found = new Map<number, DataCenterRepository>();
    for (const key of projects.length > 0 ? projects : [undefined]) {
      const query = { archived: 'ALL', ...(key !== undefined && { projectkey: key }) };
      const asked = { path: '/api/latest/repos', query, schema: repository, waits: true, signal };
      for (const each of await this.#client.all(asked))
        if (key === undefined || each.project.key.toUpperCase() === key.toUpperCase()) found.set(each.id, each);
    }
    return new Map([...found].toSorted(([one], [other]) => one - other));
  }

  /** Whether people who did not sign in see nothing, as where public access is switched off. */
  async #refusesStrangers(signal: AbortSignal): Promise<boolean> {
    const asked = { path: '/api/latest/repos', query: { visibility: 'public' }, signsIn: false };
    try {
      for await (const page of this.#client.pages({ ...asked, schema: repository, waits: true, signal }))
        return page.length === 0;
    } catch (error) {
      if (!isSextantError(error) || !isRefusal.includes(error.code)) throw error;
    }
    return true;
  }

  #users(query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<DataCenterUser[]> {
    return this.#client.all({ path: '/api/latest/users', query, schema: userSchema, waits: false, signal });
  }
}

/** Data Center answers 401 also to those that it knows. */
const isRefusal: readonly string[] = ['unauthenticated', 'forbidden'];

const projectsOf = (repositories: readonly DataCenterRepository[]): Iterable<DataCenterRepository['project']> =>
  new Map(repositories.map(({ project }) => [project.key, project])).values();

const isSame = (one: DataCenterRepository, other: DataCenterRepository | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const accountOf = (user: DataCenterUser | undefined): HostAccount | undefined =>
  user?.active === true ? { id: String(user.id), login: user.name } : undefined;
