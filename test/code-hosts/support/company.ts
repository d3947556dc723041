import { temporaryFolder } from '@sextant/contracts/testing';
import type { Gitea } from './gitea.ts';
import { password, startGitea } from './gitea.ts';

export interface CompanySize {
  repositories: number;
  people: number;
  teams: number;
}

/** What was made at a Gitea. */
export interface Company {
  readonly people: readonly { readonly login: string; readonly id: number }[];
  /** `owner/name`. */
  readonly repositories: readonly string[];
  readonly teams: readonly { readonly id: number; readonly name: string }[];
}

const organizations = [
  { name: 'acme', visibility: 'public' },
  { name: 'limited', visibility: 'limited' },
  { name: 'hidden', visibility: 'private' },
] as const;

/**
 * Organisations of each visibility with public and private repositories; people in teams that read code, teams that see only
 * issues, collaborators, someone restricted, and repositories of people themselves.
 */
export async function makeCompany(gitea: Gitea, { repositories, people, teams }: CompanySize): Promise<Company> {
  const made: { login: string; id: number }[] = [];
  for (let index = 0; index < people; index += 1) {
    const login = `person-${index}`;
    const body = { username: login, password, email: `${login}@example.com`, must_change_password: false };
    made.push(
      await gitea.api('/admin/users', { method: 'POST', body: { ...body, ...(index === 1 && { restricted: true }) } }),
    );
  }
  for (const { name, visibility } of organizations)
    await gitea.api('/orgs', { method: 'POST', body: { username: name, visibility } });
  const names: string[] = [];
  for (let index = 0; index < repositories; index += 1) {
    const { name: owner } = organizations[index % organizations.length] ?? organizations[0];
    const isPrivate = index % 2 === 0;
    names.push(await repository(gitea, `/orgs/${owner}/repos`, { name: `repo-${index}`, private: isPrivate }));
  }
  for (const [index, { login }] of made.entries())
    if (index % 4 === 0)
      names.push(await repository(gitea, '/user/repos', { name: 'own', private: index % 8 === 0 }, login));
  const madeTeams: { id: number; name: string }[] = [];
  for (let index = 0; index < teams; index += 1) {
    const { name: organization } = organizations[index % organizations.length] ?? organizations[0];
    const seesCode = index % 5 !== 4;
    const body = {
      name: `team-${index}`,
      permission: 'read',
      includes_all_repositories: index % 7 === 6,
      units_map: seesCode ? { 'repo.code': 'read', 'repo.issues': 'read' } : { 'repo.issues': 'read' },
    };
    const team = await gitea.api<{ id: number; name: string }>(`/orgs/${organization}/teams`, { method: 'POST', body });
    madeTeams.push(team);
    const own = names.filter((name) => name.startsWith(`${organization}/`));
    for (const [at, name] of own.entries())
      if (at % teams === index || at % 3 === index % 3)
        await gitea.api(`/teams/${team.id}/repos/${name}`, { method: 'PUT' });
    for (const [at, { login }] of made.entries())
      if (at % (index + 2) === 0 && at !== 3) await gitea.api(`/teams/${team.id}/members/${login}`, { method: 'PUT' });
  }
  for (const [index, name] of names.entries())
    if (index % 9 === 0)
      await gitea.api(`/repos/${name}/collaborators/person-${index % people}`, {
        method: 'PUT',
        body: { permission: 'read' },
      });
  return { people: made, repositories: names, teams: madeTeams };
}

export interface GiteaWithCompany extends AsyncDisposable {
  readonly gitea: Gitea;
  readonly company: Company;
}

/** A Gitea on a folder of its own, with a company in it. */
export async function giteaWithCompany(size: CompanySize): Promise<GiteaWithCompany> {
  const folder = temporaryFolder();
  const gitea = await startGitea({ folder: folder.path });
  const company = await makeCompany(gitea, size);
  return {
    gitea,
    company,
    async [Symbol.asyncDispose]() {
      await gitea[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function repository(gitea: Gitea, path: string, body: object, sudo?: string): Promise<string> {
  const options = { method: 'POST', body: { ...body, auto_init: true, default_branch: 'main' } } as const;
  const { full_name: name } = await gitea.api<{ full_name: string }>(path, { ...options, ...(sudo && { sudo }) });
  return name;
}
