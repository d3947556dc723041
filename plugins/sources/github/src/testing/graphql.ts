import { schema as published } from '@octokit/graphql-schema';
import { GraphQLError, buildSchema, graphql } from 'graphql';
import { membersOf } from './company.ts';
import type { Company, OrganizationFacts, RepositoryFacts, TeamFacts } from './company.ts';

/** GitHub's own schema: what is asked must fit it, and what is answered, too. */
const schema = buildSchema(published.idl, { assumeValid: true });

interface Page {
  first?: number;
  after?: string;
}

/** Answers a question of GraphQL as GitHub does, for a token that administers everything but what it may not. */
export async function answerGraphQL(
  { query, variables }: { query: string; variables: Record<string, unknown> },
  company: Company,
  isForbidden: (repository: RepositoryFacts) => boolean,
): Promise<object> {
  const person = (login: string) => {
    const found = company.people.find((each) => each.login === login);
    return found && { __typename: 'User', login, databaseId: found.id, id: `U_${found.id}` };
  };
  const people = (logins: readonly string[]) => logins.map(person).filter((each) => each !== undefined);
  const repositoryNode = (facts: RepositoryFacts) => ({
    __typename: 'Repository',
    id: nodeIdOf(facts),
    databaseId: facts.id,
    collaborators: (page: Page) =>
      isForbidden(facts)
        ? problem('FORBIDDEN', 'Must have push access to view repository collaborators.')
        : connection(people(facts.collaborators), page),
  });
  const teamNode = (team: TeamFacts, organization: OrganizationFacts) => ({
    __typename: 'Team',
    id: `T_${organization.login}_${team.slug}`,
    members: (page: Page) => connection(people([...new Set(membersOf(team, organization.teams))]), page),
    repositories: (page: Page) =>
      connection(
        company.repositories
          .filter(({ owner, name }) => owner === organization.login && team.repositories.includes(name))
          .map(repositoryNode),
        page,
      ),
  });
  const node = (id: string) => {
    const repository = company.repositories.find((each) => nodeIdOf(each) === id);
    if (repository) return repositoryNode(repository);
    const teams = company.organizations.flatMap((each) => each.teams.map((team) => teamNode(team, each)));
    return (
      teams.find((each) => each.id === id) ??
      problem('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'.`)
    );
  };
  const rootValue = {
    node: ({ id }: { id: string }) => node(id),
    nodes: ({ ids }: { ids: string[] }) => ids.map(node),
    organization({ login }: { login: string }) {
      const found = company.organizations.find((each) => each.login === login);
      if (!found) return problem('NOT_FOUND', `Could not resolve to an Organization with the login of '${login}'.`);
      const roles = [...found.owners.map((each) => ['ADMIN', each]), ...found.members.map((each) => ['MEMBER', each])];
      return {
        membersWithRole: (page: Page) =>
          connection(
            roles.map(([role, each = '']) => ({ role, node: person(each) })),
            page,
            'edges',
          ),
        teams: (page: Page) =>
          connection(
            found.teams.map((team) => teamNode(team, found)),
            page,
          ),
      };
    },
  };
  const { data, errors } = await graphql({ schema, source: query, rootValue, variableValues: variables });
  return {
    data,
    ...(errors && {
      errors: errors.map(({ message, path, extensions }) => ({ type: extensions['type'], message, path })),
    }),
  };
}

export const nodeIdOf = ({ id }: { id: number }): string => `R_${id}`;

const problem = (type: string, message: string): GraphQLError => new GraphQLError(message, { extensions: { type } });

function connection<T>(all: readonly T[], { first, after }: Page, as: 'nodes' | 'edges' = 'nodes'): object {
  if (first === undefined || first > 100)
    return problem('EXCESSIVE_PAGINATION', 'Requesting more than 100 records on the connection exceeds the limit.');
  const start = after === undefined || after === null ? 0 : Number(after);
  const end = Math.min(start + first, all.length);
  return {
    totalCount: all.length,
    pageInfo: { hasNextPage: end < all.length, hasPreviousPage: start > 0, endCursor: String(end) },
    [as]: all.slice(start, end),
  };
}
