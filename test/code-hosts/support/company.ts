import { temporaryFolder } from '@sextant/contracts/testing';
import type { Gitea, GiteaOptions } from './gitea.ts';
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

/** Requests under way at once. SQLite writes one at a time, but a new repository costs Gitea several runs of git. */
const sideBySide = 8;
/** Repositories to which Gitea itself makes a first commit. */
const committed = 50;

/**
 * Organisations of each visibility with public and private repositories; people in teams that read code, teams that see only
 * issues, collaborators, someone restricted, and repositories of people themselves. Members come last: Gitea looks at every
 * member of a team whenever the team is given a repository.
 */
export async function makeCompany(gitea: Gitea, size: CompanySize): Promise<Company> {
  const put = (path: string, body?: object) => gitea.api(path, { method: 'PUT', ...(body && { body }) });
  const people = await forAll(numbers(size.people), (index) => {
    const login = `person-${index}`;
    const account = { username: login, password, email: `${login}@example.com`, must_change_password: false };
    const body = { ...account, ...(index === 1 && { restricted: true }) };
    return gitea.api<{ login: string; id: number }>('/admin/users', { method: 'POST', body });
  });
  for (const { name, visibility } of organizations)
    await gitea.api('/orgs', { method: 'POST', body: { username: name, visibility } });
  const ofOrganizations = await forAll(numbers(size.repositories), (index) =>
    repository(gitea, `/orgs/${organizationOf(index)}/repos`, {
      name: `repo-${index}`,
      private: index % 2 === 0,
      auto_init: index < committed,
    }),
  );
  const [first = ''] = ofOrganizations;
  await gitea.fill(ofOrganizations.slice(committed), first);
  const ofPeople = await forAll(
    numbers(size.people).filter((index) => index % 4 === 0),
    (index) => repository(gitea, '/user/repos', { name: 'own', private: index % 8 === 0 }, `person-${index}`),
  );
  const repositories = [...ofOrganizations, ...ofPeople];
  const teams = await forAll(numbers(size.teams), (index) => {
    const seesCode = index % 5 !== 4;
    const body = {
      name: `team-${index}`,
      permission: 'read',
      includes_all_repositories: index % 7 === 6,
      units_map: seesCode ? { 'repo.code': 'read', 'repo.issues': 'read' } : { 'repo.issues': 'read' },
    };
    const path = `/orgs/${organizationOf(index)}/teams`;
    return gitea.api<{ id: number; name: string }>(path, { method: 'POST', body });
  });
  const given = teams.flatMap(({ id }, index) =>
    repositories
      .filter((name) => name.startsWith(`${organizationOf(index)}/`))
      .filter((_, at) => at % size.teams === index || at % 3 === index % 3)
      .map((name) => `/teams/${id}/repos/${name}`),
  );
  await forAll(given, (path) => put(path));
  const members = teams.flatMap(({ id }, index) =>
    people.filter((_, at) => at % (index + 2) === 0 && at !== 3).map(({ login }) => `/teams/${id}/members/${login}`),
  );
  await forAll(members, (path) => put(path));
  const collaborators = repositories.flatMap((name, index) =>
    index % 9 === 0 ? [`/repos/${name}/collaborators/person-${index % size.people}`] : [],
  );
  await forAll(collaborators, (path) => put(path, { permission: 'read' }));
  return { people, repositories, teams };
}

const organizationOf = (index: number): string =>
  (organizations[index % organizations.length] ?? organizations[0]).name;

const numbers = (count: number): number[] => [...Array(count).keys()];

/** Some at a time; the answers are in the order of what is given. */
export async function forAll<Given, Answer>(
  given: readonly Given[],
  work: (each: Given) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const left = given.entries();
  const worker = async (): Promise<void> => {
    for (const [index, each] of left) answers[index] = await work(each);
  };
  await Promise.all(Array.from({ length: sideBySide }, worker));
  return answers;
}

export interface GiteaWithCompany extends AsyncDisposable {
  readonly gitea: Gitea;
  readonly company: Company;
}

/** A Gitea on a folder of its own, with a company in it. */
export async function giteaWithCompany(
  size: CompanySize,
  options: Omit<GiteaOptions, 'folder'> = {},
): Promise<GiteaWithCompany> {
  const folder = temporaryFolder();
  const gitea = await startGitea({ ...options, folder: folder.path });
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
  const options = { method: 'POST', body: { auto_init: true, default_branch: 'main', ...body } } as const;
  const { full_name: name } = await gitea.api<{ full_name: string }>(path, { ...options, ...(sudo && { sudo }) });
  return name;
}
