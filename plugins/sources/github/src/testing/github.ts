import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Company, PersonFacts, RepositoryFacts } from './company.ts';
import { answerGraphQL, nodeIdOf } from './graphql.ts';
import { answerOf, operationAt } from './openapi.ts';

export const token = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
export const appId = 4711;
const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
export { privateKey };

export interface TestGitHub extends AsyncDisposable {
  readonly url: string;
  readonly company: Company;
  /** `GET /user`, without what follows from the answer being there already. */
  readonly asked: string[];
  /** Requests that counted against a limit. */
  readonly counted: string[];
  /** Scopes of the token; undefined: it is a fine-grained one. */
  scopes: string | undefined;
  /** Whether public repositories are for accounts only. */
  isPrivateMode: boolean;
  /** Owners that the app is installed for. */
  installed: string[];
  appPermissions: Readonly<Record<string, string>>;
  /** How long tokens of installations live. */
  tokenSeconds: number;
  /** Repositories whose collaborators the token may not see. */
  readonly hidden: Set<string>;
  /** Answers instead, where it wants to. */
  instead: ((path: string) => Refusal | undefined) | undefined;
}

export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Whom a credential stands for: everyone's administrator, the app itself, or the app at one owner. */
type Signer =
  | { readonly kind: 'token' }
  | { readonly kind: 'app' }
  | { readonly kind: 'installation'; readonly owner: string };

const perHour = 5000;

/**
 * A GitHub Enterprise that answers with what GitHub's OpenAPI document and GraphQL schema allow, and refuses every other
 * question. Its headers are like those of the recorded answers of `@octokit/fixtures`.
 */
export async function startGitHub(company: Company): Promise<TestGitHub> {
  const tokens = new Map<string, string>();
  let made = 0;
  const state: Omit<TestGitHub, 'url' | keyof AsyncDisposable> = {
    company,
    asked: [],
    counted: [],
    scopes: 'admin:org, repo',
    isPrivateMode: false,
    installed: [],
    appPermissions: { contents: 'read', metadata: 'read', members: 'read', organization_administration: 'read' },
    tokenSeconds: 3600,
    hidden: new Set(),
    instead: undefined,
  };

  function signerOf({ authorization = '' }: IncomingHttpHeaders): Signer | undefined {
    const [, given = ''] = /^Bearer (.+)$/.exec(authorization) ?? [];
    if (given === token) return { kind: 'token' };
    const owner = tokens.get(given);
    if (owner !== undefined) return { kind: 'installation', owner };
    return isJWT(given) ? { kind: 'app' } : undefined;
  }

  function facts({ method, path, query }: Asked, signer: Signer, url: string): unknown {
    const visible = company.repositories.filter(
      ({ owner, visibility }) => signer.kind !== 'installation' || owner === signer.owner || visibility === 'public',
    );
    const [, kind = '', name = '', rest] = path.split('/');
    if (signer.kind === 'app') {
      if (path === '/app') return { name: 'Sextant', slug: 'sextant', permissions: state.appPermissions };
      const installations = state.installed.map((login, index) => ({
        id: index + 1,
        account: accountOf(login, company),
        suspended_at: null,
      }));
      if (path === '/app/installations') return installations;
      const found = installations.find(({ id }) => path === `/app/installations/${id}/access_tokens`);
      if (!found || method !== 'POST') return undefined;
      made += 1;
      const given = `ghs_${String(made).padStart(36, '0')}`;
      tokens.set(given, found.account.login);
      return { token: given, expires_at: new Date(Date.now() + state.tokenSeconds * 1000).toISOString() };
    }
    const shown = (all: readonly RepositoryFacts[]) => all.map((each) => repositoryFacts(each, url, company));
    if (path === '/events') return [];
    if (path === '/user') return userFacts(company.people[0]);
    if (path === '/installation/repositories') {
      const own = company.repositories.filter(({ owner }) => signer.kind === 'installation' && owner === signer.owner);
      return { total_count: own.length, repositories: shown(pageOf(own, query)) };
    }
    if (path === '/user/repos') return shown(pageOf(sorted(visible, query), query));
    if (path === '/search/repositories') {
      const topic = /topic:(\S+)/.exec(query.get('q') ?? '')?.[1] ?? '';
      const found = sorted(
        visible.filter(({ topics }) => topics.includes(topic)),
        query,
      );
      return { total_count: found.length, incomplete_results: false, items: shown(pageOf(found, query)) };
    }
    if (path === '/search/users') {
      const [email] = (query.get('q') ?? '').split(' ');
      const items = company.people.filter((each) => each.email === email).map(({ login, id }) => ({ login, id }));
      return { total_count: items.length, incomplete_results: false, items };
    }
    if (kind === 'user') return userFacts(company.people.find(({ id }) => String(id) === name));
    if (kind === 'users' && rest === undefined) return userFacts(company.people.find(({ login }) => login === name));
    const own = visible.filter(({ owner }) => owner === name);
    if (kind === 'users') return shown(pageOf(sorted(own.filter(isPublic), query), query));
    const organization = company.organizations.find(({ login }) => login === name);
    if (kind !== 'orgs' || !organization) return undefined;
    if (rest === 'repos') return shown(pageOf(sorted(own, query), query));
    return {
      login: name,
      id: organization.id,
      public_repos: own.filter(isPublic).length,
      total_private_repos: own.filter((each) => !isPublic(each)).length,
      ...(state.scopes !== undefined &&
        state.scopes.includes('admin:org') && { default_repository_permission: organization.basePermission }),
    };
  }

  /** How many the whole list has, of a page of one. */
  const lengthOf = (asked: Asked, signer: Signer): number => {
    const query = new URLSearchParams(asked.query);
    for (const [key, value] of [
      ['per_page', '100000'],
      ['page', '1'],
    ] as const)
      query.set(key, value);
    const all = facts({ ...asked, query }, signer, '');
    const list = Array.isArray(all) ? all : Object.values(all ?? {}).find(Array.isArray);
    return list?.length ?? 0;
  };

  async function answer(asked: Asked, url: string): Promise<Refusal> {
    const { method, path, query, headers, body } = asked;
    const signer = signerOf(headers);
    const refused = { status: 401, body: { message: 'Bad credentials', status: '401' } };
    if (!signer && (headers.authorization !== undefined || state.isPrivateMode)) return refused;
    const given = state.instead?.(path);
    if (given) return given;
    if (path === '/graphql') {
      const isForbidden = ({ owner, name }: RepositoryFacts) => state.hidden.has(`${owner}/${name}`);
      return { status: 200, body: await answerGraphQL(JSON.parse(body), company, isForbidden) };
    }
    const operation = operationAt(method, path, query);
    const found = facts(asked, signer ?? { kind: 'token' }, url);
    if (found === undefined) return { status: 404, body: { message: 'Not Found', status: '404' } };
    const scopes = signer?.kind === 'token' && state.scopes !== undefined && { 'x-oauth-scopes': state.scopes };
    const link = linkOf(asked, lengthOf(asked, signer ?? { kind: 'token' }), url);
    return {
      status: operation.status,
      headers: { ...scopes, ...(link && { link }) },
      body: Object.assign(answerOf(operation, found) as object, suspensionOf(found, company)),
    };
  }

  const server = createServer(async (request, response) => {
    const { method = 'GET', headers } = request;
    const given = new URL(request.url ?? '', `http://${headers.host}`);
    let body = '';
    for await (const piece of request) body += String(piece);
    // The rest of a list of an organisation is at its id.
    const path = given.pathname
      .replace(/^\/api(\/v3)?/, '')
      .replace(
        /^\/organizations\/(\d+)/,
        (_, id) => `/orgs/${company.organizations.find((each) => String(each.id) === id)?.login}`,
      );
    const refusal = await answer({ method, path, query: given.searchParams, headers, body }, given.origin).catch(
      (error: Error) => ({ status: 422, body: { message: error.message }, headers: {} }),
    );
    const text = JSON.stringify(refusal.body);
    const etag = `W/"${createHash('sha256').update(text).digest('hex')}"`;
    const isKnown = method === 'GET' && headers['if-none-match'] === etag;
    state.asked.push(`${method} ${path}`);
    if (!isKnown) state.counted.push(`${method} ${path}`);
    const pace = {
      'x-ratelimit-limit': String(perHour),
      'x-ratelimit-remaining': String(perHour - state.counted.length),
      'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 1800),
    };
    response.writeHead(isKnown ? 304 : refusal.status, {
      ...pace,
      ...(method === 'GET' && { etag }),
      ...refusal.headers,
    });
    response.end(isKnown ? undefined : text);
  });
  server.listen(0, '127.0.0.1');
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

const isPublic = ({ visibility }: RepositoryFacts): boolean => visibility === 'public';

/** RS256 with the key of the app, for ten minutes at most. */
function isJWT(given: string): boolean {
  const [header = '', payload = '', signature = ''] = given.split('.');
  const key = createPublicKey(publicKey);
  if (!verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url')))
    return false;
  const { iss, iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const now = Date.now() / 1000;
  return iss === String(appId) && iat <= now && exp > now && exp - now <= 600;
}

const pageOf = <T>(all: readonly T[], query: URLSearchParams): T[] => {
  const size = Number(query.get('per_page') ?? 30);
  if (size > 100 && size < 100_000) throw new Error('per_page is 100 at most');
  const start = (Number(query.get('page') ?? 1) - 1) * size;
  return all.slice(start, start + size);
};

function sorted(all: readonly RepositoryFacts[], query: URLSearchParams): RepositoryFacts[] {
  const by = query.get('sort');
  const key = ({ pushedAt, updatedAt, id }: RepositoryFacts): string =>
    by === 'pushed' ? pushedAt : by === 'updated' ? updatedAt : String(id);
  const ascending = all.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  return (query.get('direction') ?? query.get('order')) === 'asc' ? ascending : ascending.toReversed();
}

function linkOf({ path, query }: Asked, length: number, url: string): string | undefined {
  const page = Number(query.get('page') ?? 1);
  const last = Math.ceil(length / Number(query.get('per_page') ?? 30));
  if (page >= last) return undefined;
  const at = (number: number): string => {
    const next = new URLSearchParams(query);
    next.set('page', String(number));
    return `<${url}/api/v3${path.replace(/^\/orgs\/acme/, '/organizations/1')}?${next}>`;
  };
  return `${page > 1 ? `${at(page - 1)}; rel="prev", ` : ''}${at(page + 1)}; rel="next", ${at(last)}; rel="last"`;
}

const accountOf = (login: string, { organizations, people }: Company) => {
  const organization = organizations.find((each) => each.login === login);
  const id = organization?.id ?? people.find((each) => each.login === login)?.id ?? 0;
  return { login, id, type: organization ? 'Organization' : 'User' };
};

const userFacts = (facts: PersonFacts | undefined) =>
  facts && {
    login: facts.login,
    id: facts.id,
    type: 'User',
    email: facts.email,
    public_repos: 1,
  };

/** Enterprise says it to its administrators, which the document of github.com does not know. */
const suspensionOf = (found: unknown, { people }: Company): object | undefined =>
  people.some(({ id, isSuspended }) => isSuspended && (found as { id?: number }).id === id)
    ? { suspended_at: '2026-03-01T00:00:00Z' }
    : undefined;

const repositoryFacts = (facts: RepositoryFacts, url: string, company: Company) => ({
  id: facts.id,
  node_id: nodeIdOf(facts),
  name: facts.name,
  full_name: `${facts.owner}/${facts.name}`,
  owner: accountOf(facts.owner, company),
  private: !isPublic(facts),
  visibility: facts.visibility,
  html_url: `${url}/${facts.owner}/${facts.name}`,
  clone_url: `${url}/${facts.owner}/${facts.name}.git`,
  ssh_url: `git@127.0.0.1:${facts.owner}/${facts.name}.git`,
  description: null,
  default_branch: 'main',
  archived: facts.isArchived ?? false,
  fork: facts.isFork ?? false,
  size: facts.size ?? 100,
  topics: facts.topics,
  stargazers_count: 3,
  created_at: '2026-01-01T00:00:00Z',
  pushed_at: facts.pushedAt,
  updated_at: facts.updatedAt,
});
