import type { CloneInfo, DirectoryRole, DirectoryUser, RecordedEvent } from '@sextant/contracts';
import { memorySessions, oneRepository } from '@sextant/contracts/testing';
import { SextantError, silentLogger } from '@sextant/core';
import type { Resolved, Needs } from '@sextant/core';
import { callerOf, csvCells } from '@sextant/core/testing';
import { describe, expect, it } from 'vitest';
import plugin from './index.ts';

const user = (name: string, more: Partial<DirectoryUser> = {}): DirectoryUser => ({
  id: 1,
  name,
  isServiceAccount: false,
  isSiteAdmin: false,
  isDisabled: false,
  roles: [],
  managedBy: 'database',
  ...more,
});
const role = (name: string, more: Partial<DirectoryRole> = {}): DirectoryRole => ({
  name,
  permissions: ['MCP#ACCESS'],
  isBuiltIn: false,
  managedBy: 'database',
  ...more,
});

const state = {
  plugins: () => [
    {
      name: 'tool-read-file',
      tools: [{ name: 'read_file', endpoints: ['/.api/mcp'] }],
      brings: { resources: ['file:///x'] },
      needs: ['repositories'],
      origin: { key: './mine', isOfPreset: false, isIsolated: true, version: '3.2.1', description: 'Reads <files>' },
    },
    { name: 'tool-broken', reason: 'no <such> module', tools: [] },
  ],
  permissions: () => ['MCP#ACCESS'],
  services: () => ({
    'search-index': {
      isReady: false,
      detail: { filesSkipped: 1204, oldestList: '2026-01-03T03:04:05.000Z' },
      failures: [
        {
          name: 'acme/<bomb>',
          reason: 'its tree has more than 5000000 entries; raise maxEntries',
          since: '2026-01-02T03:04:05.000Z',
          nextTry: '2026-01-02T04:04:05.000Z',
        },
      ],
    },
  }),
  configuration: () => ({ plugins: { 'tool-read-file': { apiKey: '${env:KEY}' } } }),
  configurationError: () => 'sextant.config.yaml: logLevl: unknown key',
  process: async () => ({
    version: '1.2.3',
    startedAt: '2026-01-02T03:04:05.000Z',
    residentBytes: 412_000_000,
    disk: { freeBytes: 52_000_000_000, bytes: 99_000_000_000 },
  }),
  errors: () => [
    { time: '2026-01-02T03:04:05.000Z', message: 'tool failed: <i>odd</i>', id: 'error-7', about: 'breaks' },
  ],
  slowestCalls: () => [
    {
      name: 'tools/call deepsearch',
      startedAt: '2026-01-02T03:04:05.000Z',
      milliseconds: 17_040,
      processorMilliseconds: 9060,
      requestId: 'call-9',
    },
  ],
};
const event: RecordedEvent = {
  id: 7,
  time: '2026-01-02T03:04:05.000Z',
  action: 'sign-in.failed',
  outcome: 'failure',
  actor: { id: 2, name: '<b>mallory' },
};

/** Everything that the pages need, with what was changed. */
function serverOf(more: object = {}): { services: Resolved<Needs>; changes: unknown[][] } {
  const changes: unknown[][] = [];
  const change =
    (name: string) =>
    async (...given: unknown[]) =>
      void changes.push([name, ...given]);
  const directory = {
    list: async () => [
      user('alice', { roles: ['team'] }),
      user('root', { id: 2, isSiteAdmin: true, managedBy: 'config' }),
    ],
    find: async (name: string) => (name === 'alice' ? user('alice', { roles: ['team'] }) : undefined),
    roles: async () => [role('User', { isBuiltIn: true }), role('team'), role('ops', { managedBy: 'config' })],
    add: change('add'),
    setDisabled: change('setDisabled'),
    setRoles: change('setRoles'),
    saveRole: change('saveRole'),
    removeRole: change('removeRole'),
  };
  const services = {
    state,
    directory,
    audit: { list: async () => ({ events: [event] }) },
    principals: { named: async (name: string) => (name === 'alice' ? callerOf('alice') : undefined) },
    rules: { explain: async (_: unknown, repository: string) => ({ repository, canRead: true, why: 'alice may' }) },
    sessions: {
      ofUser: async () => [{ signedInAt: event.time, seenAt: event.time }],
      list: async () => [
        { userId: 1, signedInAt: event.time, seenAt: '2026-01-04T03:04:05.000Z' },
        { userId: 1, signedInAt: '2026-01-03T03:04:05.000Z', seenAt: event.time },
      ],
      endAll: change('endAll'),
    },
    tokens: {
      list: async () => [{ id: 7, name: 'laptop', scopes: ['mcp'], created: event.time }],
      listAll: async () => [
        { id: 7, userId: 1, name: 'laptop', scopes: ['mcp'], created: event.time },
        { id: 8, userId: 99, name: '', scopes: ['all'], created: event.time, lastUsed: '2026-01-05T03:04:05.000Z' },
      ],
      revoke: change('revoke'),
    },
    links: {
      file: ({ repo }: { repo: string }) => `http://localhost/${repo}`,
      make: async (...given: unknown[]) => {
        changes.push(['make', ...given]);
        return 'http://localhost/sign-in/link/x';
      },
    },
    repositories: oneRepository({}),
    states: {
      list: async () => [{ repo: 'shop', state: 'failed', files: 0, reason: 'disk full' }],
      refresh: change('refresh'),
    },
    fetches: { queue: (...given: unknown[]) => void changes.push(['queue', ...given]) },
    ...more,
  };
  return { services, changes };
}

const admin = callerOf('root', { isSiteAdmin: true });

async function visit(path: string, services: Resolved<Needs>, fields?: readonly [string, string][]): Promise<Response> {
  const sessions = memorySessions();
  const cookie = (await sessions.begin(1, new Request('http://localhost/'))).split(';')[0] ?? '';
  const session = await sessions.find(new Headers({ cookie }));
  const body = fields && new URLSearchParams([...fields, ['csrf', session?.csrfToken ?? '']]);
  const request = new Request(`http://localhost${path}`, {
    headers: { cookie },
    ...(body && { method: 'POST', body }),
  });
  const page = plugin.pages.find(
    (each) => each.method === request.method && each.path === new URL(request.url).pathname,
  );
  if (!page) throw new Error(`there is no page ${request.method} ${path}`);
  return page.respond(
    request,
    { ...services, 'admin:sessions': sessions },
    {
      caller: admin,
      endpoint: page.path,
      remoteAddress: '10.0.0.1',
      signal: request.signal,
      log: silentLogger,
      reportProgress() {},
    },
  );
}

const by = { actor: { id: 1, name: 'root' }, address: '10.0.0.1' };
const read = async (path: string, more: object = {}): Promise<string> =>
  (await visit(path, serverOf(more).services)).text();

it('every page and form is for administrators alone', () => {
  expect(plugin.pages.length).toBeGreaterThan(10);
  for (const { access } of plugin.pages) expect(access).toEqual({ scope: 'all', permission: 'SITE#ADMINISTER' });
});

describe('of everyone', () => {
  it('tokens are shown with their owners, and found by kind', async () => {
    const page = await read('/site-admin/tokens?find=LAP');
    expect(page).toContain('aria-label="Choose laptop of alice"');
    expect(page).not.toContain('Token 8');
    expect(await read('/site-admin/tokens?kind=Every+right')).toMatch(/Token 8<[^]*removed/);
  });

  it('sessions are shown by user, with the newest of each', async () => {
    const page = await read('/site-admin/sessions?kind=In+several+browsers');
    expect(page).toContain('value="alice"');
    expect(page).toContain('>2</div>');
    expect(page).toMatch(/datetime="2026-01-03T03[^]*datetime="2026-01-04T03/);
  });

  it('10,000 users come a hundred a page, found and sorted among all of them', async () => {
    const people = Array.from({ length: 10_000 }, (_, index) => user(`user-${index}`, { id: index + 5 }));
    const directory = { list: async () => people, roles: async () => [role('team')] };
    const page = async (query: string) => read(`/site-admin/users?${query}`, { directory });
    const last = await page('sort=-Name&page=100');
    for (const text of ['9,901–10,000 of 10,000', 'All 10,000 of this list', '>user-0</a>'])
      expect(last).toContain(text);
    expect(last.match(/name="name" value="user-\d+" aria-label/g)).toHaveLength(100);
    const found = await page('find=USER-99&kind=People');
    for (const text of ['111 of 10,000', 'All 111 of this list']) expect(found).toContain(text);
    const access = await read('/site-admin/access', { directory });
    expect(access.match(/<option /g)).toHaveLength(500);
  });

  it('users are sorted by when a session or token of theirs was seen', async () => {
    const page = await read('/site-admin/users?sort=-Last+seen');
    expect(page).toContain('datetime="2026-01-04T03:04:05.000Z"');
    expect(page).toContain('Last seen ↓');
  });
});

describe('long lists', () => {
  const people = Array.from({ length: 10_000 }, (_, index) =>
    user(`user-${index}`, { email: `mail-${index}@example.com`, isDisabled: index === 7000 }),
  );
  const directory = { list: async () => people, roles: async () => [] };
  const shown = (page: string): string[] =>
    [...page.matchAll(/<a class="strong"[^>]*>(user-\d+)</g)].map(([, name = '']) => name);

  it('come a hundred a page', async () => {
    const page = await read('/site-admin/users?page=3', { directory });
    expect([shown(page).length, shown(page)[0]]).toEqual([100, 'user-200']);
    expect(page).toContain('201–300 of 10,000');
    expect(page).toContain('href="/site-admin/users?page=4"');
    expect(shown(await read('/site-admin/users?page=999999', { directory }))[0]).toBe('user-9900');
  });

  it('are found by a part of the name or e-mail, in any case, and by kind; the other pages keep to that', async () => {
    expect(shown(await read('/site-admin/users?find=MAIL-4242@', { directory }))).toEqual(['user-4242']);
    expect(shown(await read('/site-admin/users?kind=Disabled', { directory }))).toEqual(['user-7000']);
    const page = await read('/site-admin/users?find=user-1', { directory });
    expect(page).toContain('1,111 of 10,000');
    expect(page).toContain('href="/site-admin/users?find=user-1&amp;page=2"');
    expect(await read('/site-admin/users?find=<b>', { directory })).toContain('There is nobody like that.');
  });

  it('are sorted by a click on a heading, up and down; the other pages keep to that', async () => {
    expect(shown(await read('/site-admin/users?sort=-Name', { directory }))[0]).toBe('user-9999');
    const page = await read('/site-admin/users?sort=E-mail&find=user-1', { directory });
    expect(shown(page).slice(0, 2)).toEqual(['user-1000', 'user-1001']);
    expect(page).toContain('href="/site-admin/users?find=user-1&amp;sort=E-mail&amp;page=2"');
    expect(page).toContain('href="/site-admin/users?find=user-1&amp;sort=-E-mail"');
    expect(shown(await read('/site-admin/users?sort=constructor', { directory }))[0]).toBe('user-0');
  });

  it('of repositories, too', async () => {
    expect(await read('/site-admin/repositories?kind=Failed')).toContain('Try again: shop');
    expect(await read('/site-admin/repositories?kind=Indexed')).toContain('There is no repository like that.');
    const clone: CloneInfo = { state: 'evicted', evictedSince: '2026-01-02T03:04:05.000Z' };
    const [shop] = await oneRepository({}).list(admin);
    const repositories = { list: async () => [{ ...shop, clone }] };
    const evicted = await read('/site-admin/repositories?kind=Evicted', { repositories });
    for (const text of ['Evicted', 'to keep the quota of disk', 'datetime="2026-01-02T03', 'Clone again: shop'])
      expect(evicted).toContain(text);
    const progress = { stage: 'receiving', percent: 45, bytes: 1_200_000 } as const;
    const cloning = { list: async () => [{ ...shop, clone: { state: 'cloning', progress, depth: 1000 } }] };
    const begun = await read('/site-admin/repositories', { repositories: cloning });
    for (const text of ['is received, 45%, 1.2 MB', '1,000 commits deep']) expect(begun).toContain(text);
  });
});

describe('what is shown', () => {
  it.each([
    [
      '/site-admin',
      [
        'Search index',
        'Files skipped',
        '1,204',
        'Oldest list',
        'datetime="2026-01-03T03:04:05.000Z"',
        'The configuration file as it stands is not in force',
        '1 plugin failed',
        '1 failure of repositories and services',
        '412 MB',
        '52 GB of 99 GB',
        'tool failed: &lt;i>odd&lt;/i>',
        'error-7',
        'tools/call deepsearch',
        '17.0 s',
        '9.1 s',
        'call-9',
      ],
    ],
    ['/site-admin/users', ['alice', 'Site administrator', 'In the configuration', 'Disable alice']],
    ['/site-admin/roles', ['team', 'Built in', 'MCP#ACCESS', 'Remove team']],
    [
      '/site-admin/plugins',
      [
        'read_file',
        '/.api/mcp',
        'no &lt;such> module',
        'apiKey: ${env:KEY}',
        '0 of which come with Sextant',
        '3.2.1',
        'Reads &lt;files>',
        './mine',
        'in a process of its own',
        'file:///x',
      ],
    ],
    ['/site-admin/plugins?find=nothing-like-it', ['There is no plugin like that']],
    ['/site-admin/repositories', ['href="http://localhost/shop"', 'disk full', 'Try again: shop']],
    [
      '/site-admin/repositories',
      [
        'Needs attention',
        'acme/&lt;bomb>',
        'more than 5000000 entries; raise maxEntries',
        'Search index',
        '2026-01-02 04:04',
      ],
    ],
    ['/site-admin/audit', ['2026-01-02 03:04:05', 'sign-in.failed', '&lt;b>mallory']],
    ['/site-admin/configuration', ['logLevl: unknown key', 'tool-read-file:']],
  ])('%s', async (path, shown) => {
    const page = await read(path);
    for (const text of shown) expect(page).toContain(text);
  });

  it('a user, with sessions and tokens, and why they may read what', async () => {
    const page = await read('/site-admin/user?name=alice');
    for (const text of ['<h1>alice</h1>', 'MCP#ACCESS', 'laptop', 'Revoke laptop', '1 session', 'Last seen'])
      expect(page).toContain(text);
    expect(await read('/site-admin/user?name=nobody')).toContain('There is no such user.');
    const access = await read('/site-admin/access?user=alice&repository=SH');
    for (const text of ['shop', 'alice may', '<option value="root">']) expect(access).toContain(text);
    expect(await read('/site-admin/access?user=alice&repository=x')).toContain('No repository has that in its name.');
    expect(await read('/site-admin/access?user=nobody')).toContain('There is no user &quot;nobody&quot;');
  });

  it('the audit log as a file, whole, in which a spreadsheet runs nothing', async () => {
    const asked: (number | undefined)[] = [];
    const list = async ({ before, limit }: { before?: number; limit: number }) => {
      asked.push(before);
      const first = before === undefined ? 1500 : before - 1;
      const events = Array.from({ length: Math.min(limit, first) }, (_, index) => ({
        ...event,
        id: first - index,
        detail: '=x',
      }));
      return { events, ...(first > limit && { next: first - limit + 1 }) };
    };
    const csv = await read('/site-admin/audit.csv?actor=alice', { audit: { list } });
    expect(asked).toEqual([undefined, 501]);
    expect(csv.split('\r\n')).toHaveLength(1502);
    expect(csv).toContain("1500,2026-01-02T03:04:05.000Z,sign-in.failed,failure,<b>mallory,2,,,,'=x\r\n");
    const texts = await read('/site-admin/audit.csv', {
      audit: { list: async () => ({ events: csvCells.map(([detail]) => ({ ...event, detail })) }) },
    });
    for (const [, written] of csvCells) expect(texts).toContain(`,<b>mallory,2,,,,${written}\r\n`);
  });

  it('nothing that the configuration manages can be changed', async () => {
    expect(await read('/site-admin/users')).not.toContain('Disable root');
    expect(await read('/site-admin/roles')).not.toContain('Remove ops');
  });

  it('the audit log is filtered and paged by its address', async () => {
    const asked: unknown[] = [];
    const events = Array.from({ length: 100 }, (_, index) => ({ ...event, id: 200 - index }));
    const list = async (filter: object) => {
      asked.push(filter);
      return { events, next: 101 };
    };
    const page = await read('/site-admin/audit?since=2026-01-01&actor=alice&outcome=failure&before=500', {
      audit: { list },
    });
    expect(asked).toEqual([{ since: '2026-01-01', actor: 'alice', outcome: 'failure', before: 500, limit: 100 }]);
    expect(page).toContain('since=2026-01-01&amp;actor=alice&amp;outcome=failure&amp;before=101');
    const newest = '/site-admin/audit?since=2026-01-01&amp;outcome=failure&amp;actor=alice';
    for (const address of [newest, `${newest}&amp;action=sign-in.failed`]) expect(page).toContain(`href="${address}"`);
  });

  it('a page of the audit log says where older events were not searched', async () => {
    const notSearched = 'Older events were not searched yet';
    const pageOf = (found: object): Promise<string> =>
      read('/site-admin/audit?about=x', { audit: { list: async () => found } });
    const page = await pageOf({ events: [], next: 900 });
    for (const text of ['No such event so far.', notSearched, 'about=x&amp;before=900']) expect(page).toContain(text);
    const last = await pageOf({ events: [] });
    expect(last).toContain('No such event is recorded.');
    expect(last).not.toContain(notSearched);
  });

  it('a wrong filter is explained', async () => {
    const list = async (): Promise<never> => {
      throw new SextantError('invalid_argument', 'since must be a date');
    };
    expect(await read('/site-admin/audit?since=x', { audit: { list } })).toContain('since must be a date');
  });
});

describe('forms', () => {
  it.each<[string, [string, string][], unknown[], string]>([
    [
      'users/add',
      [
        ['name', ' bob '],
        ['email', ''],
        ['kind', 'service'],
        ['admin', '1'],
        ['role', 'team'],
      ],
      ['add', { name: 'bob', isServiceAccount: true, isSiteAdmin: true, roles: ['team'] }, by],
      'users?done=added',
    ],
    ['users/disable', [['name', 'alice']], ['setDisabled', 'alice', true, by], 'users?done=disabled'],
    ['users/enable', [['name', 'alice']], ['setDisabled', 'alice', false, by], 'users?done=enabled'],
    [
      'users/roles',
      [
        ['name', 'alice'],
        ['role', 'a'],
        ['role', 'b'],
      ],
      ['setRoles', 'alice', ['a', 'b'], by],
      'users?done=roles',
    ],
    [
      'roles/save',
      [
        ['name', 'team'],
        ['permissions', 'A#B, C#D'],
      ],
      ['saveRole', { name: 'team', permissions: ['A#B', 'C#D'] }, by],
      'roles?done=saved',
    ],
    [
      'roles/save',
      [
        ['name', 'team'],
        ['permission', 'MCP#ACCESS'],
        ['permissions', 'C#D'],
      ],
      ['saveRole', { name: 'team', permissions: ['MCP#ACCESS', 'C#D'] }, by],
      'roles?done=saved',
    ],
    ['user/sign-out', [['name', 'alice']], ['endAll', 1], 'user?name=alice&done=signed-out'],
    [
      'user/revoke',
      [
        ['name', 'alice'],
        ['token', '7'],
      ],
      ['revoke', admin, 7, 1],
      'user?name=alice&done=revoked',
    ],
    ['roles/remove', [['name', 'team']], ['removeRole', 'team', by], 'roles?done=removed'],
  ])('%s changes it in the name of who sent it, and says so', async (path, fields, change, done) => {
    const { services, changes } = serverOf();
    const response = await visit(`/site-admin/${path}`, services, fields);
    expect(changes).toEqual([change]);
    expect([response.status, response.headers.get('location')]).toEqual([303, `/site-admin/${done}`]);
  });

  it('an invitation is shown at once and never again', async () => {
    const { services, changes } = serverOf();
    const response = await visit('/site-admin/user/invite', services, [['name', 'alice']]);
    const page = await response.text();
    expect(changes).toEqual([['make', 'alice', 24 * 60, by]]);
    expect(page).toContain('http://localhost/sign-in/link/x');
    expect(page).toContain('<h1>alice</h1>');
    expect(await read('/site-admin/user?name=alice')).not.toContain('sign-in/link');
  });

  it('several users are disabled at once, and none chosen is said', async () => {
    const { services, changes } = serverOf();
    const chosen: [string, string][] = [
      ['name', 'alice'],
      ['name', 'bob'],
    ];
    await visit('/site-admin/users/disable', services, chosen);
    expect(changes.map(([, name]) => name)).toEqual(['alice', 'bob']);
    const refused = await visit('/site-admin/users/disable', services, []);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('choose users')]);
  });

  it('all of a list are chosen at once, as the search leaves them, but never oneself', async () => {
    const all: [string, string] = ['all', '1'];
    const disabled: string[] = [];
    const people = ['anna', 'hannah', 'bob'].map((name, index) => user(name, { id: index + 5 }));
    const directory = {
      list: async () => [...people, user('ann', { id: admin.user.id }), user('ian', { isDisabled: true })],
      roles: async () => [],
      setDisabled: async (name: string) => void disabled.push(name),
    };
    const { services, changes } = serverOf({ directory });
    const some: [string, string][] = [all, ['find', 'an'], ['kind', 'People'], ['sort', '-Name'], ['matching', '4']];
    const done = await visit('/site-admin/users/disable', services, some);
    expect(disabled).toEqual(['hannah', 'anna']);
    expect(done.headers.get('location')).toBe('/site-admin/users?find=an&kind=People&sort=-Name&done=disabled');
    const nobody: [string, string][] = [all, ['find', 'nobody'], ['matching', '0']];
    expect((await visit('/site-admin/users/disable', services, nobody)).status).toBe(400);
    const already: [string, string][] = [all, ['kind', 'Disabled'], ['matching', '1']];
    const refused = await visit('/site-admin/users/disable', services, already);
    expect(await refused.text()).toContain('none of these can be disabled: they are so already');
    await visit('/site-admin/tokens/revoke', services, [all, ['matching', '2']]);
    expect(changes.map(([, , id]) => id)).toEqual([7, 8]);
  });

  it('all of a list that is unknown, or not as the page showed it, are left alone', async () => {
    const { services, changes } = serverOf();
    const answers = [
      [
        ['kind', 'A kind of an earlier version'],
        ['matching', '2'],
      ],
      [['matching', '1']],
      [],
    ].map(async (more) => {
      const fields = [['all', '1'], ...more].map(([name = '', value = '']): [string, string] => [name, value]);
      return (await visit('/site-admin/tokens/revoke', services, fields)).text();
    });
    const changed = expect.stringContaining('the list has changed and has 2 rows now');
    expect(await Promise.all(answers)).toEqual([expect.stringContaining('there is no list of'), changed, changed]);
    expect(changes).toEqual([]);
  });

  it('a refusal among many says how many were done, and shows the same list again', async () => {
    const people = Array.from({ length: 300 }, (_, index) => user(`user-${index}`, { id: index + 5 }));
    const directory = {
      list: async () => people,
      roles: async () => [],
      async setDisabled(name: string) {
        if (name === 'user-18') throw new SextantError('conflict', 'user-18 stays');
      },
    };
    const { services } = serverOf({ directory });
    const response = await visit('/site-admin/users/disable', services, [
      ['all', '1'],
      ['find', 'user-1'],
      ['sort', '-Name'],
      ['matching', '111'],
    ]);
    const page = await response.text();
    expect(response.status).toBe(400);
    for (const text of ['user-18 stays; before user-18 it was done with 21 of 111', 'All 111 of this list', 'Name ↓'])
      expect(page).toContain(text);
    for (const text of ['name="find" value="user-1"', 'name="sort" value="-Name"', 'name="matching" value="111"'])
      expect(page).toContain(`<input type="hidden" ${text}`);
  });

  it('of all repositories, those that are evicted stay so, and no call waits for the others', async () => {
    const [shop] = await oneRepository({}).list(admin);
    const evicted = { ...shop, name: 'old', clone: { state: 'evicted' } };
    const { services, changes } = serverOf({ repositories: { list: async () => [shop, evicted] } });
    await visit('/site-admin/repositories/refresh', services, [
      ['all', '1'],
      ['matching', '2'],
    ]);
    await visit('/site-admin/repositories/refresh', services, [['name', 'old']]);
    expect(changes.filter(([what]) => what === 'queue')).toEqual([
      ['queue', admin, 'shop', { isNamed: false }],
      ['queue', admin, 'old', { isNamed: true }],
    ]);
  });

  it('several tokens are revoked at once, each as its owner’s', async () => {
    const { services, changes } = serverOf();
    const response = await visit('/site-admin/tokens/revoke', services, [
      ['name', '7'],
      ['name', '8'],
    ]);
    expect(changes).toEqual([
      ['revoke', admin, 7, 1],
      ['revoke', admin, 8, 99],
    ]);
    expect(response.headers.get('location')).toBe('/site-admin/tokens?done=revoked');
    expect((await visit('/site-admin/tokens/revoke', services, [['name', '9']])).status).toBe(404);
  });

  it('several users are signed out at once', async () => {
    const { services, changes } = serverOf();
    await visit('/site-admin/sessions/end', services, [['name', 'alice']]);
    expect(changes).toEqual([['endAll', 1]]);
  });

  it('a repository is fetched and indexed', async () => {
    const { services, changes } = serverOf();
    await visit('/site-admin/repositories/refresh', services, [['name', 'shop']]);
    expect(changes).toEqual([
      ['queue', admin, 'shop', { isNamed: true }],
      ['refresh', admin, 'shop'],
    ]);
  });

  it('that are refused show why, with what was typed', async () => {
    const { services } = serverOf();
    const add = async (): Promise<never> => {
      throw new SextantError('conflict', 'the name "bob" is taken by user 2');
    };
    const refusing = { ...services, directory: { ...(services['directory'] as object), add } };
    const response = await visit('/site-admin/users/add', refusing, [
      ['name', 'bob'],
      ['email', 'b@example.com'],
    ]);
    const page = await response.text();
    expect(response.status).toBe(400);
    expect(page).toContain('the name &quot;bob&quot; is taken by user 2');
    expect(page).toContain('value="b@example.com"');
  });

  it('without the token of the session change nothing', async () => {
    const { services, changes } = serverOf();
    const sent = visit('/site-admin/users/disable', services, [
      ['csrf', 'x'],
      ['name', 'alice'],
    ]);
    await expect(sent.then(async (response) => response.status)).rejects.toMatchObject({ code: 'forbidden' });
    expect(changes).toEqual([]);
  });
});
