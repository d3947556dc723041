import { answerOf, operationAt } from './api.ts';
import { serve } from './serve.ts';
import type { Answer, Asked, Served } from './serve.ts';

export const token = 'ATATT-0123456789abcdefghij';
export const consumer = { key: 'consumer', secret: 'consumer-secret-0123456789' };
const consumersToken = 'token-of-a-consumer-0123456789';

interface CloudPerson {
  readonly uuid: string;
  readonly accountId: string;
  nickname: string;
  readonly email: string;
  status?: 'active' | 'inactive';
}

interface CloudRepositoryFacts {
  readonly uuid: string;
  readonly workspace: string;
  readonly project: string;
  readonly slug: string;
  isPrivate: boolean;
  readonly createdOn: string;
  updatedOn: string;
  readonly isEmpty?: boolean;
  readonly isFork?: boolean;
  /** Permissions by nickname, direct or by a group: the highest of each. */
  readonly permissions: Record<string, 'read' | 'write' | 'admin' | 'none'>;
}

export interface TestCloud extends Served {
  readonly people: CloudPerson[];
  readonly repositories: CloudRepositoryFacts[];
  /** `GET /users/{…}` */
  readonly asked: string[];
  /** Whether the token is of an administrator of the workspaces. */
  isAdministrator: boolean;
  /** Whether lists say how much they have. */
  hasSizes: boolean;
  /** Answers instead, where it wants to. */
  instead: ((path: string) => Answer | undefined) | undefined;
}

const uuidOf = (number: number): string => `{00000000-0000-4000-8000-${String(number).padStart(12, '0')}}`;

export const cloudPerson = (number: number, nickname: string): CloudPerson => ({
  uuid: uuidOf(number),
  accountId: `557058:${number}`,
  nickname,
  email: `${nickname}@example.com`,
});

let made = 1000;
export function cloudRepository(path: string, facts: Partial<CloudRepositoryFacts> = {}): CloudRepositoryFacts {
  made += 1;
  const [workspace = '', slug = ''] = path.split('/');
  const at = new Date(Date.UTC(2026, 0, 1) + made * 1000).toISOString().replace('Z', '456+00:00');
  const base = { uuid: uuidOf(made), workspace, slug, project: 'EX', isPrivate: true, createdOn: at, updatedOn: at };
  return { ...base, permissions: {}, ...facts };
}

/** A server that answers as the OpenAPI document of Bitbucket Cloud and its pages on filters, pages and limits say. */
export async function startCloud(): Promise<TestCloud> {
  const state: Omit<TestCloud, keyof Served> = {
    people: [cloudPerson(1, 'root'), cloudPerson(2, 'ann'), cloudPerson(3, 'bob'), cloudPerson(4, 'carol')],
    repositories: [
      cloudRepository('acme/shop', { permissions: { ann: 'admin', carol: 'read' } }),
      cloudRepository('acme/front', { project: 'WEB', permissions: { ann: 'write', carol: 'none' } }),
      cloudRepository('acme/open', { isPrivate: false, permissions: { ann: 'admin' } }),
      cloudRepository('acme/blank', { isEmpty: true }),
      cloudRepository('partners/kit', { isFork: true, permissions: { bob: 'read', carol: 'write' } }),
    ],
    asked: [],
    isAdministrator: true,
    hasSizes: true,
    instead: undefined,
  };
  const served = await serve((asked, url) => answer(state, asked, url));
  return Object.assign(state, served);
}

const failed = (status: number, message: string): Answer => ({ status, body: { type: 'error', error: { message } } });

function answer(
  state: Omit<TestCloud, keyof Served>,
  { path, query, headers, method, body }: Asked,
  url: string,
): Answer {
  const { authorization } = headers;
  state.asked.push(`${method} ${path}`);
  if (path === '/site/oauth2/access_token') {
    const isKnown = authorization === `Basic ${btoa(`${consumer.key}:${consumer.secret}`)}`;
    const isAsked = method === 'POST' && body === 'grant_type=client_credentials';
    if (!isKnown || !isAsked) return { status: 400, body: { error: 'invalid_grant' } };
    return {
      status: 200,
      body: { access_token: consumersToken, token_type: 'bearer', expires_in: 7200, scopes: 'account' },
    };
  }
  const signedIn = [`Bearer ${token}`, `Basic ${btoa(`root@example.com:${token}`)}`, `Bearer ${consumersToken}`];
  if (!signedIn.includes(authorization ?? ''))
    return failed(401, 'Token is invalid, expired, or not supported for this endpoint.');
  const given = state.instead?.(path);
  if (given) return given;
  const place = path.replace(/^\/2\.0/, '');
  const operation = operationAt('cloud', place, query);
  const paged = (values: readonly Readonly<Record<string, unknown>>[]): Answer => {
    const size = Number(query.get('pagelen') ?? 10);
    const page = Number(query.get('page') ?? 1);
    const next = new URLSearchParams(query);
    next.set('page', String(page + 1));
    const shown = values.slice((page - 1) * size, page * size).map((each) => answerOf(operation, each));
    const isMore = page * size < values.length;
    const told = { pagelen: size, page, values: shown, ...(state.hasSizes && { size: values.length }) };
    return { status: 200, body: { ...told, ...(isMore && { next: `${url}${path}?${next}` }) } };
  };
  const [, kind, name = '', what] = place.split('/');
  if (kind === 'users') {
    const found = state.people.find(({ uuid, accountId }) => uuid === name || accountId === name);
    if (!found) return failed(404, `No account with identifier ${name}`);
    const { uuid, accountId, nickname, status = 'active' } = found;
    return {
      status: 200,
      body: answerOf(operation, { uuid, account_id: accountId, nickname, account_status: status }),
    };
  }
  const inWorkspace = state.repositories.filter(({ workspace }) => workspace === name);
  if (inWorkspace.length === 0) return failed(404, `No workspace with identifier ${name}`);
  const q = query.get('q') ?? '';
  if (kind === 'repositories') return paged(listed(inWorkspace, q, query.get('sort') ?? '').map(described));
  if (!state.isAdministrator) return failed(403, 'Your credentials lack one or more required privilege scopes.');
  if (what === 'members') {
    const email = /"([^"]+)"/.exec(q)?.[1];
    const members = state.people.filter((each) => each.email === email);
    return paged(members.map(({ uuid, nickname, email: address }) => ({ user: { uuid, nickname, email: address } })));
  }
  const wanted = /"([^"]+)"/.exec(q)?.[1];
  const entries = inWorkspace.flatMap(({ uuid, permissions }) =>
    state.people.flatMap((person) => {
      const permission = permissions[person.nickname];
      if (permission === undefined || (wanted ?? person.uuid) !== person.uuid) return [];
      return [{ permission, user: { uuid: person.uuid }, repository: { uuid } }];
    }),
  );
  return paged(entries);
}

function listed(all: readonly CloudRepositoryFacts[], q: string, sort: string): CloudRepositoryFacts[] {
  const isPrivate = /is_private=(true|false)/.exec(q)?.[1];
  const projects = [...q.matchAll(/project\.key="([^"]+)"/g)].map(([, key]) => key);
  const key = sort.endsWith('updated_on') ? 'updatedOn' : 'createdOn';
  const found = all
    .filter((each) => isPrivate === undefined || String(each.isPrivate) === isPrivate)
    .filter(({ project }) => projects.length === 0 || projects.includes(project))
    .toSorted((one, other) => (one[key] < other[key] ? -1 : 1));
  return sort.startsWith('-') ? found.toReversed() : found;
}

const described = (facts: CloudRepositoryFacts) => ({
  uuid: facts.uuid,
  full_name: `${facts.workspace}/${facts.slug}`,
  is_private: facts.isPrivate,
  created_on: facts.createdOn,
  updated_on: facts.updatedOn,
  project: { key: facts.project },
  parent: facts.isFork === true ? { type: 'repository', uuid: uuidOf(1) } : null,
  ...(facts.isEmpty === true && { mainbranch: undefined }),
  links: {
    clone: [
      { name: 'https', href: `https://root@bitbucket.org/${facts.workspace}/${facts.slug}.git` },
      { name: 'ssh', href: `git@bitbucket.org:${facts.workspace}/${facts.slug}.git` },
    ],
  },
});
