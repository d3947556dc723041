import { answerOf, operationAt } from './api.ts';
import { serve } from './serve.ts';
import type { Answer, Asked, Served } from './serve.ts';

export const token = 'BBDC-0123456789abcdefghij';

interface DataCenterPerson {
  readonly id: number;
  name: string;
  readonly email: string;
  readonly groups: string[];
  isActive?: boolean;
  hasLicence?: boolean;
}

interface Grants {
  readonly users: string[];
  readonly groups: string[];
}

interface ProjectFacts extends Grants {
  readonly key: string;
  readonly id: number;
  isPublic?: boolean;
  /** The permission that everyone with a licence has. */
  byDefault?: 'PROJECT_READ' | 'PROJECT_WRITE';
  /** Of a personal project. */
  readonly owner?: string;
}

interface RepositoryFacts extends Grants {
  readonly id: number;
  readonly project: string;
  slug: string;
  isPublic?: boolean;
  readonly isArchived?: boolean;
  readonly isFork?: boolean;
}

export interface TestDataCenter extends Served {
  readonly people: DataCenterPerson[];
  readonly projects: ProjectFacts[];
  readonly repositories: RepositoryFacts[];
  readonly asked: string[];
  /** Whether the token is of an administrator. */
  isAdministrator: boolean;
  /** `feature.public.access` */
  hasPublicAccess: boolean;
  /** The most that it gives at once. */
  mostAtOnce: number;
  /** Whether pages do not say where the next one begins. */
  hidesNextPage?: boolean;
  /** Called before each page of repositories. */
  beforeList: () => void;
}

const nobody: Grants = { users: [], groups: [] };

let made = 0;
export function dataCenterRepository(path: string, facts: Partial<RepositoryFacts> = {}): RepositoryFacts {
  made += 1;
  const [project = '', slug = ''] = path.split('/');
  return { id: made, project, slug, ...nobody, ...facts };
}

/**
 * A server at the level of the protocol: it answers as the OpenAPI document of Data Center 9.2 and the pages on permissions
 * of Atlassian say. It is not a Bitbucket.
 */
export async function startDataCenter(): Promise<TestDataCenter> {
  const state: Omit<TestDataCenter, keyof Served> = {
    people: [
      { id: 1, name: 'root', email: 'root@example.com', groups: ['admins'] },
      { id: 2, name: 'ann', email: 'ann@example.com', groups: ['shop', 'staff'] },
      { id: 3, name: 'bob', email: 'bob@example.com', groups: ['staff'] },
      { id: 4, name: 'carol', email: 'carol@example.com', groups: ['partners'] },
      { id: 5, name: 'carola', email: 'carola@example.com', groups: [], hasLicence: false },
    ],
    projects: [
      { id: 1, key: 'SHOP', users: [], groups: ['shop'] },
      { id: 2, key: 'OPEN', users: [], groups: [], isPublic: true },
      { id: 3, key: 'WIKI', users: [], groups: [], byDefault: 'PROJECT_WRITE' },
      { id: 4, key: '~BOB', users: [], groups: [], owner: 'bob' },
    ],
    repositories: [
      dataCenterRepository('SHOP/cart'),
      dataCenterRepository('SHOP/kit', { users: ['bob'], groups: ['partners'] }),
      dataCenterRepository('SHOP/front', { isPublic: true, isArchived: true }),
      dataCenterRepository('OPEN/docs'),
      dataCenterRepository('WIKI/pages'),
      dataCenterRepository('~BOB/notes', { users: ['carol'], isFork: true }),
    ],
    asked: [],
    isAdministrator: true,
    hasPublicAccess: true,
    mostAtOnce: 1000,
    beforeList: () => undefined,
  };
  const served = await serve((asked, url) => answer(state, asked, url));
  return Object.assign(state, served);
}

type State = Omit<TestDataCenter, keyof Served>;

/** Names of the repositories that somebody reads, by the rules of the page on permissions. */
export function readableBy(name: string, { people, projects, repositories }: State): string[] {
  const who = people.find((each) => each.name === name);
  if (!who || who.isActive === false || who.hasLicence === false) return [];
  const isGiven = ({ users, groups }: Grants): boolean =>
    users.includes(name) || groups.some((each) => who.groups.includes(each));
  return repositories
    .filter((each) => {
      const project = projects.find(({ key }) => key === each.project);
      if (!project) return false;
      const isOpen = each.isPublic === true || project.isPublic === true || project.byDefault !== undefined;
      return isOpen || project.owner === name || isGiven(project) || isGiven(each);
    })
    .map(({ project, slug }) => `${project}/${slug}`);
}

const failed = (status: number, message: string): Answer => ({
  status,
  body: { errors: [{ context: null, message, exceptionName: null }] },
});

function answer(state: State, { path, query, headers }: Asked, url: string): Answer {
  const place = path.replace(/^\/rest/, '');
  state.asked.push(`GET ${place}`);
  const operation = operationAt('dataCenter', place, query);
  const isSignedIn = headers.authorization === `Bearer ${token}`;
  if (headers.authorization !== undefined && !isSignedIn) return failed(401, 'Authentication failed.');
  const paged = (values: readonly Readonly<Record<string, unknown>>[]): Answer => {
    const start = Number(query.get('start') ?? 0);
    const limit = Math.min(Number(query.get('limit') ?? 25), state.mostAtOnce);
    const shown = values.slice(start, start + limit).map((each) => answerOf(operation, each));
    const isLastPage = start + limit >= values.length;
    const told = { size: shown.length, limit, isLastPage, start, values: shown };
    return { status: 200, body: { ...told, nextPageStart: isLastPage || state.hidesNextPage ? null : start + limit } };
  };
  if (place === '/api/latest/repos') {
    state.beforeList();
    if (!isSignedIn && !state.hasPublicAccess) return failed(401, 'You are not permitted to access this resource');
    return paged(repositoriesOf(state, query, isSignedIn).map((each) => repositoryAnswer(each, state, url)));
  }
  if (!isSignedIn) return failed(401, 'You are not permitted to access this resource');
  if (place === '/api/latest/users') {
    const filter = query.get('filter') ?? '';
    const found = state.people.filter(({ name, email }) => name.includes(filter) || email.includes(filter));
    return paged(found.filter((each) => query.get('permission') === null || each.hasLicence !== false).map(userAnswer));
  }
  if (!state.isAdministrator) return failed(401, 'You are not permitted to access this resource');
  if (place === '/api/latest/admin/permissions/users') return paged([{ permission: 'SYS_ADMIN' }]);
  if (place === '/api/latest/admin/users/more-members') {
    const found = state.people.find(({ name }) => name === query.get('context'));
    return found ? paged(found.groups.map((name) => ({ name }))) : failed(404, 'No such user');
  }
  const [, , , , key = '', , slug] = place.split('/');
  const project = state.projects.find((each) => each.key === key);
  const repository = state.repositories.find((each) => each.project === key && each.slug === slug);
  const place2 = place.includes('/repos/') ? repository : project;
  if (!project || !place2) return failed(404, 'No such project or repository');
  if (place.endsWith('/all')) {
    const permission = place.split('/').at(-2);
    return { status: 200, body: answerOf(operation, { permitted: project.byDefault === permission }) };
  }
  if (place.endsWith('/groups')) return paged(place2.groups.map((name) => ({ group: { name } })));
  const users = state.people.filter(({ name }) => place2.users.includes(name));
  return paged(users.map((each) => ({ user: userAnswer(each) })));
}

function repositoriesOf({ repositories, projects }: State, query: URLSearchParams, isSignedIn: boolean) {
  const isPublic = ({ isPublic: isOpen, project }: RepositoryFacts): boolean =>
    isOpen === true || projects.find(({ key }) => key === project)?.isPublic === true;
  // The key is matched like a name, without case.
  const key = query.get('projectkey')?.toLowerCase() ?? '';
  const archived = query.get('archived') ?? 'ACTIVE';
  return repositories
    .filter((each) => each.project.toLowerCase().includes(key) && (isSignedIn || isPublic(each)))
    .filter((each) => query.get('visibility') === null || isPublic(each) === (query.get('visibility') === 'public'))
    .filter((each) => archived === 'ALL' || (archived === 'ARCHIVED') === (each.isArchived === true));
}

function repositoryAnswer(facts: RepositoryFacts, { projects, people }: State, url: string) {
  const project = projects.find(({ key }) => key === facts.project);
  const owner = people.find(({ name }) => name === project?.owner);
  const { host, hostname } = new URL(url);
  return {
    id: facts.id,
    slug: facts.slug,
    name: facts.slug,
    public: facts.isPublic ?? false,
    archived: facts.isArchived ?? false,
    origin: facts.isFork === true ? { id: 1, slug: 'cart' } : undefined,
    project: {
      id: project?.id,
      key: facts.project,
      public: project?.isPublic ?? false,
      type: owner ? 'PERSONAL' : 'NORMAL',
      owner: owner && userAnswer(owner),
    },
    links: {
      clone: [
        { name: 'ssh', href: `ssh://git@${hostname}:7999/${facts.project.toLowerCase()}/${facts.slug}.git` },
        { name: 'http', href: `http://root@${host}/scm/${facts.project.toLowerCase()}/${facts.slug}.git` },
      ],
    },
  };
}

const userAnswer = ({ id, name, email, isActive = true }: DataCenterPerson) => ({
  id,
  name,
  slug: name,
  emailAddress: email,
  active: isActive,
});
