import type { GerritPermission } from './answers.ts';

export const anonymousUsers = 'global:Anonymous-Users';
export const registeredUsers = 'global:Registered-Users';
const projectOwners = 'global:Project-Owners';

const allRefs = 'refs/*';
/** Rules of a project and its parents that are followed. Owners of a project write them, and each costs time for each person. */
const mostRules = 1000;
/** Where a project keeps its rights. Nobody needs to read that to read its code, and nothing of it is served. */
const configRef = 'refs/meta/config';

/** What the rights of one project say themselves, without those that it inherits. */
export interface OwnRights {
  /** Rules about Read, by the pattern of refs. */
  readonly read: ReadonlyMap<string, GerritPermission>;
  /** Groups that own the project. */
  readonly owners: readonly string[];
}

/** Somebody who reads, by the UUIDs of groups. */
export interface Reader {
  isMember(group: string): boolean;
  /** `false` only where that is certain: being in a group can take rights away. */
  mayBeMember(group: string): boolean;
}

/** Everyone who is a member of these groups, whatever else they are. */
export const everyoneIn = (...groups: readonly string[]): Reader => ({
  isMember: (group) => groups.includes(group),
  mayBeMember: () => true,
});

/**
 * An account with the groups that Gerrit told. Those of its own it told all of; other backends, such as LDAP, may have members
 * that it cannot list.
 */
export const memberOf = (groups: ReadonlySet<string>): Reader => ({
  isMember: (group) => groups.has(group),
  mayBeMember: (group) => groups.has(group) || !/^([0-9a-f]{40}$|global:)/.test(group),
});

/**
 * Who reads all of a project: every branch and every tag. As in Gerrit that takes Read on `refs/*`, and on each pattern of refs
 * that has rules of its own, because there is no right to read tags ("Access Controls", Read).
 */
export class ReadRules {
  /** Why nobody can be said to read it; undefined where it can be told who does. */
  readonly problem: string | undefined;
  /** Sections that match the refs of a pattern, for each pattern. */
  readonly #places: readonly (readonly Section[])[];
  readonly #blocking: readonly Section[];
  readonly #owners: readonly string[];
  readonly #possibleOwners: readonly string[];

  /** Rights of the project, of its parent, and so on to All-Projects. */
  constructor(chain: readonly OwnRights[]) {
    const all = chain.flatMap(({ read }) =>
      [...read].map(([pattern, permission]): Section => ({ pattern, permission })),
    );
    this.problem = problemOf(all);
    const sections =
      this.problem !== undefined ? [] : all.filter((section) => !isDynamic(section) && section.pattern !== configRef);
    const patterns = new Set(sections.map(({ pattern }) => pattern));
    this.#places = patterns.has(allRefs) ? [...patterns].map((pattern) => sectionsAt(pattern, sections)) : [];
    this.#blocking = sections.filter((section) => actionsOf(section).includes('BLOCK'));
    // Nobody owns All-Projects but administrators, whatever its rights say.
    this.#owners = chain.slice(0, -1).flatMap(({ owners }) => owners);
    this.#possibleOwners = chain.flatMap(({ owners }) => owners);
  }

  isReadableBy(reader: Reader): boolean {
    if (this.#places.length === 0) return false;
    const here: Reader = {
      isMember: (group) =>
        group === projectOwners ? this.#owners.some((each) => reader.isMember(each)) : reader.isMember(group),
      mayBeMember: (group) =>
        group === projectOwners
          ? this.#possibleOwners.some((each) => reader.mayBeMember(each))
          : reader.mayBeMember(group),
    };
    return (
      !this.#blocking.some((section) => isBlocked(section, here)) &&
      this.#places.every((sections) => isAllowed(sections, here))
    );
  }
}

/** The rules of one project about refs that are like a pattern. */
interface Section {
  readonly pattern: string;
  readonly permission: GerritPermission;
}

/** Which refs a regular expression or the name of a user stands for is not worked out here. */
const isDynamic = ({ pattern }: Section): boolean => pattern.startsWith('^') || pattern.includes('${');

const actionsOf = ({ permission: { rules } }: Section): string[] => Object.values(rules).map(({ action }) => action);

function problemOf(sections: readonly Section[]): string | undefined {
  const rules = sections.reduce((sum, { permission }) => sum + 1 + Object.keys(permission.rules).length, 0);
  if (rules > mostRules) return `there are more than ${mostRules} rules about Read`;
  const unknown = sections.find((section) => isDynamic(section) && takesAway(section));
  return unknown && `Read on ${unknown.pattern} is for some only`;
}

/** Whether it makes anybody read less than they do elsewhere. DENY does not: it ends what the same pattern inherits. */
const takesAway = (section: Section): boolean => section.permission.exclusive || actionsOf(section).includes('BLOCK');

/** Those that match the refs of a pattern, the closest first; for one pattern, that of a project before that of its parents. */
function sectionsAt(place: string, sections: readonly Section[]): Section[] {
  const ref = withoutStar(place);
  return sections
    .filter(({ pattern }) => (pattern.endsWith('/*') ? ref.startsWith(withoutStar(pattern)) : ref === pattern))
    .toSorted((one, other) => withoutStar(other.pattern).length - withoutStar(one.pattern).length);
}

/** A pattern that ends with a slash and a star is for all below it, any other for one ref. */
const withoutStar = (pattern: string): string => (pattern.endsWith('/*') ? pattern.slice(0, -1) : pattern);

/** The first rule of a group for a pattern counts, and nothing behind an exclusive permission. */
function isAllowed(sections: readonly Section[], { isMember }: Reader): boolean {
  const seen = new Set<string>();
  for (const { pattern, permission } of sections) {
    for (const [group, { action }] of Object.entries(permission.rules)) {
      const key = `${pattern}\n${group}`;
      if (!seen.has(key) && action === 'ALLOW' && isMember(group)) return true;
      seen.add(key);
    }
    if (permission.exclusive) return false;
  }
  return false;
}

/** Whether a section keeps somebody from the refs of its pattern: an ALLOW beside a BLOCK undoes it, none elsewhere does. */
function isBlocked({ permission }: Section, { isMember, mayBeMember }: Reader): boolean {
  const rules = Object.entries(permission.rules);
  return (
    rules.some(([group, { action }]) => action === 'BLOCK' && mayBeMember(group)) &&
    !rules.some(([group, { action }]) => action === 'ALLOW' && isMember(group))
  );
}
