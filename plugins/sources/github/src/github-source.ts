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
} from '@sextant/contracts';
import { SextantError, isSextantError } from '@sextant/core';
import { isSignedBy } from '@sextant/library-host-api';
import { z } from 'zod';
import { foundUsers, hostRepository, repositoryIn, user as userSchema, visibilityOf } from './answers.ts';
import type { GitHubRepository, GitHubUser } from './answers.ts';
import { clientsOf } from './clients.ts';
import type { Clients } from './clients.ts';
import type { GitHubConfig } from './config.ts';
import { Readers } from './readers.ts';
import type { ListedRepository } from './readers.ts';
import { Scopes } from './scopes.ts';
import type { FoundRepository } from './scopes.ts';

/** Repositories of a GitHub or a GitHub Enterprise, and what its accounts may read there. */
export class GitHubSource implements RepositorySource {
  readonly host: string;
  readonly cloneOrigins: readonly string[];
  readonly sshHosts: readonly string[];
  readonly #config: GitHubConfig;
  readonly #clients: Clients;
  readonly #scopes: Scopes;
  /** Undefined where nobody will ask who may read what. */
  readonly #readers: Readers | undefined;
  /** Whether those who did not sign in see nothing at all, as of the last list. */
  #needsSignIn: boolean | undefined;
  /** Repositories that everyone sees who has an account; undefined before the first complete list. */
  #open: ReadonlySet<string> | undefined;

  constructor(config: GitHubConfig, { log, permissions, onWait }: SourceContext) {
    const { host, hostname, origin } = new URL(config.url);
    this.#config = config;
    this.host = host;
    this.cloneOrigins = [origin];
    this.sshHosts = [hostname];
    this.#clients = clientsOf({ ...config, onWait });
    this.#scopes = new Scopes(config, this.#clients);
    this.#readers = permissions === 'sync' ? new Readers(log) : undefined;
  }

  check(signal: AbortSignal): Promise<SourceCheck> {
    return this.#clients.check(signal);
  }

  async *list(signal: AbortSignal): AsyncIterable<readonly HostRepository[]> {
    this.#needsSignIn = await this.#refusesStrangers(signal);
    const listed = new Map<string, ListedRepository>();
    for await (const page of this.#scopes.list(signal)) {
      const fresh = page.filter(({ repository }) => !listed.has(String(repository.id)));
      for (const found of fresh) listed.set(String(found.repository.id), listedOf(found));
      yield fresh.map(({ repository }) => this.#hostRepository(repository));
    }
    await this.#readers?.follow(listed, signal);
    this.#open = new Set([...listed.values()].flatMap(({ id, visibility }) => (visibility === 'public' ? [id] : [])));
  }

  async *listChanged(since: string, signal: AbortSignal): AsyncIterable<readonly HostRepository[]> {
    this.#needsSignIn ??= await this.#refusesStrangers(signal);
    const seen = new Set<number>();
    for await (const page of this.#scopes.listChanged(since, signal)) {
      const fresh = page.filter(({ repository }) => !seen.has(repository.id));
      for (const { repository } of fresh) seen.add(repository.id);
      this.#readers?.note(fresh.map(listedOf));
      yield fresh.map(({ repository }) => this.#hostRepository(repository));
    }
  }

  async login({ path }: HostRepository, signal: AbortSignal): Promise<GitLogin> {
    const [owner = ''] = path.split('/');
    return { username: 'x-access-token', password: await this.#clients.cloneToken(owner, signal) };
  }

  async account({ issuer, subject }: SignInIdentity, signal: AbortSignal): Promise<HostAccount | undefined> {
    if (issuer.replace(/\/+$/, '') !== this.#config.url || !/^[1-9]\d{0,18}$/.test(subject)) return undefined;
    return accountOf(await this.#user(subject, signal));
  }

  async accountOfEmail(email: string, signal: AbortSignal): Promise<HostAccount | undefined> {
    if (!/^[^\s":]{3,254}$/.test(email)) return undefined;
    const client = await this.#clients.any(signal);
    const query = { q: `${email} in:email type:user`, per_page: 10 };
    const asked = { path: '/search/users', query, quota: 'search', schema: foundUsers, waits: false, signal };
    const { value } = await client.read(asked);
    const users = await Promise.all(value.items.map(({ id }) => this.#user(String(id), signal)));
    const owners = users.filter((each) => each?.email?.toLowerCase() === email.toLowerCase());
    return owners.length === 1 ? accountOf(owners[0]) : undefined;
  }

  async readable({ id, login }: HostAccount, signal: AbortSignal): Promise<ReadableRepositories> {
    if (accountOf(await this.#user(id, signal))?.login !== login) return { whole: [], ids: [] };
    if (!this.#open || !this.#readers)
      throw new SextantError('unavailable', `the repositories of ${this.host} were not listed yet`);
    const { ids, asOf } = await this.#readers.of(id, signal);
    return { whole: ['public'], ids: this.#needsSignIn === true ? [...this.#open, ...ids] : ids, asOf };
  }

  readMessage({ headers, body }: HostMessage): HostEvent | undefined {
    const { webhookSecret } = this.#config;
    const signature = headers.get('x-hub-signature-256') ?? '';
    if (webhookSecret === undefined || !signature.startsWith('sha256=')) return undefined;
    if (!isSignedBy(webhookSecret, body, signature.slice('sha256='.length))) return undefined;
    switch (headers.get('x-github-event')) {
      case 'push':
      case 'create':
      case 'delete':
        return { kind: 'pushed', repositoryId: repositoryIn(body) };
      case 'repository':
      case 'public':
        this.#readers?.noteRosters();
        return { kind: 'repositories' };
      case 'installation':
      case 'installation_repositories':
      case 'installation_target':
        this.#clients.forget();
        return { kind: 'repositories' };
      case 'member':
        this.#readers?.noteCollaborators(repositoryIn(body));
        return { kind: 'access' };
      case 'team':
      case 'team_add':
      case 'membership':
      case 'organization':
        this.#readers?.noteRosters();
        return { kind: 'access' };
      default:
        return { kind: 'other' };
    }
  }

  #hostRepository(given: GitHubRepository): HostRepository {
    return hostRepository(given, this.#needsSignIn === true);
  }

  /** An Enterprise in private mode shows public repositories to accounts only. */
  async #refusesStrangers(signal: AbortSignal): Promise<boolean> {
    if (this.host === 'github.com') return false;
    try {
      const client = await this.#clients.any(signal);
      const asked = { path: '/events', query: { per_page: 1 }, schema: z.unknown() };
      await client.read({ ...asked, signsIn: false, waits: true, signal });
      return false;
    } catch (error) {
      if (isSextantError(error) && isRefusal.includes(error.code)) return true;
      throw error;
    }
  }

  async #user(id: string, signal: AbortSignal): Promise<GitHubUser | undefined> {
    const client = await this.#clients.any(signal);
    try {
      const { value } = await client.read({ path: `/user/${id}`, schema: userSchema, waits: false, signal });
      return String(value.id) === id ? value : undefined;
    } catch (error) {
      if (isSextantError(error) && error.code === 'not_found') return undefined;
      throw error;
    }
  }
}

const isRefusal: readonly string[] = ['unauthenticated', 'forbidden', 'not_found'];

const accountOf = (user: GitHubUser | undefined): HostAccount | undefined =>
  user && user.type === 'User' && !user.suspended_at ? { id: String(user.id), login: user.login } : undefined;

const listedOf = ({ repository, client }: FoundRepository): ListedRepository => ({
  id: String(repository.id),
  nodeId: repository.node_id,
  owner: {
    id: String(repository.owner.id),
    login: repository.owner.login,
    isOrganization: repository.owner.type === 'Organization',
  },
  visibility: visibilityOf(repository),
  client,
});
