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
import { HostApi } from '@sextant/library-host-api';
import { codeVisibility, hostRepository, ownToken, pageOfIds, pageOfUsers, user as userSchema } from './answers.ts';
import type { GitLabProject, GitLabUser } from './answers.ts';
import type { GitLabConfig } from './config.ts';
import { eventOf, isProven } from './messages.ts';
import { Scopes, byId, pageSize } from './scopes.ts';

/** Roles, as GitLab numbers them. In a private project a guest sees issues, and no code. */
const guest = 10;
const reporter = 20;

/** What decides about who may read the code of a project. */
interface Listed {
  readonly project: Visibility;
  /** As `HostRepository` says it. */
  readonly code: Visibility;
  readonly hasCode: boolean;
}

/** Projects of a GitLab, and whose code its accounts may read there. */
export class GitLabSource implements RepositorySource {
  readonly host: string;
  readonly cloneOrigins: readonly string[];
  readonly sshHosts: readonly string[];
  readonly #config: GitLabConfig;
  readonly #permissions: SourcePermissions;
  readonly #api: HostApi;
  readonly #scopes: Scopes;
  /** What was listed, by id; undefined before the first complete list. */
  #listed: Map<string, Listed> | undefined;

  constructor(config: GitLabConfig, { permissions, onWait }: SourceContext) {
    const { url, token, webhookSecret = '', requestsPerHour } = config;
    this.#config = config;
    this.#permissions = permissions;
    this.host = new URL(url).host;
    this.cloneOrigins = [new URL(url).origin];
    this.sshHosts = [new URL(url).hostname];
    this.#api = new HostApi({
      baseURL: `${url}/api/v4`,
      headers: async () => ({ authorization: `Bearer ${token}` }),
      secrets: () => [token, webhookSecret],
      requestsPerHour,
      onWait,
    });
    this.#scopes = new Scopes(config, this.#api);
  }

  async check(signal: AbortSignal): Promise<SourceCheck> {
    const run = { waits: false, signal };
    const { value: account } = await this.#api.read({ path: '/user', schema: userSchema, ...run });
    const { value: token } = await this.#api.read({ path: '/personal_access_tokens/self', schema: ownToken, ...run });
    const has = (...scopes: string[]): boolean => scopes.some((scope) => token.scopes.includes(scope));
    const tells = this.#permissions === 'none' || (account.is_admin && has('sudo'));
    const problems = [
      ...(has('api', 'read_api') ? [] : ['the token has no scope read_api: it cannot list projects']),
      ...(has('api', 'read_repository', 'write_repository')
        ? []
        : ['the token has no scope read_repository: it clones public projects only']),
      ...(tells ? [] : [this.#cannotTell(account.username)]),
    ];
    return { account: account.username, problems };
  }

  async *list(signal: AbortSignal): AsyncIterable<readonly HostRepository[]> {
    const listed = new Map<string, Listed>();
    for await (const projects of this.#scopes.list(signal)) yield taken(projects, listed);
    this.#listed = listed;
  }

  async *listChanged(since: string, signal: AbortSignal): AsyncIterable<readonly HostRepository[]> {
    for await (const projects of this.#scopes.listChanged(since, signal)) yield taken(projects, this.#listed);
  }

  async login(): Promise<GitLogin> {
    // Any name does for the tokens that people make; those of OAuth want this one.
    return { username: 'oauth2', password: this.#config.token };
  }

  async account({ issuer, subject }: SignInIdentity, signal: AbortSignal): Promise<HostAccount | undefined> {
    if (issuer.replace(/\/+$/, '') !== this.#config.url || !/^[1-9]\d{0,18}$/.test(subject)) return undefined;
    return accountOf(await this.#user(subject, signal));
  }

  async accountOfEmail(email: string, signal: AbortSignal): Promise<HostAccount | undefined> {
    const query = { search: email, per_page: pageSize };
    const { value } = await this.#api.read({ path: '/users', query, schema: pageOfUsers, waits: false, signal });
    const owners = value.filter(
      (each) => each.email?.toLowerCase() === email.toLowerCase() && Boolean(each.confirmed_at),
    );
    return owners.length === 1 ? accountOf(owners[0]) : undefined;
  }

  async readable({ id, login }: HostAccount, signal: AbortSignal): Promise<ReadableRepositories> {
    const user = await this.#user(id, signal);
    if (!user || accountOf(user)?.login !== login) return { whole: [], ids: [] };
    const listed = this.#listed;
    if (!listed) throw new SextantError('unavailable', `the projects of ${this.host} were not listed yet`);
    const whole: readonly Visibility[] = user.external ? ['public'] : ['public', 'internal'];
    /** What is not read as part of a whole kind. */
    const isClosed = ({ code, hasCode }: Listed): boolean => hasCode && !whole.includes(code);
    const ids: string[] = [];
    for (const project of ['private', 'internal', 'public'] as const) {
      if (![...listed.values()].some((each) => each.project === project && isClosed(each))) continue;
      const query = { visibility: project, min_access_level: project === 'private' ? reporter : guest };
      ids.push(...(await this.#memberOf(id, query, signal)));
    }
    return {
      whole,
      ids: ids.filter((each) => {
        const known = listed.get(each);
        return known !== undefined && isClosed(known);
      }),
    };
  }

  readMessage(message: HostMessage): HostEvent | undefined {
    const { webhookSecret } = this.#config;
    return webhookSecret !== undefined && isProven(message, webhookSecret) ? eventOf(message.body) : undefined;
  }

  /** Ids of the projects in which somebody has a role, as GitLab works it out from groups, invitations and shares. */
  async #memberOf(
    id: string,
    query: { visibility: Visibility; min_access_level: number },
    signal: AbortSignal,
  ): Promise<string[]> {
    const ids: string[] = [];
    const asked = { path: '/projects', query: { ...query, ...byId, simple: true }, headers: { sudo: id } };
    for await (const { value } of this.#api.pages({ ...asked, schema: pageOfIds, waits: false, signal }))
      ids.push(...value.map((each) => String(each.id)));
    return ids;
  }

  #cannotTell(login: string): string {
    const what =
      this.host === 'gitlab.com'
        ? 'nobody can at gitlab.com: write permissions: none, and access'
        : `${login} must be an administrator of ${this.host} with the scope sudo, and admin_mode where Admin Mode is on`;
    return `the token cannot tell what others may read: ${what}`;
  }

  async #user(id: string, signal: AbortSignal): Promise<GitLabUser | undefined> {
    try {
      const { value } = await this.#api.read({ path: `/users/${id}`, schema: userSchema, waits: false, signal });
      return String(value.id) === id ? value : undefined;
    } catch (error) {
      if (isSextantError(error) && error.code === 'not_found') return undefined;
      throw error;
    }
  }
}

function taken(projects: readonly GitLabProject[], listed: Map<string, Listed> | undefined): HostRepository[] {
  for (const project of projects) listed?.set(String(project.id), listedOf(project));
  return projects.map((project) => hostRepository(project, Date.now()));
}

const listedOf = (project: GitLabProject): Listed => ({
  project: project.visibility,
  code: codeVisibility(project),
  hasCode: project.repository_access_level !== 'disabled',
});

const accountOf = (user: GitLabUser | undefined): HostAccount | undefined =>
  user?.state === 'active' ? { id: String(user.id), login: user.username } : undefined;
