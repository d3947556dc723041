/** What a GitLab has, as far as somebody can be shown it. */
export interface Company {
  readonly people: PersonFacts[];
  readonly groups: GroupFacts[];
  readonly projects: ProjectFacts[];
}

export interface PersonFacts {
  readonly id: number;
  username: string;
  readonly email: string;
  isConfirmed?: boolean;
  isExternal?: boolean;
  isAdministrator?: boolean;
  state?: 'active' | 'blocked' | 'deactivated';
}

/** Roles by username, as numbers. */
type Members = Record<string, number>;

/** A group that was invited, with the highest role that its members get by that. */
interface Invitation {
  readonly group: string;
  readonly role: number;
}

export interface GroupFacts {
  readonly id: number;
  /** Below the group whose path it begins with. */
  readonly path: string;
  readonly members: Members;
  readonly invited: Invitation[];
}

export interface ProjectFacts {
  readonly id: number;
  readonly path: string;
  visibility: 'public' | 'internal' | 'private';
  repository: 'enabled' | 'private' | 'disabled';
  readonly members: Members;
  readonly invited: Invitation[];
  updatedAt: string;
  readonly topics: readonly string[];
  readonly isArchived?: boolean;
  readonly isFork?: boolean;
  readonly isEmpty?: boolean;
}

export const roles = { guest: 10, planner: 15, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const;

export const person = (id: number, username: string, facts: Partial<PersonFacts> = {}): PersonFacts => ({
  id,
  username,
  email: `${username}@example.com`,
  isConfirmed: true,
  ...facts,
});

const group = (id: number, path: string, members: Members, invited: Invitation[] = []): GroupFacts => ({
  id,
  path,
  members,
  invited,
});

let projects = 1000;
export function project(path: string, facts: Partial<ProjectFacts> = {}): ProjectFacts {
  projects += 1;
  const updatedAt = `2026-02-01T00:00:${String(projects % 60).padStart(2, '0')}.000Z`;
  const base = { id: projects, path, visibility: 'private' as const, repository: 'enabled' as const };
  return { ...base, members: {}, invited: [], updatedAt, topics: [], ...facts };
}

/** Groups acme and partners with subgroups, of which one is invited by a group and one by a project; erin is external, frank blocked. */
export const company = (): Company => ({
  people: [
    person(1, 'root', { isAdministrator: true }),
    person(2, 'ann'),
    person(3, 'bob'),
    person(4, 'carol'),
    person(5, 'dave'),
    person(6, 'erin', { isExternal: true }),
    person(7, 'frank', { state: 'blocked' }),
    person(8, 'gil'),
  ],
  groups: [
    group(10, 'acme', { ann: roles.owner, bob: roles.guest, frank: roles.owner }),
    group(11, 'acme/web', { carol: roles.developer }, [{ group: 'partners', role: roles.reporter }]),
    group(12, 'partners', { dave: roles.maintainer }),
    group(13, 'partners/deep', { gil: roles.maintainer }),
  ],
  projects: [
    project('acme/shop'),
    project('acme/web/front', { topics: ['service'], members: { bob: roles.planner } }),
    project('acme/open', { visibility: 'public', topics: ['service'] }),
    project('acme/handbook', { visibility: 'internal' }),
    project('acme/members', { visibility: 'public', repository: 'private' }),
    project('acme/issues', { visibility: 'public', repository: 'disabled', isEmpty: true }),
    project('acme/plans', { repository: 'disabled' }),
    project('acme/inside', { visibility: 'internal', repository: 'private', members: { erin: roles.guest } }),
    project('acme/notes', { visibility: 'internal', members: { erin: roles.guest } }),
    project('partners/kit', { invited: [{ group: 'partners/deep', role: roles.guest }] }),
    project('partners/deep/core', { isFork: true, isArchived: true }),
    project('gil/own', { members: { carol: roles.reporter } }),
  ],
});

/** The role of somebody in a project, by the rules of GitLab's documentation; 0 for none. */
export function roleIn(
  facts: Pick<ProjectFacts, 'path' | 'members' | 'invited'>,
  username: string,
  all: Company,
): number {
  const [owner] = facts.path.split('/');
  if (owner === username) return roles.owner;
  return Math.max(
    facts.members[username] ?? 0,
    roleInGroup(facts.path.slice(0, facts.path.lastIndexOf('/')), username, all),
    ...facts.invited.map((each) => Math.min(each.role, inheritedRole(each.group, username, all))),
  );
}

/** Direct, of a group above, or of a group that one of these invited, of which direct members count. */
function roleInGroup(path: string, username: string, all: Company): number {
  const invited = lineOf(path, all).flatMap((each) => each.invited);
  const byInvitation = invited.map(({ group: other, role }) =>
    Math.min(role, all.groups.find((each) => each.path === other)?.members[username] ?? 0),
  );
  return Math.max(inheritedRole(path, username, all), ...byInvitation);
}

const inheritedRole = (path: string, username: string, all: Company): number =>
  Math.max(0, ...lineOf(path, all).map(({ members }) => members[username] ?? 0));

/** A group and those above it. */
const lineOf = (path: string, { groups }: Company): GroupFacts[] =>
  groups.filter((each) => path === each.path || path.startsWith(`${each.path}/`));

/** Paths of the projects whose code somebody may read, by the rules of GitLab's documentation. */
export function readableBy(username: string, all: Company): string[] {
  const who = all.people.find((each) => each.username === username);
  if (!who || (who.state ?? 'active') !== 'active') return [];
  const canRead = (facts: ProjectFacts): boolean => {
    const role = roleIn(facts, username, all);
    if (facts.repository === 'disabled') return false;
    if (facts.visibility === 'private') return role >= roles.reporter;
    if (role >= roles.guest) return true;
    return facts.repository === 'enabled' && (facts.visibility === 'public' || who.isExternal !== true);
  };
  return all.projects.filter(canRead).map(({ path }) => path);
}
