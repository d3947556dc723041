import { SextantError } from '@sextant/core';
import { organization, pageOfRepositories, user } from './answers.ts';
import type { GitHubRepository, PageOfRepositories } from './answers.ts';
import type { GitHubClient } from './client.ts';
import type { Clients } from './clients.ts';
import type { GitHubConfig } from './config.ts';

export interface FoundRepository {
  readonly repository: GitHubRepository;
  readonly client: GitHubClient;
}

/** The most that GitHub gives at once. */
const pageSize = 100;
/** The most that a search finds. */
const mostOfSearch = 1000;

type Query = Readonly<Record<string, string>>;

/** One list of repositories, and how to see that it changed. */
interface Scope {
  /** Unique among all. */
  readonly name: string;
  readonly client: GitHubClient;
  readonly path: string;
  readonly query: Query;
  readonly quota?: string;
  /** Lists with the newest first, and by what; that of an installation has no order. */
  readonly changed: readonly {
    readonly path: string;
    readonly query: Query;
    readonly by: 'pushed_at' | 'updated_at';
  }[];
  /** Another text when repositories came, went or became public or private. Undefined where GitHub does not tell that. */
  readonly count?: (signal: AbortSignal) => Promise<string>;
}

/** The repositories that the configuration asks for. */
export class Scopes {
  readonly #config: GitHubConfig;
  readonly #clients: Clients;
  /** What scopes counted at the last complete list, by name. */
  readonly #counts = new Map<string, string>();
  /** What the last complete list had. */
  #listed: ReadonlySet<number> = new Set();

  constructor(config: GitHubConfig, clients: Clients) {
    this.#config = config;
    this.#clients = clients;
  }

  /** All of them. Throws `unavailable` where some may be missing. */
  async *list(signal: AbortSignal): AsyncIterable<readonly FoundRepository[]> {
    const listed = new Set<number>();
    for (const scope of await this.#scopes(signal)) {
      const before = await scope.count?.(signal);
      const ids: number[] = [];
      const totals = new Set<number | undefined>();
      let pages = 0;
      for await (const page of pagesOf(scope, signal)) {
        requireWhole(scope, page);
        pages += 1;
        totals.add(page.total);
        ids.push(...page.repositories.map(({ id }) => id));
        yield page.repositories.map((repository) => ({ repository, client: scope.client }));
      }
      const isTorn = totals.has(undefined)
        ? pages > 1 && (await isOther(scope, { before, ids, signal }))
        : totals.size !== 1 || !totals.has(new Set(ids).size);
      if (isTorn) throw new SextantError('unavailable', 'repositories of GitHub came or went while they were listed');
      if (before !== undefined) this.#counts.set(scope.name, before);
      for (const id of ids) listed.add(id);
    }
    this.#listed = listed;
  }

  /** Those that were pushed to or edited since. Throws `conflict` where that is not all that is different. */
  async *listChanged(since: string, signal: AbortSignal): AsyncIterable<readonly FoundRepository[]> {
    for (const scope of await this.#scopes(signal)) {
      for (const { by, ...lists } of scope.changed)
        for await (const { repositories } of pagesOf({ ...scope, ...lists }, signal)) {
          const changed = repositories.filter((each) => Date.parse(each[by] ?? '') >= Date.parse(since));
          // An app is shown public repositories that it was not installed for.
          yield changed
            .filter(({ id }) => scope.path !== installationPath || this.#listed.has(id))
            .map((repository) => ({ repository, client: scope.client }));
          if (lists.query['sort'] !== undefined && changed.length < repositories.length) break;
        }
      if (scope.count && (await scope.count(signal)) !== this.#counts.get(scope.name))
        throw new SextantError('conflict', 'repositories of GitHub came, went, or became public or private');
    }
  }

  async #scopes(signal: AbortSignal): Promise<readonly Scope[]> {
    const { organizations, users, searches } = this.#config;
    const installed = await this.#clients.installations(signal);
    const client = searches.length > 0 || !installed ? await this.#clients.any(signal) : undefined;
    const found = client ? searches.map((q) => searchScope(client, q)) : [];
    if (installed || !client) {
      // Searches alone are what an app is asked for, too.
      const isAsked = searches.length === 0 || organizations.length + users.length > 0;
      return [...(isAsked ? (installed ?? []) : []).map(installationScope), ...found];
    }
    const named = [
      ...organizations.map((login) => organizationScope(client, login)),
      ...users.map((login) => userScope(client, login)),
      ...found,
    ];
    return named.length > 0 ? named : [ownScope(client)];
  }
}

const byPush = { sort: 'pushed', direction: 'desc' };
const byUpdate = { sort: 'updated', direction: 'desc' };
const installationPath = '/installation/repositories';

const newestFirst = (path: string, query: Query): Scope['changed'] => [
  { path, query: { ...query, ...byPush }, by: 'pushed_at' },
  { path, query: { ...query, ...byUpdate }, by: 'updated_at' },
];

/** New repositories come last, so that a list that grows is not torn. */
const oldestFirst = { sort: 'created', direction: 'asc' };

function organizationScope(client: GitHubClient, login: string): Scope {
  const own = `/orgs/${encodeURIComponent(login)}`;
  return {
    ...listScope(client, `${own}/repos`, { type: 'all' }),
    name: own,
    async count(signal) {
      const { value } = await client.read({ path: own, schema: organization, waits: true, signal });
      return `${value.public_repos} ${value.total_private_repos}`;
    },
  };
}

function userScope(client: GitHubClient, login: string): Scope {
  const own = `/users/${encodeURIComponent(login)}`;
  return {
    ...listScope(client, `${own}/repos`, { type: 'owner' }),
    name: own,
    async count(signal) {
      const { value } = await client.read({ path: own, schema: user, waits: true, signal });
      return String(value.public_repos);
    },
  };
}

/** Everything that the account of the token may read, but for what is public and nobody gave it. */
const ownScope = (client: GitHubClient): Scope =>
  listScope(client, '/user/repos', { affiliation: 'owner,collaborator,organization_member' });

const listScope = (client: GitHubClient, path: string, query: Query): Scope => ({
  name: path,
  client,
  path,
  query: { ...query, ...oldestFirst },
  changed: newestFirst(path, query),
});

function searchScope(client: GitHubClient, q: string): Scope {
  const path = '/search/repositories';
  const query = { q, sort: 'updated', order: 'desc' };
  return { name: q, client, path, query, quota: 'search', changed: [{ path, query, by: 'updated_at' }] };
}

function installationScope({
  client,
  login,
  isOrganization,
}: {
  client: GitHubClient;
  login: string;
  isOrganization: boolean;
}): Scope {
  const path = installationPath;
  return {
    name: `installation for ${login}`,
    client,
    path,
    query: {},
    changed: isOrganization
      ? newestFirst(`/orgs/${encodeURIComponent(login)}/repos`, { type: 'all' })
      : [{ path, query: {}, by: 'pushed_at' }],
    async count(signal) {
      const query = { per_page: 1 };
      const { value } = await client.read({ path, query, schema: pageOfRepositories, waits: true, signal });
      return String(value.total);
    },
  };
}

async function* pagesOf(
  { client, path, query, quota }: Omit<Scope, 'changed'>,
  signal: AbortSignal,
): AsyncIterable<PageOfRepositories> {
  const request = { path, query: { ...query, per_page: pageSize }, schema: pageOfRepositories, waits: true, signal };
  for await (const { value } of client.pages({ ...request, ...(quota !== undefined && { quota }) })) yield value;
}

function requireWhole({ query }: Scope, { total = 0, isIncomplete }: PageOfRepositories): void {
  if (isIncomplete === true) throw new SextantError('unavailable', `GitHub did not finish the search ${query['q']}`);
  if (isIncomplete !== undefined && total > mostOfSearch)
    throw new SextantError(
      'unavailable',
      `the search ${query['q']} finds ${total} repositories, and GitHub tells ${mostOfSearch}; split it`,
    );
}

/** Whether a list is another after it was read, so that a page may have begun too late. */
async function isOther(
  scope: Scope,
  seen: { before: string | undefined; ids: readonly number[]; signal: AbortSignal },
): Promise<boolean> {
  const { before, ids, signal } = seen;
  if (scope.count) return (await scope.count(signal)) !== before;
  const again: number[] = [];
  for await (const { repositories } of pagesOf(scope, signal)) again.push(...repositories.map(({ id }) => id));
  return again.join() !== ids.join();
}
