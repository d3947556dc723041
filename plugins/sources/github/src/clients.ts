import type { SourceCheck, SourceContext } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import { RenewedToken, fixedToken } from '@sextant/library-host-api';
import type { Credential } from '@sextant/library-host-api';
import { app as appSchema, installationToken, installations, user } from './answers.ts';
import { GitHubClient } from './client.ts';
import type { GitHubApp, GitHubConfig } from './config.ts';
import { appToken } from './credentials.ts';

/** A client that sees the repositories of one account, as an installation of a GitHub App. */
export interface Installation {
  readonly login: string;
  readonly isOrganization: boolean;
  readonly client: GitHubClient;
}

/** Who this server is at GitHub: an account with a token, or an app with one for each installation. */
export interface Clients {
  check(signal: AbortSignal): Promise<SourceCheck>;
  /** For what is not about one owner. */
  any(signal: AbortSignal): Promise<GitHubClient>;
  /** What git clones repositories of an owner with. */
  cloneToken(owner: string, signal: AbortSignal): Promise<string>;
  /** Undefined: one client sees everything. */
  installations(signal: AbortSignal): Promise<readonly Installation[] | undefined>;
  /** Other installations are there than before. */
  forget(): void;
}

/** The configuration, with where waits are told. */
type ClientConfig = GitHubConfig & Pick<SourceContext, 'onWait'>;

export function clientsOf(config: ClientConfig): Clients {
  const { token, app } = config;
  if (app) return new AppClients(config, app);
  if (token !== undefined) return personalClients(config, token);
  throw new SextantError('invalid_argument', 'needs a "token" or an "app"');
}

function clientWith(
  { url, webhookSecret = '', requestsPerHour, onWait }: ClientConfig,
  credential: Credential,
): GitHubClient {
  return new GitHubClient({ url, credential, requestsPerHour, onWait, secrets: [webhookSecret] });
}

function personalClients(config: ClientConfig, token: string): Clients {
  const client = clientWith(config, fixedToken(token));
  return {
    async check(signal) {
      const { value, headers } = await client.read({ path: '/user', schema: user, waits: false, signal });
      return { account: value.login, problems: problemsOf(headers.get('x-oauth-scopes'), config) };
    },
    any: async () => client,
    cloneToken: async () => token,
    installations: async () => undefined,
    forget: () => undefined,
  };
}

/** Scopes of a classic token; a fine-grained one does not say what it may do. */
function problemsOf(given: string | null, { organizations }: GitHubConfig): string[] {
  if (given === null) return [];
  const scopes = given.split(/[ ,]+/);
  const isShort = organizations.length > 0 && !scopes.includes('admin:org');
  return [
    ...(scopes.includes('repo') ? [] : ['the token has no scope repo: it sees public repositories only']),
    ...(isShort ? ['the token has no scope admin:org: it cannot tell what members may read without a team'] : []),
  ];
}

/** What an app must be allowed to do, with what fails without it. */
const neededByApp: Readonly<Record<string, string>> = {
  contents: 'repositories cannot be cloned',
  metadata: 'repositories cannot be listed',
  members: 'it cannot tell who is in a team',
  organization_administration: 'it cannot tell what members may read without a team',
};

/** How long the installations of an app hold. */
const installationsMs = 600_000;

class AppClients implements Clients {
  readonly #config: ClientConfig;
  readonly #app: GitHubClient;
  readonly #known = new Map<number, Installation & { readonly credential: RenewedToken }>();
  #found: { readonly at: number; readonly ids: readonly number[] } | undefined;

  constructor(config: ClientConfig, app: GitHubApp) {
    this.#config = config;
    this.#app = clientWith(config, appToken(app));
  }

  async check(signal: AbortSignal): Promise<SourceCheck> {
    const { value } = await this.#app.read({ path: '/app', schema: appSchema, waits: false, signal });
    const missing = Object.entries(neededByApp).filter(([permission]) => !(permission in value.permissions));
    const problems = missing.map(([permission, what]) => `the app has no permission ${permission}: read: ${what}`);
    return { account: `${value.slug ?? value.name}[bot]`, problems };
  }

  async any(signal: AbortSignal): Promise<GitHubClient> {
    const [first] = await this.installations(signal);
    if (!first)
      throw new SextantError('forbidden', 'the GitHub App is installed nowhere; install it for an organisation');
    return first.client;
  }

  async cloneToken(owner: string, signal: AbortSignal): Promise<string> {
    await this.installations(signal);
    const found = [...this.#known.values()].find(({ login }) => isSame(login, owner));
    if (!found) throw new SextantError('forbidden', `the GitHub App is not installed for ${owner}`);
    return found.credential.token(signal);
  }

  async installations(signal: AbortSignal): Promise<readonly Installation[]> {
    const isFresh = this.#found && Date.now() - this.#found.at >= 0 && Date.now() - this.#found.at < installationsMs;
    if (!isFresh) this.#found = { at: Date.now(), ids: await this.#find(signal) };
    return (this.#found?.ids ?? []).flatMap((id) => this.#known.get(id) ?? []);
  }

  forget(): void {
    this.#found = undefined;
  }

  async #find(signal: AbortSignal): Promise<number[]> {
    const { organizations, users } = this.#config;
    const wanted = [...organizations, ...users];
    const ids: number[] = [];
    const request = {
      path: '/app/installations',
      query: { per_page: 100 },
      schema: installations,
      waits: true,
      signal,
    };
    for await (const { value } of this.#app.pages(request))
      for (const { id, account, suspended_at: suspended } of value) {
        if (suspended !== null || !account || !('login' in account)) continue;
        if (wanted.length > 0 && !wanted.some((login) => isSame(login, account.login))) continue;
        ids.push(id);
        if (this.#known.get(id)?.login !== account.login) this.#known.set(id, this.#installation(id, account));
      }
    const found = ids.map((id) => this.#known.get(id)?.login ?? '');
    const missing = wanted.filter((login) => !found.some((each) => isSame(each, login)));
    if (missing.length > 0)
      throw new SextantError(
        'forbidden',
        `the GitHub App is not installed for ${missing.join(', ')}, or is suspended there`,
      );
    return ids;
  }

  #installation(id: number, { login, type }: { login: string; type: string }) {
    const credential = new RenewedToken(async (signal) => {
      const path = `/app/installations/${id}/access_tokens`;
      const { value } = await this.#app.read({ path, body: {}, schema: installationToken, waits: false, signal });
      return { token: value.token, expiresAt: Date.parse(value.expires_at) };
    });
    const isOrganization = type === 'Organization';
    return { login, isOrganization, credential, client: clientWith(this.#config, credential) };
  }
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
