import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import documented from './golden/entities.json' with { type: 'json' };

export const username = 'sextant';
export const token = 'GERRIT-0123456789abcdefghij';

/** Groups have UUIDs: of Gerrit itself in hex, of its system and of other backends with a scheme. */
export const uuid = (name: string): string => Buffer.from(name).toString('hex').padEnd(40, '0');
export const administrators = uuid('admins');
export const anonymous = 'global:Anonymous-Users';
export const registered = 'global:Registered-Users';
export const owners = 'global:Project-Owners';

type Action = 'ALLOW' | 'DENY' | 'BLOCK';
export interface Permission {
  readonly exclusive?: boolean;
  readonly rules: Readonly<Record<string, { readonly action: Action }>>;
}
export type Sections = Readonly<Record<string, { readonly read?: Permission; readonly owner?: Permission }>>;

export interface ProjectFacts {
  state?: 'ACTIVE' | 'READ_ONLY' | 'HIDDEN';
  parent?: string;
  sections?: Sections;
  description?: string;
  /** HEAD is refs/meta/config. */
  isForPermissions?: boolean;
  /** Whether the account may not see it, or not its rights. */
  isUnseen?: boolean;
  hidesRights?: boolean;
}

export interface AccountFacts {
  readonly id: number;
  readonly username?: string;
  readonly email: string;
  readonly others?: readonly string[];
  isInactive?: boolean;
  /** UUIDs of groups that it was added to. */
  readonly groups: string[];
}

/** What the server says in the place of its answer. */
export interface Instead {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

export interface TestGerrit extends AsyncDisposable {
  readonly url: string;
  readonly projects: Map<string, ProjectFacts>;
  readonly accounts: AccountFacts[];
  /** Groups that are in other groups, by UUID. */
  readonly included: Map<string, string[]>;
  /** Changes that were submitted, the last first. */
  readonly changes: { readonly project: string; readonly submitted: string }[];
  readonly asked: string[];
  /** Whether the account of the token administrates the server. */
  isAdministrator: boolean;
  /** `refs/*` of the download scheme http; absent: the plugin for it is not there. */
  scheme?: string;
  /** The same of ssh. */
  sshScheme?: string;
  mostAtOnce: number;
  /** For paths that begin so. */
  instead?: { readonly path: string; readonly answer: Instead };
  /** Called before each answer. */
  before: (path: string) => void;
}

export const allow = (...groups: string[]): Permission => permission('ALLOW', groups);
export const deny = (...groups: string[]): Permission => permission('DENY', groups);
export const block = (...groups: string[]): Permission => permission('BLOCK', groups);
const permission = (action: Action, groups: string[]): Permission => ({
  rules: Object.fromEntries(groups.map((group) => [group, { action }])),
});

type State = Omit<TestGerrit, 'url' | keyof AsyncDisposable>;

/**
 * A server at the level of the protocol: it answers as the REST API in the documentation of Gerrit 3 says, with the fields of
 * the entities there. It is not a Gerrit.
 */
export async function startGerrit(): Promise<TestGerrit> {
  const [shop, leads] = [uuid('shop'), uuid('leads')];
  const state: State = {
    projects: new Map<string, ProjectFacts>([
      ['All-Projects', { isForPermissions: true, sections: { 'refs/*': { read: allow(registered) } } }],
      ['All-Users', { parent: 'All-Projects', isForPermissions: true }],
      ['acme-rights', { parent: 'All-Projects', isForPermissions: true, sections: closedTo(shop) }],
      ['acme/cart', { parent: 'acme-rights', description: 'Buys things' }],
      ['acme/kit', { parent: 'acme-rights', sections: { 'refs/*': { read: allow(leads) } } }],
      ['acme/old', { parent: 'acme-rights', state: 'READ_ONLY' }],
      ['open/docs', { parent: 'All-Projects', sections: { 'refs/*': { read: allow(anonymous) } } }],
      ['wiki', { parent: 'All-Projects' }],
    ]),
    accounts: [
      { id: 1000000, username, email: 'sextant@example.com', groups: [administrators] },
      { id: 1000001, username: 'ann', email: 'ann@example.com', others: ['a@example.com'], groups: [shop] },
      { id: 1000002, username: 'bob', email: 'bob@example.com', groups: [leads] },
      { id: 1000003, username: 'carol', email: 'carol@example.com', groups: [] },
      { id: 1000004, email: 'nameless@example.com', groups: [] },
    ],
    included: new Map([[shop, [leads]]]),
    changes: [],
    asked: [],
    isAdministrator: true,
    sshScheme: 'ssh://127.0.0.1:29418/${project}',
    mostAtOnce: 10_000,
    before: () => undefined,
  };
  // What a Gerrit takes of headers by its own settings of Jetty.
  const server = createServer({ maxHeaderSize: 16_384 }, (request, response) => {
    const { pathname, searchParams, origin } = new URL(request.url ?? '', `http://${request.headers.host}`);
    const said = answered(state, { path: pathname, query: searchParams, headers: request.headers, origin });
    const type = { 'content-type': 'application/json; charset=UTF-8' };
    response.writeHead(said.status ?? 200, { ...type, ...said.headers }).end(said.text);
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

/** Everyone else loses what they inherit. */
export const closedTo = (...groups: string[]): Sections => ({
  'refs/*': { read: { exclusive: true, rules: allow(...groups).rules } },
});

interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly origin: string;
}

const json = (value: unknown): Instead => ({ text: `)]}'\n${JSON.stringify(value)}` });
const refused = (status: number, text: string): Instead => ({
  status,
  headers: { 'content-type': 'text/plain' },
  text,
});

function answered(state: State, asked: Asked): Instead {
  const { path, query, headers } = asked;
  state.before(path);
  state.asked.push(`GET ${path}`);
  if (state.instead && path.startsWith(state.instead.path)) return state.instead.answer;
  const isSignedIn = path.startsWith('/a/');
  const login = `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
  if (isSignedIn && headers.authorization !== login) return refused(401, 'Unauthorized');
  const place = path.replace(/^\/a/, '');
  const [, kind, , what] = place.split('/');
  switch (kind) {
    case 'projects':
      return projects(state, query, isSignedIn);
    case 'access':
      return access(state, query, isSignedIn);
    case 'changes':
      return isSignedIn ? changes(state, query) : json([]);
    case 'config':
      return place === '/config/server/info' ? json(serverInfo(state)) : refused(404, 'Not found');
    case 'accounts':
      if (place === '/accounts/self/capabilities') return json(capabilities(state));
      return what === undefined || what === '' ? accounts(state, query) : accountPart(state, place, what);
    default:
      return refused(404, 'Not found');
  }
}

function projects(state: State, query: URLSearchParams, isSignedIn: boolean): Instead {
  const unknown = [...query.keys()].find((key) => !['d', 'n', 'S', 'p', 'type'].includes(key));
  if (unknown !== undefined) return refused(400, `"${unknown}" is not a valid option`);
  const start = Number(query.get('S') ?? 0);
  const limit = Math.min(Number(query.get('n') ?? state.mostAtOnce), state.mostAtOnce);
  const seen = [...state.projects]
    .filter(([, { state: its, isUnseen }]) => its !== 'HIDDEN' && isUnseen !== true)
    .filter(([name, facts]) => (isSignedIn || isPublic(facts)) && name.startsWith(query.get('p') ?? ''))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const page = seen.slice(start, start + limit).map(([name, facts], index, all) => {
    const isLast = index === all.length - 1 && start + limit < seen.length;
    const description = query.has('d') ? facts.description : undefined;
    const info = { id: encoded(name), state: facts.state ?? 'ACTIVE', description };
    return [name, facts, entity('ProjectInfo', { ...info, _more_projects: isLast || undefined })] as const;
  });
  // Filtered after they were counted, as Gerrit does: the last of a page may be left out with its mark.
  const isWanted = (facts: ProjectFacts): boolean =>
    query.get('type') !== 'PERMISSIONS' || facts.isForPermissions === true;
  return json(Object.fromEntries(page.flatMap(([name, facts, info]) => (isWanted(facts) ? [[name, info]] : []))));
}

const isPublic = ({ sections }: ProjectFacts): boolean =>
  Object.values(sections ?? {}).some(({ read }) => read?.rules[anonymous]?.action === 'ALLOW');

function access({ projects: all, isAdministrator }: State, query: URLSearchParams, isSignedIn: boolean): Instead {
  const entries: [string, object][] = [];
  for (const name of query.getAll('project')) {
    const facts = all.get(name);
    if (!facts || facts.isUnseen === true || !isSignedIn) return refused(404, `Not found: ${name}`);
    const isTold = isAdministrator && facts.hidesRights !== true;
    const parent = facts.parent === undefined ? undefined : { id: encoded(facts.parent), name: facts.parent };
    const sections = Object.entries(facts.sections ?? {}).map(([ref, permissions]) => [ref, { permissions }]);
    const capability = { administrateServer: { rules: { [administrators]: { action: 'ALLOW' } } } };
    const ownSections = name === 'All-Projects' ? [['GLOBAL_CAPABILITIES', { permissions: capability }]] : [];
    const local = Object.fromEntries([...(isTold ? sections : []), ...ownSections]);
    const told = { config_visible: isTold || undefined, is_owner: isTold || undefined };
    const inherited = parent && entity('ProjectInfo', parent);
    entries.push([name, entity('ProjectAccessInfo', { local, inherits_from: inherited, owner_of: [], ...told })]);
  }
  return json(Object.fromEntries(entries));
}

function changes({ changes: all, mostAtOnce }: State, query: URLSearchParams): Instead {
  const [, after] =
    /^status:merged after:"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \+0000)"$/.exec(query.get('q') ?? '') ?? [];
  if (after === undefined) return refused(400, 'line 1:0 no viable alternative');
  const found = all.filter(({ submitted }) => submitted >= after.slice(0, 23));
  const start = Number(query.get('S') ?? 0);
  const shown = found.slice(start, start + Math.min(Number(query.get('n')), mostAtOnce));
  const isMore = start + shown.length < found.length;
  return json(
    shown.map(({ project, submitted }, at) => {
      const facts = { project, branch: 'main', status: 'MERGED', submitted: `${submitted}000000`, _number: at + 1 };
      return entity('ChangeInfo', { ...facts, _more_changes: (isMore && at === shown.length - 1) || undefined });
    }),
  );
}

const serverInfo = ({ scheme, sshScheme }: State): object => ({
  gerrit: { all_projects: 'All-Projects', all_users: 'All-Users', doc_search: true },
  download: {
    archives: ['tgz', 'tar'],
    schemes: Object.fromEntries(
      Object.entries({ http: scheme, ssh: sshScheme }).flatMap(([name, url]) =>
        url === undefined ? [] : [[name, { url, is_auth_required: true, is_auth_supported: true }]],
      ),
    ),
  },
});

const capabilities = ({ isAdministrator }: State): object => ({
  ...(isAdministrator && { administrateServer: true, modifyAccount: true }),
  queryLimit: { min: 0, max: 500 },
});

function accounts(state: State, query: URLSearchParams): Instead {
  if (query.getAll('o').includes('ALL_EMAILS') && !state.isAdministrator)
    return refused(403, 'modify account not permitted');
  const [, operator, wanted = ''] = /^(username|email):"([^"\\]*)"$/.exec(query.get('q') ?? '') ?? [];
  if (operator === undefined) return refused(400, 'line 1:0 no viable alternative');
  const found = state.accounts
    .filter(({ isInactive }) => isInactive !== true)
    .filter(({ username: name, email, others = [] }) =>
      operator === 'username'
        ? name === wanted
        : [email, ...others].some((each) => each.startsWith(wanted.toLowerCase())),
    );
  const start = Number(query.get('S') ?? 0);
  const shown = found.slice(start, start + Math.min(Number(query.get('n')), state.mostAtOnce));
  const more = { _more_accounts: start + shown.length < found.length || undefined };
  return json(shown.map((each, index) => accountInfo(each, index === shown.length - 1 ? more : {})));
}

function accountPart(state: State, place: string, what: string): Instead {
  const [, , id] = place.split('/');
  const found = state.accounts.find((each) => String(each.id) === id || each.username === id);
  if (!found) return refused(404, `Account '${id}' not found`);
  if (what === 'detail') return json(accountInfo(found, { registered_on: '2015-07-23 07:01:09.296000000' }));
  if (what !== 'groups') return refused(404, 'Not found');
  const groups = [anonymous, registered, ...membershipOf(found, state)];
  return json(groups.map((each) => entity('GroupInfo', { id: encoded(each), name: each, options: {} })));
}

/** Groups of an account, and those that these are included in; other backends list nobody. */
function membershipOf({ groups }: AccountFacts, { included }: State): Set<string> {
  const found = new Set(groups);
  for (const group of found) for (const [outer, inner] of included) if (inner.includes(group)) found.add(outer);
  return new Set([...found].filter((group) => !group.includes(':')));
}

const accountInfo = ({ id, username: name, email, others, isInactive }: AccountFacts, more: object): object =>
  entity('AccountInfo', {
    _account_id: id,
    name: email,
    username: name,
    email,
    secondary_emails: others,
    inactive: isInactive === true || undefined,
    ...more,
  });

const encoded = (name: string): string => encodeURIComponent(name).replaceAll('%20', '+');

/** An entity with these fields. Throws where the documentation has no such field. */
function entity(kind: keyof typeof documented, facts: object): object {
  const unknown = Object.keys(facts).find((field) => !documented[kind].includes(field));
  if (unknown !== undefined) throw new Error(`${kind} has no field ${unknown}`);
  return facts;
}
