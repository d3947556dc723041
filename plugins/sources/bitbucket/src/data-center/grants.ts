import { permitted, permittedGroup, permittedUser } from './answers.ts';
import type { DataCenterRepository } from './answers.ts';
import type { DataCenterClient } from './client.ts';

/** Who was given something, by permission of any kind: all of them read. */
export interface Grants {
  /** Ids of users. */
  readonly users: ReadonlySet<number>;
  /** Names of groups. */
  readonly groups: ReadonlySet<string>;
}

export interface ProjectGrants extends Grants {
  /** Whether everyone with a licence reads it. */
  readonly isForAll: boolean;
}

/** Questions to Bitbucket at once. */
const atOnce = 8;

/** Who reads each of these projects, by key. */
export async function grantsOfProjects(
  client: DataCenterClient,
  projects: Iterable<DataCenterRepository['project']>,
  signal: AbortSignal,
): Promise<Map<string, ProjectGrants>> {
  const found = new Map<string, ProjectGrants>();
  await inTurn(projects, async ({ key, owner }) => {
    const path = `/api/latest/projects/${encodeURIComponent(key)}/permissions`;
    const { users, groups } = await grantsAt(client, path, signal);
    const isForAll =
      (await isDefault(client, `${path}/PROJECT_READ`, signal)) ||
      (await isDefault(client, `${path}/PROJECT_WRITE`, signal));
    found.set(key, { users: new Set([...users, ...(owner ? [owner.id] : [])]), groups, isForAll });
  });
  return found;
}

/** Who was given each of these repositories itself, by id. */
export async function grantsOfRepositories(
  client: DataCenterClient,
  repositories: Iterable<DataCenterRepository>,
  signal: AbortSignal,
): Promise<Map<number, Grants>> {
  const found = new Map<number, Grants>();
  await inTurn(repositories, async ({ id, slug, project }) => {
    const path = `/api/latest/projects/${encodeURIComponent(project.key)}/repos/${encodeURIComponent(slug)}/permissions`;
    found.set(id, await grantsAt(client, path, signal));
  });
  return found;
}

async function grantsAt(client: DataCenterClient, path: string, signal: AbortSignal): Promise<Grants> {
  const run = { waits: true, signal };
  const users = await client.all({ path: `${path}/users`, schema: permittedUser, ...run });
  const groups = await client.all({ path: `${path}/groups`, schema: permittedGroup, ...run });
  return { users: new Set(users.map(({ user }) => user.id)), groups: new Set(groups.map(({ group }) => group.name)) };
}

async function isDefault(client: DataCenterClient, path: string, signal: AbortSignal): Promise<boolean> {
  const answer = await client.read({ path: `${path}/all`, schema: permitted, waits: true, signal });
  return answer.permitted;
}

async function inTurn<T>(all: Iterable<T>, work: (each: T) => Promise<void>): Promise<void> {
  const left = [...all].values();
  const next = async (): Promise<void> => {
    for (const each of left) await work(each);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}
