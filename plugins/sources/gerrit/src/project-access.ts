import { isSextantError } from '@sextant/core';
import type { HostApi } from '@sextant/library-host-api';
import { byName, projectAccess } from './answers.ts';
import type { GerritAccess } from './answers.ts';
import { ReadRules } from './read-rules.ts';
import type { OwnRights } from './read-rules.ts';

/** The most projects in a question, and the most characters of their names as they are sent: Gerrit takes 16 KB of headers. */
const atOnce = 50;
const longestNames = 6000;
/** More parents than any project has; a host that invents new ones for ever is left. */
const mostParents = 30;

const answer = byName(projectAccess);

interface Told {
  readonly rights: OwnRights;
  readonly parent: string | undefined;
}

/** A project among those that inherit from each other. */
interface Link {
  readonly name: string;
  readonly rights: OwnRights;
}

/** Rights by project; undefined where the host does not tell all of them. */
type Rights = Map<string, Told | undefined>;

export interface Asking {
  readonly api: HostApi;
  /** Name of the project that all others inherit from. */
  readonly root: string;
  readonly signal: AbortSignal;
}

/** Who reads all of each of these projects, without those about which not everything is told. */
export async function readRulesOf(names: Iterable<string>, asking: Asking): Promise<Map<string, ReadRules>> {
  const rights: Rights = new Map();
  await tell([asking.root], rights, asking);
  // Who is not told the rights of all projects would ask about each in vain.
  const wanted = rights.get(asking.root) ? [...names] : [];
  for (let left = wanted, round = 0; left.length > 0 && round <= mostParents; round += 1) {
    await tell(left, rights, asking);
    left = [...new Set([...rights.values()].flatMap((told) => told?.parent ?? []))].filter((each) => !rights.has(each));
  }
  const made = new Map<string, ReadRules>();
  return new Map(
    wanted.flatMap((name) => {
      const chain = chainOf(name, rights, asking.root);
      return chain ? [[name, rulesOf(chain, made)] as const] : [];
    }),
  );
}

/** Projects without rules of their own have those of their parent. */
function rulesOf(chain: readonly Link[], made: Map<string, ReadRules>): ReadRules {
  const first = chain.findIndex(({ rights: { read, owners } }) => read.size > 0 || owners.length > 0);
  const own = chain.slice(first);
  const key = own[0]?.name ?? '';
  const rules = made.get(key) ?? new ReadRules(own.map(({ rights }) => rights));
  made.set(key, rules);
  return rules;
}

/** A project and all that it inherits from; undefined unless that ends at the root and every part of it is told. */
function chainOf(name: string, rights: Rights, root: string): Link[] | undefined {
  const chain: Link[] = [];
  for (let next: string | undefined = name; next !== undefined && chain.length <= mostParents; ) {
    const told = rights.get(next);
    if (!told) return undefined;
    chain.push({ name: next, rights: told.rights });
    if (next === root) return chain;
    next = told.parent;
  }
  return undefined;
}

async function tell(names: readonly string[], rights: Rights, asking: Asking): Promise<void> {
  for (const batch of batchesOf(names.filter((name) => !rights.has(name)))) {
    const answered = await ask(batch, asking);
    for (const name of batch) rights.set(name, toldBy(answered.get(name)));
  }
}

/** One project that went, or that may not be seen, ends a question about many. */
async function ask(names: readonly string[], asking: Asking): Promise<Map<string, GerritAccess>> {
  const { api, signal } = asking;
  try {
    const asked = { path: '/a/access/', query: { project: names } };
    const { value } = await api.read({ ...asked, schema: answer, waits: true, signal });
    return new Map(value);
  } catch (error) {
    if (!isSextantError(error) || (error.code !== 'not_found' && error.code !== 'forbidden')) throw error;
    if (names.length === 1) return new Map();
  }
  const half = Math.ceil(names.length / 2);
  return new Map([...(await ask(names.slice(0, half), asking)), ...(await ask(names.slice(half), asking))]);
}

function toldBy(access: GerritAccess | undefined): Told | undefined {
  if (!access || !(access.config_visible || access.is_owner)) return undefined;
  const { inherits_from: from, local } = access;
  const sections = Object.entries(local);
  const read = sections.flatMap(([pattern, { permissions }]) =>
    permissions.read ? [[pattern, permissions.read] as const] : [],
  );
  const owner = Object.entries(local['refs/*']?.permissions.owner?.rules ?? {});
  const owners = owner.flatMap(([group, { action }]) => (action === 'ALLOW' ? [group] : []));
  return { rights: { read: new Map(read), owners }, parent: from ? (from.name ?? decoded(from.id)) : undefined };
}

function* batchesOf(names: readonly string[]): Iterable<string[]> {
  let batch: string[] = [];
  let length = 0;
  for (const name of names) {
    const size = encodeURIComponent(name).length;
    if (batch.length === atOnce || (batch.length > 0 && length + size > longestNames)) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(name);
    length += size;
  }
  if (batch.length > 0) yield batch;
}

/** Ids are names and UUIDs, encoded as in a query. */
export function decoded(id: string): string {
  try {
    return decodeURIComponent(id.replaceAll('+', ' '));
  } catch {
    return id;
  }
}
