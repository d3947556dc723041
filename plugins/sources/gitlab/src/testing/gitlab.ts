import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerOf, requireOperation } from './api.ts';
import { roleIn } from './company.ts';
import type { Company, PersonFacts, ProjectFacts } from './company.ts';

export const token = 'glpat-0123456789abcdefghij';

/** What a test changes and sees of it while it answers. */
export interface GitLabState {
  readonly company: Company;
  /** `GET /user`, with `as 5` of what was asked in the name of another. */
  readonly asked: string[];
  /** What the token may do. */
  scopes: readonly string[];
  /** Whose token it is. */
  owner: string;
  /** More than so many in a list are not counted. */
  mostCounted: number;
  /** Answers instead, where it wants to. */
  instead: ((path: string) => Refusal | undefined) | undefined;
}

export interface TestGitLab extends GitLabState, AsyncDisposable {
  readonly url: string;
}

export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Answers of `gitLabAPI` at an address of its own. */
export async function startGitLab(company: Company): Promise<TestGitLab> {
  const { state, listener } = gitLabAPI(company);
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

/**
 * Answers with the fields, the pages and the refusals of GitLab's documentation, and refuses every other question.
 */
export function gitLabAPI(company: Company): { readonly state: GitLabState; readonly listener: RequestListener } {
  const state: GitLabState = {
    company,
    asked: [],
    scopes: ['read_api', 'read_repository', 'sudo'],
    owner: 'root',
    mostCounted: 10_000,
    instead: undefined,
  };

  function answer({ path, query, headers }: Asked, url: string): Refusal {
    const owner = company.people.find(({ username }) => username === state.owner);
    if (headers.authorization !== `Bearer ${token}` || !owner)
      return { status: 401, body: { message: '401 Unauthorized' } };
    const given = state.instead?.(path);
    if (given) return given;
    requireOperation(path, query);
    const sudo = headers['sudo'];
    if (sudo === undefined) return facts({ path, query, caller: owner, url });
    if (!state.scopes.includes('sudo')) return { status: 403, body: { error: 'insufficient_scope', scope: 'sudo' } };
    if (owner.isAdministrator !== true)
      return { status: 403, body: { message: '403 Forbidden - Must be admin to use sudo' } };
    const other = company.people.find(({ id }) => String(id) === sudo);
    if (!other) return { status: 404, body: { message: `404 User with ID or username '${String(sudo)}' Not Found` } };
    return facts({ path, query, caller: other, url });
  }

  function facts({ path, query, caller, url }: Question): Refusal {
    const shown = (who: PersonFacts) => userAnswer(who, caller.isAdministrator === true);
    const [, kind = '', name = '', rest] = path.split('/');
    if (path === '/user') return { status: 200, body: shown(caller) };
    if (path === '/personal_access_tokens/self')
      return { status: 200, body: answerOf('token', { scopes: state.scopes, user_id: caller.id }) };
    if (path === '/users') {
      const found = company.people.filter(({ email }) => email === query.get('search'));
      return { status: 200, body: (caller.isAdministrator === true ? found : []).map(shown) };
    }
    if (kind === 'users' && rest === undefined) {
      const found = company.people.find(({ id }) => String(id) === name);
      return found ? { status: 200, body: shown(found) } : { status: 404, body: { message: '404 User Not Found' } };
    }
    const prefix = `${decodeURIComponent(name)}/`;
    const isInScope = (each: ProjectFacts): boolean => kind === 'projects' || each.path.startsWith(prefix);
    if (kind === 'groups' && !company.groups.some((each) => `${each.path}/` === prefix))
      return { status: 404, body: { message: '404 Group Not Found' } };
    const wanted = Number(query.get('min_access_level') ?? (query.get('membership') === 'true' ? 1 : 0));
    const projects = company.projects
      .filter((each) => isInScope(each) && isSeen(each, caller, company))
      .filter(({ visibility }) => (query.get('visibility') ?? visibility) === visibility)
      .filter((each) => wanted === 0 || roleIn(each, caller.username, company) >= wanted);
    return pageOf(sorted(projects, query), { path, query, url });
  }

  function pageOf(all: readonly ProjectFacts[], { path, query, url }: Omit<Question, 'caller'>): Refusal {
    const size = Number(query.get('per_page') ?? 20);
    const shown = (each: ProjectFacts) => projectAnswer(each, url, query.get('simple') === 'true');
    if (query.get('pagination') === 'keyset') {
      const left = all.filter(({ id }) => id > Number(query.get('id_after') ?? 0));
      const page = left.slice(0, size);
      const next = new URLSearchParams(query);
      next.set('id_after', String(page.at(-1)?.id));
      const link = left.length > size && `<${url}/api/v4${path}?${next}>; rel="next"`;
      return { status: 200, body: page.map(shown), ...(link !== false && { headers: { link } }) };
    }
    const page = Number(query.get('page') ?? 1);
    const counted = all.length <= state.mostCounted && { 'x-total': String(all.length) };
    return {
      status: 200,
      body: all.slice((page - 1) * size, page * size).map(shown),
      headers: { 'x-page': String(page), 'x-next-page': page * size < all.length ? String(page + 1) : '', ...counted },
    };
  }

  const listener: RequestListener = (request, response) => {
    const { headers } = request;
    const given = new URL(request.url ?? '', `http://${headers.host}`);
    const path = given.pathname.replace(/^\/api\/v4/, '');
    let refusal: Refusal;
    try {
      refusal = answer({ path, query: given.searchParams, headers }, given.origin);
    } catch (error) {
      refusal = { status: 400, body: { message: error instanceof Error ? error.message : '' } };
    }
    state.asked.push(`GET ${path}${headers['sudo'] === undefined ? '' : ` as ${String(headers['sudo'])}`}`);
    const text = JSON.stringify(refusal.body);
    const etag = `W/"${createHash('sha256').update(text).digest('hex')}"`;
    const isKnown = headers['if-none-match'] === etag;
    const pace = {
      'ratelimit-limit': '2000',
      'ratelimit-remaining': '1999',
      'ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 60),
    };
    response.writeHead(isKnown ? 304 : refusal.status, { ...pace, etag, ...refusal.headers });
    response.end(isKnown ? undefined : text);
  };
  return { state, listener };
}

interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

interface Question {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly caller: PersonFacts;
  readonly url: string;
}

/** That it is there, which says nothing of its code. */
const isSeen = (facts: ProjectFacts, caller: PersonFacts, company: Company): boolean =>
  caller.isAdministrator === true ||
  facts.visibility === 'public' ||
  (facts.visibility === 'internal' && caller.isExternal !== true) ||
  roleIn(facts, caller.username, company) > 0;

function sorted(all: readonly ProjectFacts[], query: URLSearchParams): ProjectFacts[] {
  const key = ({ id, updatedAt }: ProjectFacts): number =>
    query.get('order_by') === 'updated_at' ? Date.parse(updatedAt) : id;
  const ascending = all.toSorted((one, other) => key(one) - key(other));
  return query.get('sort') === 'asc' ? ascending : ascending.toReversed();
}

function projectAnswer(facts: ProjectFacts, url: string, isSimple: boolean): object {
  const simple = {
    id: facts.id,
    path_with_namespace: facts.path,
    http_url_to_repo: `${url}/${facts.path}.git`,
    ssh_url_to_repo: `git@${new URL(url).hostname}:${facts.path}.git`,
    visibility: facts.visibility,
    topics: facts.topics,
    last_activity_at: facts.updatedAt,
  };
  if (isSimple) return answerOf('simpleProject', simple);
  return answerOf('project', {
    ...simple,
    updated_at: facts.updatedAt,
    repository_access_level: facts.repository,
    archived: facts.isArchived ?? false,
    empty_repo: facts.isEmpty ?? false,
    ...(facts.isFork === true && { mr_default_target_self: false }),
  });
}

function userAnswer(who: PersonFacts, isForAdministrators: boolean): object {
  const { id, username, state = 'active' } = who;
  if (!isForAdministrators) return answerOf('user', { id, username, state });
  return answerOf('administeredUser', {
    id,
    username,
    state,
    email: who.email,
    confirmed_at: who.isConfirmed === true ? '2026-01-01T00:00:00.000Z' : undefined,
    external: who.isExternal ?? false,
    is_admin: who.isAdministrator ?? false,
  });
}
