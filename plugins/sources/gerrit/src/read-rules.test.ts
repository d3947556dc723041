import { describe, expect, it } from 'vitest';
import { anonymousUsers, everyoneIn, memberOf, ReadRules, registeredUsers } from './read-rules.ts';
import type { OwnRights } from './read-rules.ts';
import { allow, block, deny, owners as projectOwners, uuid } from './testing/gerrit.ts';
import type { Permission } from './testing/gerrit.ts';

const [leads, staff] = [uuid('leads'), uuid('staff')];
const ldap = 'ldap:cn=ops,ou=groups';
const onRoot = { 'refs/*': allow(registeredUsers) };

interface Rights {
  readonly read?: Readonly<Record<string, Permission>>;
  readonly owners?: readonly string[];
}

const rights = ({ read = {}, owners = [] }: Rights): OwnRights => ({
  read: new Map(
    Object.entries(read).map(([pattern, { exclusive = false, rules }]) => [
      pattern,
      { exclusive, rules: { ...rules } },
    ]),
  ),
  owners,
});
const rulesOf = (...chain: Rights[]): ReadRules => new ReadRules(chain.map(rights));
const exclusive = (permission: Permission): Permission => ({ ...permission, exclusive: true });
const both = (one: Permission, other: Permission): Permission => ({ rules: { ...one.rules, ...other.rules } });
const isReadable = (rules: ReadRules, ...groups: string[]): boolean =>
  rules.isReadableBy(memberOf(new Set([anonymousUsers, registeredUsers, ...groups])));

describe('all of a project is read', () => {
  it('by groups that have Read on refs/*, also where a parent gives it', () => {
    expect(isReadable(rulesOf({ read: { 'refs/*': allow(leads) } }), leads)).toBe(true);
    expect(isReadable(rulesOf({ read: { 'refs/*': allow(leads) } }), staff)).toBe(false);
    expect(isReadable(rulesOf({}, {}, { read: onRoot }))).toBe(true);
    expect(isReadable(rulesOf({}))).toBe(false);
  });

  it('by nobody where Read is on branches alone: tags cannot be given', () => {
    const branches = rulesOf({ read: { 'refs/heads/*': allow(leads), 'refs/tags/*': allow(leads) } });
    expect(isReadable(branches, leads)).toBe(false);
  });

  it('by nobody who reads only some branches', () => {
    const secret = rulesOf({ read: { 'refs/heads/secret/*': exclusive(allow(leads)) } }, { read: onRoot });
    expect([isReadable(secret), isReadable(secret, leads)]).toEqual([false, true]);
    const one = rulesOf({ read: { 'refs/heads/secret': exclusive(allow()) } }, { read: onRoot });
    expect(isReadable(one, leads)).toBe(false);
  });

  it('without Read on the configuration of the project', () => {
    const config = { 'refs/meta/config': exclusive(allow(leads)) };
    expect(isReadable(rulesOf({}, { read: { ...onRoot, ...config } }))).toBe(true);
  });

  it('not where an exclusive permission ends what is inherited', () => {
    const closed = rulesOf({ read: { 'refs/*': exclusive(allow(leads)) } }, { read: onRoot });
    expect([isReadable(closed), isReadable(closed, leads)]).toEqual([false, true]);
    const outer = rulesOf({}, { read: { 'refs/*': exclusive(allow(leads)) } }, { read: onRoot });
    expect([isReadable(outer), isReadable(outer, leads)]).toEqual([false, true]);
    // What it ends is what comes behind it: the project itself comes before its parent.
    const inner = rulesOf({ read: onRoot }, { read: { 'refs/*': exclusive(allow(leads)) } });
    expect(isReadable(inner)).toBe(true);
  });

  it('not where DENY ends what the same group inherits', () => {
    const denied = rulesOf({ read: { 'refs/*': deny(registeredUsers) } }, { read: onRoot });
    expect(isReadable(denied)).toBe(false);
    const otherwise = rulesOf({ read: { 'refs/*': both(deny(registeredUsers), allow(leads)) } }, { read: onRoot });
    expect([isReadable(otherwise), isReadable(otherwise, leads)]).toEqual([false, true]);
    // DENY of one group takes nothing that another gives.
    expect(isReadable(rulesOf({ read: { 'refs/*': deny(leads) } }, { read: onRoot }), leads)).toBe(true);
  });

  it('not by who is blocked, unless the same project allows it beside or closer', () => {
    const blocked = rulesOf(
      { read: { 'refs/*': allow(staff) } },
      { read: { 'refs/*': both(allow(staff), block(leads)) } },
    );
    expect([isReadable(blocked, staff), isReadable(blocked, leads)]).toEqual([true, false]);
    expect(isReadable(blocked, staff, leads)).toBe(true);
    const above = rulesOf({ read: { 'refs/*': allow(leads) } }, { read: { 'refs/*': block(registeredUsers) } });
    expect(isReadable(above, leads)).toBe(false);
    const closer = { 'refs/*': both(block(registeredUsers), allow(staff)), 'refs/heads/*': exclusive(allow(leads)) };
    expect(isReadable(rulesOf({ read: closer }), leads)).toBe(false);
    expect(isReadable(rulesOf({ read: closer }), leads, staff)).toBe(true);
  });

  it('by project owners where they have it: those of the project and of its parents, not of All-Projects', () => {
    const given: Rights = { read: { 'refs/*': allow(projectOwners) }, owners: [staff] };
    const owned = rulesOf({ owners: [leads] }, {}, given);
    expect([isReadable(owned, leads), isReadable(owned, staff), isReadable(owned)]).toEqual([true, false, false]);
    expect(isReadable(rulesOf({}, { owners: [leads] }, given), leads)).toBe(true);
    const blocked = rulesOf(
      { owners: [leads] },
      { read: { 'refs/*': both(allow(registeredUsers), block(projectOwners)) } },
    );
    // Registered users are allowed beside the BLOCK.
    expect(isReadable(blocked, leads)).toBe(true);
    const above = rulesOf({ owners: [leads], read: onRoot }, { read: { 'refs/*': block(projectOwners) } });
    expect([isReadable(above), isReadable(above, leads)]).toEqual([true, false]);
  });

  it('by members of another backend where Gerrit told that they are, and by nobody whom it may block', () => {
    const given = rulesOf({ read: { 'refs/*': allow(ldap) } });
    expect([isReadable(given), isReadable(given, ldap)]).toEqual([false, true]);
    const blocked = rulesOf({ read: onRoot }, { read: { 'refs/*': block(ldap) } });
    expect(isReadable(blocked)).toBe(false);
    const owned = rulesOf({ read: onRoot, owners: [ldap] }, { read: { 'refs/*': block(projectOwners) } });
    expect(isReadable(owned)).toBe(false);
  });

  it.each(['^refs/heads/.*', '^refs/meta/x|refs/heads/s', 'refs/heads/${username}/*', 'refs/*${username}'])(
    'by nobody where Read on %s is for some only, which is said',
    (pattern) => {
      const only = rulesOf({ read: { [pattern]: exclusive(allow(leads)) } }, { read: onRoot });
      expect([isReadable(only), isReadable(only, leads)]).toEqual([false, false]);
      expect(only.problem).toBe(`Read on ${pattern} is for some only`);
      expect(rulesOf({}, { read: { ...onRoot, [pattern]: block(leads) } }).problem).toBeDefined();
      const more = rulesOf({ read: { [pattern]: allow(leads) } }, { read: onRoot });
      expect([isReadable(more), more.problem]).toEqual([true, undefined]);
    },
  );

  it('by nobody where there are more rules than are followed', () => {
    const groups = Array.from({ length: 500 }, (_, at) => uuid(`g${at}`));
    const many = rulesOf({ read: { 'refs/*': allow(...groups) } }, { read: { 'refs/*': allow(...groups) } });
    expect([isReadable(many, uuid('g0')), many.problem]).toEqual([false, 'there are more than 1000 rules about Read']);
  });

  it('by everyone only if nothing can be taken from anybody', () => {
    const everyone = everyoneIn(anonymousUsers);
    expect(rulesOf({ read: { 'refs/*': allow(anonymousUsers) } }).isReadableBy(everyone)).toBe(true);
    expect(rulesOf({ read: onRoot }).isReadableBy(everyone)).toBe(false);
    expect(rulesOf({ read: onRoot }).isReadableBy(everyoneIn(anonymousUsers, registeredUsers))).toBe(true);
    const blocked = rulesOf({ read: { 'refs/*': allow(anonymousUsers) } }, { read: { 'refs/*': block(leads) } });
    expect(blocked.isReadableBy(everyone)).toBe(false);
  });
});

/** Patterns of refs, and refs that they stand for. */
const examples: Readonly<Record<string, readonly string[]>> = {
  'refs/*': ['refs/notes/review', 'refs/heads/main', 'refs/x'],
  'refs/heads/*': ['refs/heads/main', 'refs/heads/a/b/c', 'refs/heads/b', 'refs/heads/release-1'],
  'refs/heads/a/*': ['refs/heads/a/b', 'refs/heads/a/c', 'refs/heads/a/b/c'],
  'refs/heads/a': ['refs/heads/a'],
  'refs/tags/*': ['refs/tags/v1'],
  'refs/meta/config': [],
  '^refs/heads/release-.*': ['refs/heads/release-1', 'refs/heads/release-'],
  'refs/heads/${username}/*': ['refs/heads/ann/x', 'refs/heads/bob/x'],
};
const groups = [anonymousUsers, registeredUsers, projectOwners, leads, staff, ldap];

/** Of 0 to 1, always the same for a seed (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

it('is never more than what Gerrit evaluates for single refs, and no less where all is told', () => {
  let readable = 0;
  for (let seed = 0; seed < 4000; seed += 1) {
    const next = numbersOf(seed);
    const chain = Array.from({ length: 1 + Math.floor(next() * 3) }, (): Rights => madeUp(next));
    const truth = new Set([anonymousUsers, registeredUsers, ...[leads, staff, ldap].filter(() => next() < 0.4)]);
    const told = new Set([...truth].filter((group) => group !== ldap || next() < 0.5));
    const rules = rulesOf(...chain);
    const ours = rules.isReadableBy(memberOf(told));
    const theirs = seesAll(chain, truth);
    const uses = JSON.stringify(chain);
    const isExact = !/\^refs|\$\{/.test(uses) && !uses.includes(ldap) && chain.at(-1)?.owners?.length === 0;
    if (ours) readable += 1;
    if (ours && !theirs) expect({ chain, truth, ours }).toEqual({ chain, truth, ours: theirs });
    if (isExact) expect({ seed, ours }).toEqual({ seed, ours: theirs });
    for (const kind of [[anonymousUsers], [anonymousUsers, registeredUsers]])
      if (rules.isReadableBy(everyoneIn(...kind))) expect({ seed, theirs }).toEqual({ seed, theirs: true });
  }
  expect(readable).toBeGreaterThan(200);
});

function madeUp(next: () => number): Rights {
  const patterns = Object.keys(examples).filter((pattern) => next() < (pattern === 'refs/*' ? 0.8 : 0.2));
  const read = patterns.map((pattern) => {
    const rules = groups.flatMap((group) => {
      const drawn = next();
      const action = drawn < 0.45 ? 'ALLOW' : drawn < 0.5 ? 'BLOCK' : drawn < 0.55 ? 'DENY' : undefined;
      return action ? [[group, { action }] as const] : [];
    });
    return [pattern, { exclusive: next() < 0.2, rules: Object.fromEntries(rules) }] as const;
  });
  return { read: Object.fromEntries(read), owners: [leads, staff, ldap].filter(() => next() < 0.2) };
}

/** Whether ann, a member of these groups, sees every ref: each branch by the rules about it, a lonely tag by those about all. */
function seesAll(chain: readonly Rights[], member: ReadonlySet<string>): boolean {
  const patterns = new Set(chain.flatMap(({ read = {} }) => Object.keys(read)));
  const refs = Object.values(examples)
    .flat()
    .filter((ref) => !ref.startsWith('refs/tags/'));
  const named = [...patterns].filter((pattern) => pattern !== 'refs/meta/config').map(shortest);
  return patterns.has('refs/*') && [...refs, ...named].every((ref) => canRead(chain, ref, member));
}

/** As RefControl and PermissionCollection of Gerrit 3 do it for one ref: closest sections by their distance to the ref. */
function canRead(chain: readonly Rights[], ref: string, member: ReadonlySet<string>): boolean {
  const ownerGroups = chain.slice(0, -1).flatMap(({ owners = [] }) => owners);
  const isIn = (group: string): boolean =>
    group === projectOwners ? ownerGroups.some((each) => member.has(each)) : member.has(group);
  const sections = chain.flatMap(({ read = {} }, project) =>
    Object.entries(read).map(([pattern, permission]) => ({ pattern, project, permission })),
  );
  const near = sections
    .filter(({ pattern }) => standsFor(pattern, ref))
    .toSorted((one, other) => distance(one.pattern, ref) - distance(other.pattern, ref));
  const isOf = (permission: Permission, action: string): boolean =>
    Object.entries(permission.rules).some(([group, rule]) => rule.action === action && isIn(group));
  for (let project = chain.length - 1; project >= 0; project -= 1)
    for (const { permission } of near.filter((each) => each.project === project)) {
      if (permission.exclusive === true && isOf(permission, 'ALLOW')) break;
      if (isOf(permission, 'BLOCK') && !isOf(permission, 'ALLOW')) return false;
    }
  const seen = new Set<string>();
  const allowed: string[] = [];
  for (const { pattern, permission } of near) {
    for (const [group, { action }] of Object.entries(permission.rules)) {
      if (!seen.has(pattern + group) && action === 'ALLOW') allowed.push(group);
      seen.add(pattern + group);
    }
    if (permission.exclusive === true) break;
  }
  return allowed.some(isIn);
}

const shortest = (pattern: string): string =>
  pattern.startsWith('^')
    ? pattern.slice(1).replace('.*', '')
    : pattern.replace('${username}', 'ann').replace(/\*$/, '');

function standsFor(pattern: string, ref: string): boolean {
  if (pattern.startsWith('^')) return new RegExp(`${pattern}$`).test(ref);
  const expanded = pattern.replace('${username}', 'ann');
  return expanded.endsWith('/*') ? ref.startsWith(expanded.slice(0, -1)) : expanded === ref;
}

/** Levenshtein's, between the shortest ref of a regular expression or else the pattern, and a ref. */
function distance(pattern: string, ref: string): number {
  if (pattern === ref) return 0;
  const text = pattern.startsWith('^') ? shortest(pattern) : pattern;
  let row = Array.from({ length: ref.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...text].entries()) {
    const above = row;
    row = [line + 1];
    for (const [at, other] of [...ref].entries())
      row.push(Math.min((above[at + 1] ?? 0) + 1, (row[at] ?? 0) + 1, (above[at] ?? 0) + (letter === other ? 0 : 1)));
  }
  return row.at(-1) ?? 0;
}
