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
import { HostApi, isSignedBy } from '@sextant/library-host-api';
import {
  emails,
  hostRepository,
  messageBody,
  organization,
  pageOfRepositories,
  pageOfUsers,
  signedInUser,
} from './answers.ts';
import type { GiteaRepository, GiteaUser } from './answers.ts';
import type { GiteaConfig } from './config.ts';

/** The most that Gitea gives at once unless its administrator says otherwise (`MAX_RESPONSE_ITEMS`). */
const pageSize = 50;
const pageOfEmails = 50;

type Query = Readonly<Record<string, string | number | boolean>>;

/** Repositories of a Gitea or Forgejo, and what its accounts may read there. */
export class GiteaSource implements RepositorySource {
  readonly host: string;
  readonly cloneOrigins: readonly string[];
  readonly sshHosts: readonly string[];
  readonly #config: GiteaConfig;
  readonly #api: HostApi;
  /** What was listed, by id; undefined before the first complete list. */
  #listed: Map<number, Listed> | undefined;
  /** Whether those who did not sign in see nothing at all (`REQUIRE_SIGNIN_VIEW`), as of the last list. */
  #needsSignIn: boolean | undefined;

  constructor(config: GiteaConfig, { onWait }: SourceContext) {
    const { url, token, webhookSecret = '', requestsPerHour } = config;
    this.#config = config;
    this.host = new URL(url).host;
    this.cloneOrigins = [new URL(url).origin];
    this.sshHosts = [new URL(url).hostname];
    this.#api = new HostApi({
      baseURL: `${url}/api/v1`,
      headers: async () => ({ authorization: `token ${token}` }),
      secrets: () => [token, webhookSecret],
      requestsPerHour,
      onWait,
    });
  }

  async check(signal: AbortSignal): Promise<SourceCheck> {
    const { value: user } = await this.#api.read({ path: '/user', schema: signedInUser, waits: false, signal });
    const problems = user.is_admin
      ? []
      : [`${user.login} is no administrator of ${this.host}: its token cannot tell what others may read`];
    await this.#scopes(signal, false);
    return { account: user.login, problems };
  }

  async *list(signal: AbortSignal): AsyncIterable<readonly HostRepository[]> {
    const needsSignIn = await this.#askNeedsSignIn(signal);
    const listed = new Map<number, Listed>();
    for (const query of await this.#scopes(signal))
      for await (const page of this.#repositories({ ...query, sort: 'id', order: 'asc' }, { signal, isWhole: true })) {
        for (const repository of page) listed.set(repository.id, listedOf(repository));
        yield page.map((repository) => hostRepository(repository, needsSignIn));
      }
    this.#listed = listed;
  }

  async *listChanged(since: string, signal: AbortSignal): AsyncIterable<readonly HostRepository[]> {
    const needsSignIn = this.#needsSignIn ?? (await this.#askNeedsSignIn(signal));
    for (const query of await this.#scopes(signal))
      for await (const page of this.#repositories({ ...query, sort: 'updated', order: 'desc' }, { signal })) {
        const changed = page.filter(({ updated_at: at }) => Date.parse(at) >= Date.parse(since));
        for (const repository of changed) this.#listed?.set(repository.id, listedOf(repository));
        yield changed.map((repository) => hostRepository(repository, needsSignIn));
        if (changed.length < page.length) break;
      }
    await this.#requireSameCounts(needsSignIn, signal);
  }

  async login(): Promise<GitLogin> {
    // Any name does: Gitea finds the account by the token.
    return { username: 'sextant', password: this.#config.token };
  }

  async account({ issuer, subject }: SignInIdentity, signal: AbortSignal): Promise<HostAccount | undefined> {
    if (issuer.replace(/\/+$/, '') !== this.#config.url || !/^[1-9]\d{0,18}$/.test(subject)) return undefined;
    return this.#accountOf(subject, signal);
  }

  async accountOfEmail(email: string, signal: AbortSignal): Promise<HostAccount | undefined> {
    const query = { q: email, limit: pageOfEmails };
    const { value } = await this.#api.read({
      path: '/admin/emails/search',
      query,
      schema: emails,
      waits: false,
      signal,
    });
    const owners = value.filter((each) => each.verified && each.email.toLowerCase() === email.toLowerCase());
    const [owner, ...others] = owners;
    return owner && others.length === 0 ? this.#accountOf(String(owner.user_id), signal) : undefined;
  }

  async readable({ id, login }: HostAccount, signal: AbortSignal): Promise<ReadableRepositories> {
    const user = await this.#user(id, signal);
    if (!user || user.login !== login || isShutOut(user)) return { whole: [], ids: [] };
    if (!this.#listed) throw new SextantError('unavailable', `the repositories of ${this.host} were not listed yet`);
    const as = { sudo: login, signal };
    // Gitea shows someone restricted nothing but what they were given.
    const ids = await this.#readableIds(user.restricted ? {} : { is_private: true }, as);
    for (const uid of user.restricted ? [] : hiddenOwners(this.#listed.values()))
      ids.push(...(await this.#readableIds({ uid, exclusive: true, is_private: false }, as)));
    return { whole: user.restricted ? [] : ['public', 'internal'], ids };
  }

  readMessage({ headers, body }: HostMessage): HostEvent | undefined {
    const { webhookSecret } = this.#config;
    if (webhookSecret === undefined || !isSignedBy(webhookSecret, body, headers.get('x-gitea-signature')))
      return undefined;
    const event = headers.get('x-gitea-event');
    if (event === 'repository' || event === 'fork') return { kind: 'repositories' };
    if (event !== 'push' && event !== 'create' && event !== 'delete') return { kind: 'other' };
    const { repository } = messageBody.parse(JSON.parse(Buffer.from(body).toString('utf8')));
    return { kind: 'pushed', repositoryId: String(repository.id) };
  }

  async #askNeedsSignIn(signal: AbortSignal): Promise<boolean> {
    this.#needsSignIn = await this.#refusesStrangers(signal);
    return this.#needsSignIn;
  }

  async #refusesStrangers(signal: AbortSignal): Promise<boolean> {
    try {
      const query = { limit: 1 };
      await this.#api.read({
        path: '/repos/search',
        query,
        schema: pageOfRepositories,
        signsIn: false,
        waits: true,
        signal,
      });
      return false;
    } catch (error) {
      if (isSextantError(error) && (error.code === 'unauthenticated' || error.code === 'forbidden')) return true;
      throw error;
    }
  }

  /**
   * Making a repository private, or hiding its owner, does not count as a change of it: only the numbers of repositories that
   * are not private, and that everyone sees, tell it. Throws `conflict` where they are not as listed.
   */
  async #requireSameCounts(needsSignIn: boolean, signal: AbortSignal): Promise<void> {
    const listed = [...(this.#listed?.values() ?? [])].filter(({ isPrivate }) => !isPrivate);
    const seen = { all: 0, byStrangers: 0 };
    for (const query of await this.#scopes(signal)) {
      seen.all += await this.#count({ ...query, is_private: false }, { signal });
      if (!needsSignIn) seen.byStrangers += await this.#count(query, { signal, signsIn: false });
    }
    const shown = needsSignIn ? 0 : listed.filter(({ ownerVisibility }) => ownerVisibility === 'public').length;
    if (seen.all !== listed.length || seen.byStrangers !== shown)
      throw new SextantError('conflict', `other repositories of ${this.host} are public than were listed`);
  }

  async #count(query: Query, run: { signal: AbortSignal; signsIn?: boolean }): Promise<number> {
    const asked = { path: '/repos/search', query: { ...query, limit: 1 }, schema: pageOfRepositories, waits: true };
    const { headers } = await this.#api.read({ ...asked, ...run });
    return Number(headers.get('x-total-count') ?? Number.NaN);
  }

  /** The searches that together find what is configured. Throws `not_found` for an organisation that is not there. */
  async #scopes(signal: AbortSignal, waits = true): Promise<readonly Query[]> {
    const { organizations } = this.#config;
    if (organizations.length === 0) return [{}];
    return Promise.all(
      organizations.map(async (name) => {
        const path = `/users/${encodeURIComponent(name)}`;
        const request = { path, schema: organization, waits, signal };
        const { value } = await this.#api.read(request).catch((error: unknown) => {
          if (!isSextantError(error) || error.code !== 'not_found') throw error;
          const text = `${this.host} has no organization "${name}", or does not show it to this token`;
          throw new SextantError('not_found', text);
        });
        return { uid: value.id, exclusive: true };
      }),
    );
  }

  /** Pages of a search. A whole one throws `unavailable` where some may be missing, as after one was deleted meanwhile. */
  async *#repositories(query: Query, run: PagesRun): AsyncIterable<readonly GiteaRepository[]> {
    const { signal, isWhole = false, sudo } = run;
    const seen = new Set<number>();
    const totals = new Set<number>();
    for (let page = 1; ; page += 1) {
      const { value, headers } = await this.#api.read({
        path: '/repos/search',
        query: { ...query, limit: pageSize, page },
        ...(sudo !== undefined && { headers: { sudo } }),
        schema: pageOfRepositories,
        waits: sudo === undefined,
        signal,
      });
      for (const { id } of value.data) seen.add(id);
      yield value.data;
      const total = Number(headers.get('x-total-count') ?? Number.NaN);
      totals.add(total);
      if (value.data.length > 0 && !(seen.size >= total)) continue;
      if (isWhole && (totals.size !== 1 || !totals.has(seen.size)))
        throw new SextantError('unavailable', `repositories of ${this.host} came or went while they were listed`);
      return;
    }
  }

  async #readableIds(query: Query, run: PagesRun): Promise<string[]> {
    const ids: string[] = [];
    for await (const page of this.#repositories({ ...query, sort: 'id', order: 'asc' }, run))
      ids.push(...readableAmong(page));
    return ids;
  }

  async #accountOf(id: string, signal: AbortSignal): Promise<HostAccount | undefined> {
    const user = await this.#user(id, signal);
    return user && !isShutOut(user) ? { id, login: user.login } : undefined;
  }

  async #user(id: string, signal: AbortSignal): Promise<GiteaUser | undefined> {
    const { value } = await this.#api.read({
      path: '/users/search',
      query: { uid: id },
      schema: pageOfUsers,
      waits: false,
      signal,
    });
    return value.data.find((user) => String(user.id) === id);
  }
}

/** What decides about who may read a repository, besides lists. */
interface Listed {
  readonly ownerId: number;
  readonly ownerVisibility: GiteaRepository['owner']['visibility'];
  readonly isPrivate: boolean;
}

const listedOf = ({ owner, private: isPrivate }: GiteaRepository): Listed => ({
  ownerId: owner.id,
  ownerVisibility: owner.visibility,
  isPrivate,
});

/** Ids of owners whom only some may see, and that have repositories that are not private themselves. */
const hiddenOwners = (listed: Iterable<Listed>): ReadonlySet<number> =>
  new Set(
    [...listed].flatMap(({ ownerId, ownerVisibility, isPrivate }) =>
      ownerVisibility === 'private' && !isPrivate ? [ownerId] : [],
    ),
  );

interface PagesRun {
  readonly signal: AbortSignal;
  /** Whether none may be missing. */
  readonly isWhole?: boolean;
  /** As whom Gitea is asked. */
  readonly sudo?: string;
}

/** Only who may read the code: others may see that a repository is there, and its issues. */
const readableAmong = (repositories: readonly GiteaRepository[]): string[] =>
  repositories.flatMap(({ id, permissions }) => (permissions.pull ? [String(id)] : []));

const isShutOut = ({ active, prohibit_login: isProhibited }: GiteaUser): boolean => !active || isProhibited;
