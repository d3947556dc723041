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
} from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import { HostApi } from '@sextant/library-host-api';
import { z } from 'zod';
import type { BitbucketConfig } from '../config.ts';
import { eventOf, withoutBraces } from '../messages.ts';
import { hostRepository, pageOfMembers, pageOfPermissions, user as userSchema } from './answers.ts';
import type { CloudUser } from './answers.ts';
import { credentialOf } from './credential.ts';
import type { CloudCredential } from './credential.ts';
import { Scopes, pageLength } from './scopes.ts';

/** Where the parts of Bitbucket Cloud are. */
export interface CloudAddresses {
  /** Below it are the paths of the API. */
  readonly api: string;
  /** Below it OAuth consumers get their tokens. */
  readonly tokens: string;
}

/** What counts as reading the code. */
const reads: readonly string[] = ['read', 'write', 'admin'];

/** Repositories of workspaces of Bitbucket Cloud, and what accounts may read there. */
export class CloudSource implements RepositorySource {
  readonly host: string;
  readonly cloneOrigins: readonly string[];
  readonly sshHosts: readonly string[];
  readonly #config: BitbucketConfig;
  readonly #permissions: SourcePermissions;
  readonly #credential: CloudCredential;
  readonly #api: HostApi;
  readonly #scopes: Scopes;

  constructor(
    config: BitbucketConfig,
    { permissions, onWait }: SourceContext,
    { api, tokens }: CloudAddresses = { api: 'https://api.bitbucket.org/2.0', tokens: config.url },
  ) {
    const { url, webhookSecret = '', requestsPerHour } = config;
    this.#config = config;
    this.#permissions = permissions;
    this.host = new URL(url).host;
    this.cloneOrigins = [new URL(url).origin];
    this.sshHosts = [new URL(url).hostname];
    this.#credential = credentialOf(config, { url: tokens, onWait });
    this.#api = new HostApi({
      baseURL: api,
      headers: async (signal) => ({ authorization: await this.#credential.authorization(signal) }),
      secrets: () => [...this.#credential.secrets(), webhookSecret],
      onUnauthenticated: () => this.#credential.forget(),
      requestsPerHour,
      onWait,
    });
    this.#scopes = new Scopes(config, this.#api);
  }

  async check(signal: AbortSignal): Promise<SourceCheck> {
    const { username, consumer, workspaces } = this.#config;
    const problems: string[] = [];
    for (const workspace of workspaces) {
      if (!(await this.#mayAsk(`/repositories/${workspace}`, signal)))
        problems.push(`the token shows no workspace ${workspace}`);
      else if (
        this.#permissions === 'sync' &&
        !(await this.#mayAsk(`/workspaces/${workspace}/permissions/repositories`, signal))
      )
        problems.push(
          `the token cannot tell what others may read: it must be of an administrator of the workspace ${workspace}`,
        );
    }
    return { account: username ?? consumer?.key ?? `an access token of ${workspaces.join(', ')}`, problems };
  }

  async *list(signal: AbortSignal): AsyncIterable<readonly HostRepository[]> {
    for await (const page of this.#scopes.list(signal)) yield page.map(hostRepository);
  }

  async *listChanged(since: string, signal: AbortSignal): AsyncIterable<readonly HostRepository[]> {
    for await (const page of this.#scopes.listChanged(since, signal)) yield page.map(hostRepository);
  }

  async login(_repository: HostRepository, signal: AbortSignal): Promise<GitLogin> {
    return { username: this.#credential.gitUsername, password: await this.#credential.token(signal) };
  }

  /** By the UUID or the Atlassian account ID. */
  async account({ issuer, subject }: SignInIdentity, signal: AbortSignal): Promise<HostAccount | undefined> {
    if (issuer.replace(/\/+$/, '') !== this.#config.url || !/^[\w:{}-]{3,128}$/.test(subject)) return undefined;
    const user = await this.#user(subject, signal);
    return user && [user.uuid, user.account_id].includes(subject) ? accountOf(user) : undefined;
  }

  async accountOfEmail(email: string, signal: AbortSignal): Promise<HostAccount | undefined> {
    if (!/^[^\s"\\]{3,254}$/.test(email)) return undefined;
    const owners = new Set<string>();
    for (const workspace of this.#config.workspaces) {
      const query = { q: `user.email IN ("${email}")`, fields: '+values.user.email', pagelen: pageLength };
      const path = `/workspaces/${workspace}/members`;
      const { value } = await this.#api.read({ path, query, schema: pageOfMembers, waits: false, signal });
      for (const { user } of value.values) if (user.email?.toLowerCase() === email.toLowerCase()) owners.add(user.uuid);
    }
    const [owner, ...others] = owners;
    if (owner === undefined || others.length > 0) return undefined;
    const user = await this.#user(owner, signal);
    return user?.uuid === owner ? accountOf(user) : undefined;
  }

  async readable({ id, login }: HostAccount, signal: AbortSignal): Promise<ReadableRepositories> {
    const uuid = `{${id}}`;
    const user = await this.#user(uuid, signal);
    if (user?.uuid !== uuid || accountOf(user)?.login !== login) return { whole: [], ids: [] };
    const ids: string[] = [];
    for (const workspace of this.#config.workspaces) {
      const path = `/workspaces/${workspace}/permissions/repositories`;
      const query = { q: `user.uuid="${uuid}"`, pagelen: pageLength };
      const asked = { path, query, schema: pageOfPermissions, waits: false, signal };
      // Whatever becomes of the query, nobody gets what another was given.
      for await (const { value } of this.#api.pages({ ...asked, next: ({ next }) => next }))
        for (const given of value.values)
          if (given.user.uuid === uuid && reads.includes(given.permission))
            ids.push(withoutBraces(given.repository.uuid));
    }
    return { whole: ['public'], ids };
  }

  readMessage(message: HostMessage): HostEvent | undefined {
    return eventOf(message, this.#config.webhookSecret);
  }

  async #mayAsk(path: string, signal: AbortSignal): Promise<boolean> {
    const asked = { path, query: { pagelen: 1 }, schema: z.unknown(), waits: false, signal };
    return this.#api.read(asked).then(
      () => true,
      (error) => {
        if (isSextantError(error) && (error.code === 'not_found' || error.code === 'forbidden')) return false;
        throw error;
      },
    );
  }

  async #user(id: string, signal: AbortSignal): Promise<CloudUser | undefined> {
    const asked = { path: `/users/${encodeURIComponent(id)}`, schema: userSchema, waits: false, signal };
    try {
      return (await this.#api.read(asked)).value;
    } catch (error) {
      if (isSextantError(error) && error.code === 'not_found') return undefined;
      throw error;
    }
  }
}

const accountOf = ({ uuid, nickname, account_status: status = 'active' }: CloudUser): HostAccount | undefined =>
  status === 'active' ? { id: withoutBraces(uuid), login: nickname } : undefined;
