import type { Visibility } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { z } from 'zod';
import { organization } from './answers.ts';
import type { GitHubClient } from './client.ts';

/** What decides about who may read a repository. */
export interface ListedRepository {
  readonly id: string;
  /** What GraphQL calls it. */
  readonly nodeId: string;
  readonly owner: { readonly id: string; readonly login: string; readonly isOrganization: boolean };
  /** As GitHub says it. */
  readonly visibility: Visibility;
  readonly client: GitHubClient;
}

/** Who may read what of an organisation, besides people who were given a single repository. */
interface Roster {
  readonly owners: ReadonlySet<string>;
  readonly members: ReadonlySet<string>;
  /** Whether every member reads every repository. */
  readonly membersReadAll: boolean;
  readonly teams: readonly Team[];
}

interface Team {
  readonly members: ReadonlySet<string>;
  readonly repositories: ReadonlySet<string>;
}

interface HeldRoster {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly roster: Promise<Roster>;
}

/** The age from which members and teams are asked for again, when somebody calls. */
const rosterMs = 60_000;
/** The most that GitHub gives at once. */
const pageSize = 100;

/**
 * Who may read the repositories of a source. Members, teams and their repositories are asked for when somebody calls, a few
 * requests for an organisation; people who were given a single repository with the list of all, for a hundred in a request.
 */
export class Readers {
  readonly #log: Logger;
  readonly #rosters = new Map<string, HeldRoster>();
  #listed: ReadonlyMap<string, ListedRepository> = new Map();
  /** Accounts that were given a repository themselves, by its id. */
  #collaborators: Map<string, readonly string[]> = new Map();
  #collaboratorsAt = 0;
  /** Repositories of which they are asked for again, by id, with the moment from which. */
  readonly #old = new Map<string, number>();
  #rostersOldAt = 0;
  readonly #told = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Follows these repositories from now on. */
  async follow(listed: ReadonlyMap<string, ListedRepository>, signal: AbortSignal): Promise<void> {
    const startedAt = Date.now();
    const collaborators = await this.#ask([...listed.values()].filter(isClosed), { waits: true, signal });
    this.#listed = listed;
    this.#collaborators = collaborators;
    this.#collaboratorsAt = startedAt;
    for (const [id, at] of this.#old) if (at < startedAt) this.#old.delete(id);
  }

  /** Repositories that came or changed since. */
  note(repositories: readonly ListedRepository[]): void {
    this.#listed = new Map([...this.#listed, ...repositories.map((each) => [each.id, each] as const)]);
    for (const { id } of repositories.filter(isClosed)) if (!this.#collaborators.has(id)) this.#old.set(id, Date.now());
  }

  /** Somebody was given a repository, or it was taken from them. */
  noteCollaborators(id: string): void {
    if (this.#listed.has(id)) this.#old.set(id, Date.now());
  }

  /** Members or teams are different from before. */
  noteRosters(): void {
    this.#rostersOldAt = Date.now();
  }

  /** The repositories that an account reads and that are not for everyone, and from when on that is known. */
  async of(accountId: string, signal: AbortSignal): Promise<{ ids: readonly string[]; asOf: number }> {
    const closed = [...this.#listed.values()].filter(isClosed);
    if (closed.length === 0) return { ids: [], asOf: Date.now() };
    await this.#renewCollaborators(signal);
    const rosters = new Map<string, Roster>();
    let asOf = this.#collaboratorsAt;
    for (const { owner, client } of closed)
      if (owner.isOrganization && !rosters.has(owner.id)) {
        const { roster, startedAt } = this.#roster(owner, client, signal);
        rosters.set(owner.id, await roster);
        asOf = Math.min(asOf, startedAt);
      }
    const canRead = ({ id, owner, visibility }: ListedRepository): boolean =>
      owner.id === accountId ||
      this.#collaborators.get(id)?.includes(accountId) === true ||
      isShown({ id, visibility, accountId }, rosters.get(owner.id));
    return { ids: closed.filter(canRead).map(({ id }) => id), asOf };
  }

  async #renewCollaborators(signal: AbortSignal): Promise<void> {
    const old = new Map(this.#old);
    const repositories = [...old.keys()].flatMap((id) => this.#listed.get(id) ?? []);
    if (repositories.length === 0) return;
    for (const [id, accounts] of await this.#ask(repositories, { waits: false, signal }))
      this.#collaborators.set(id, accounts);
    for (const [id, at] of old) if (this.#old.get(id) === at) this.#old.delete(id);
  }

  #roster(owner: ListedRepository['owner'], client: GitHubClient, signal: AbortSignal): HeldRoster {
    const held = this.#rosters.get(owner.id);
    const age = Date.now() - (held?.startedAt ?? Number.NaN);
    if (held && age >= 0 && age < rosterMs && held.startedAt > this.#rostersOldAt) return held;
    const asked: HeldRoster = { startedAt: Date.now(), roster: this.#readRoster(owner.login, client, signal) };
    this.#rosters.set(owner.id, asked);
    asked.roster.catch(() => {
      if (this.#rosters.get(owner.id) === asked) this.#rosters.delete(owner.id);
    });
    return asked;
  }

  async #readRoster(login: string, client: GitHubClient, signal: AbortSignal): Promise<Roster> {
    try {
      const path = `/orgs/${encodeURIComponent(login)}`;
      const { value } = await client.read({ path, schema: organization, waits: false, signal });
      const permission = value.default_repository_permission ?? undefined;
      if (permission === undefined) this.#tell(`the token may not see what members of ${login} read without a team`);
      const membersReadAll = permission !== undefined && permission !== 'none';
      return { membersReadAll, ...(await readPeople(login, client, signal)) };
    } catch (error) {
      if (!isSextantError(error) || (error.code !== 'forbidden' && error.code !== 'not_found')) throw error;
      this.#tell(`the token may not see who is in the organisation ${login}: its members read nothing by that`);
      return { owners: new Set(), members: new Set(), membersReadAll: false, teams: [] };
    }
  }

  /** Who was given these repositories, by id. */
  async #ask(repositories: readonly ListedRepository[], run: Run): Promise<Map<string, readonly string[]>> {
    const given = new Map<string, readonly string[]>();
    for (const [client, all] of Map.groupBy(repositories, (each) => each.client))
      for (let start = 0; start < all.length; start += pageSize) {
        const asked = all.slice(start, start + pageSize);
        const { nodes } = await client.ask({
          query: collaboratorsQuery,
          variables: { ids: asked.map(({ nodeId }) => nodeId) },
          schema: collaboratorsOfMany,
          ...run,
        });
        for (const [index, { id, nodeId }] of asked.entries()) {
          const first = nodes[index]?.collaborators;
          if (!first) this.#tell('some repositories do not tell who was given them: that needs write access to them');
          given.set(id, first ? [...idsOf(first), ...(await rest(first, { client, nodeId, ...run }))] : []);
        }
      }
    return given;
  }

  /** Each thing once: it is so at every look. */
  #tell(what: string): void {
    if (!this.#told.has(what)) this.#log.warn({}, `GitHub: ${what}`);
    this.#told.add(what);
  }
}

interface Run {
  /** As in `HostRequest`. */
  readonly waits: boolean;
  readonly signal: AbortSignal;
}

const isClosed = ({ visibility }: ListedRepository): boolean => visibility !== 'public';

function isShown(
  asked: { id: string; visibility: Visibility; accountId: string },
  roster: Roster | undefined,
): boolean {
  if (!roster) return false;
  const { id, visibility, accountId } = asked;
  if (roster.owners.has(accountId)) return true;
  if (roster.members.has(accountId) && (roster.membersReadAll || visibility === 'internal')) return true;
  return roster.teams.some(({ members, repositories }) => members.has(accountId) && repositories.has(id));
}

const connection = z.object({
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  nodes: z.array(z.object({ databaseId: z.int().nullable() }).nullable()).nullable(),
});
type Connection = z.output<typeof connection>;

const idsOf = ({ nodes }: Connection): string[] =>
  (nodes ?? []).flatMap((node) => (node?.databaseId ? [String(node.databaseId)] : []));

const ids = 'pageInfo { hasNextPage endCursor } nodes { databaseId }';

const collaboratorsQuery = `query ($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Repository { collaborators(affiliation: DIRECT, first: ${pageSize}) { ${ids} } } }
}`;
const collaboratorsOfMany = z.object({
  nodes: z.array(z.object({ collaborators: connection.nullish() }).nullable()),
});

/** The pages of a connection of a node after the first. */
const restQuery = `query ($id: ID!, $after: String) {
  node(id: $id) {
    ... on Repository { collaborators(affiliation: DIRECT, first: ${pageSize}, after: $after) { ${ids} } }
  }
}`;
const membersQuery = `query ($id: ID!, $after: String) {
  node(id: $id) { ... on Team { members(first: ${pageSize}, after: $after) { ${ids} } } }
}`;
const repositoriesQuery = `query ($id: ID!, $after: String) {
  node(id: $id) { ... on Team { repositories(first: ${pageSize}, after: $after) { ${ids} } } }
}`;
const restOfNode = z.object({
  node: z.object({
    collaborators: connection.optional(),
    members: connection.optional(),
    repositories: connection.optional(),
  }),
});

interface Rest extends Run {
  readonly client: GitHubClient;
  readonly nodeId: string;
  readonly query?: string;
}

async function rest(first: Connection, { client, nodeId, query = restQuery, ...run }: Rest): Promise<string[]> {
  const found: string[] = [];
  for (let { hasNextPage, endCursor } = first.pageInfo; hasNextPage; ) {
    const variables = { id: nodeId, after: endCursor };
    const { node } = await client.ask({ query, variables, schema: restOfNode, ...run });
    const next = node.collaborators ?? node.members ?? node.repositories;
    if (!next) break;
    found.push(...idsOf(next));
    ({ hasNextPage, endCursor } = next.pageInfo);
  }
  return found;
}

const peopleQuery = `query ($login: String!, $members: String, $teams: String, $wantsMembers: Boolean!, $wantsTeams: Boolean!) {
  organization(login: $login) {
    membersWithRole(first: ${pageSize}, after: $members) @include(if: $wantsMembers) {
      pageInfo { hasNextPage endCursor }
      edges { role node { databaseId } }
    }
    teams(first: 50, after: $teams) @include(if: $wantsTeams) {
      pageInfo { hasNextPage endCursor }
      nodes { id members(first: ${pageSize}) { ${ids} } repositories(first: ${pageSize}) { ${ids} } }
    }
  }
}`;
const pageInfo = connection.shape.pageInfo;
const people = z.object({
  organization: z
    .object({
      membersWithRole: z
        .object({
          pageInfo,
          edges: z.array(
            z.object({ role: z.string().nullable(), node: z.object({ databaseId: z.int().nullable() }).nullable() }),
          ),
        })
        .optional(),
      teams: z
        .object({
          pageInfo,
          nodes: z.array(z.object({ id: z.string(), members: connection, repositories: connection })),
        })
        .optional(),
    })
    .nullable(),
});

/** Members and teams of an organisation. Members of a team are those of teams below it, too. */
async function readPeople(
  login: string,
  client: GitHubClient,
  signal: AbortSignal,
): Promise<Omit<Roster, 'membersReadAll'>> {
  const [owners, members, teams] = [new Set<string>(), new Set<string>(), new Array<Team>()];
  const run = { waits: false, signal };
  let next = { members: null as string | null, teams: null as string | null, wantsMembers: true, wantsTeams: true };
  while (next.wantsMembers || next.wantsTeams) {
    const variables = { login, ...next };
    const { organization: found } = await client.ask({ query: peopleQuery, variables, schema: people, ...run });
    if (!found) break;
    for (const { role, node } of found.membersWithRole?.edges ?? [])
      if (node?.databaseId) (role === 'ADMIN' ? owners : members).add(String(node.databaseId));
    for (const team of found.teams?.nodes ?? []) {
      const of = { client, nodeId: team.id, ...run };
      teams.push({
        members: new Set([...idsOf(team.members), ...(await rest(team.members, { ...of, query: membersQuery }))]),
        repositories: new Set([
          ...idsOf(team.repositories),
          ...(await rest(team.repositories, { ...of, query: repositoriesQuery })),
        ]),
      });
    }
    next = {
      members: found.membersWithRole?.pageInfo.endCursor ?? null,
      teams: found.teams?.pageInfo.endCursor ?? null,
      wantsMembers: found.membersWithRole?.pageInfo.hasNextPage ?? false,
      wantsTeams: found.teams?.pageInfo.hasNextPage ?? false,
    };
  }
  return { owners, members, teams };
}
