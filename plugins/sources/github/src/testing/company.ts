/** What a GitHub has, as far as somebody can be shown it. */
export interface Company {
  readonly organizations: OrganizationFacts[];
  readonly people: PersonFacts[];
  readonly repositories: RepositoryFacts[];
}

export interface OrganizationFacts {
  readonly id: number;
  readonly login: string;
  /** What every member may do with every repository. */
  basePermission: 'none' | 'read' | 'write' | 'admin';
  /** Logins. */
  readonly owners: string[];
  readonly members: string[];
  readonly teams: TeamFacts[];
}

export interface TeamFacts {
  readonly slug: string;
  readonly parent?: string;
  /** Logins. */
  readonly members: string[];
  /** Names of repositories of the organisation. */
  readonly repositories: string[];
}

export interface PersonFacts {
  readonly id: number;
  readonly login: string;
  /** Shown on the profile, and so verified. */
  readonly email: string;
  isSuspended?: boolean;
}

export interface RepositoryFacts {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  visibility: 'public' | 'internal' | 'private';
  /** Logins of people who were given it themselves. */
  readonly collaborators: string[];
  pushedAt: string;
  updatedAt: string;
  readonly topics: readonly string[];
  readonly isArchived?: boolean;
  readonly isFork?: boolean;
  /** In KB. */
  readonly size?: number;
}

export const person = (id: number): PersonFacts => ({
  id,
  login: `person-${id}`,
  email: `person-${id}@example.com`,
});

let repositories = 1000;
export function repository(path: string, facts: Partial<RepositoryFacts> = {}): RepositoryFacts {
  const [owner = '', name = ''] = path.split('/');
  repositories += 1;
  const at = `2026-02-01T00:00:${String(repositories % 60).padStart(2, '0')}Z`;
  const base = { id: repositories, owner, name, visibility: 'private' as const, collaborators: [], topics: [] };
  return { ...base, pushedAt: at, updatedAt: at, ...facts };
}

/**
 * Organisation acme, where person-1 is an owner, person-2 to person-5 are members, and person-6 is not; person-3 is in a team below
 * the team that has a repository.
 */
export const company = (): Company => ({
  people: [1, 2, 3, 4, 5, 6, 7].map(person),
  organizations: [
    {
      id: 1,
      login: 'acme',
      basePermission: 'none',
      owners: ['person-1'],
      members: ['person-2', 'person-3', 'person-4', 'person-5'],
      teams: [
        { slug: 'shop', members: ['person-2'], repositories: ['shop'] },
        { slug: 'shop-front', parent: 'shop', members: ['person-3'], repositories: ['front'] },
      ],
    },
  ],
  repositories: [
    repository('acme/shop'),
    repository('acme/front'),
    repository('acme/open', { visibility: 'public', topics: ['service'] }),
    repository('acme/handbook', { visibility: 'internal' }),
    repository('acme/secret', { collaborators: ['person-6', 'person-4'] }),
    repository('person-7/own', { collaborators: ['person-6'] }),
  ],
});

/** Paths of what a person reads besides what is public, by the rules of GitHub's documentation. */
export function readableBy(login: string, { organizations, repositories: all }: Company): string[] {
  const canRead = ({ owner, name, visibility, collaborators }: RepositoryFacts): boolean => {
    if (owner === login || collaborators.includes(login) || visibility === 'public') return true;
    const organization = organizations.find((each) => each.login === owner);
    if (!organization) return false;
    const { owners, members, basePermission, teams } = organization;
    if (owners.includes(login)) return true;
    if (members.includes(login) && (basePermission !== 'none' || visibility === 'internal')) return true;
    return teams.some((team) => team.repositories.includes(name) && membersOf(team, teams).includes(login));
  };
  return all.filter(canRead).map(({ owner, name }) => `${owner}/${name}`);
}

/** Those of teams below it, too. */
export const membersOf = ({ slug, members }: TeamFacts, teams: readonly TeamFacts[]): string[] => [
  ...members,
  ...teams.filter(({ parent }) => parent === slug).flatMap((team) => membersOf(team, teams)),
];
