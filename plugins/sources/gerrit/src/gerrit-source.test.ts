import { createHmac } from 'node:crypto';
import { sourceConformance } from '@sextant/contracts/testing';
import type { HostMessage, HostRepository, RepositorySource, SourcePermissions } from '@sextant/contracts';
import { silentLogger } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gerritConfig } from './config.ts';
import { GerritSource } from './gerrit-source.ts';
import { allow, anonymous, block, closedTo, registered, startGerrit, token, username, uuid } from './testing/gerrit.ts';
import type { ProjectFacts, TestGerrit } from './testing/gerrit.ts';

const { signal } = new AbortController();
const webhookSecret = 'only-for-tests-0123456789';

let host: TestGerrit;
beforeEach(async () => {
  host = await startGerrit();
});
afterEach(() => host[Symbol.asyncDispose]());

interface Opened {
  keys?: object;
  permissions?: SourcePermissions;
  log?: Logger;
}

const open = ({ keys = {}, permissions = 'sync', log = silentLogger }: Opened = {}): RepositorySource =>
  new GerritSource(gerritConfig.parse({ url: host.url, username, token, webhookSecret, ...keys }), {
    log,
    permissions,
  });

async function listed(source: RepositorySource): Promise<HostRepository[]> {
  const all: HostRepository[] = [];
  for await (const page of source.list(signal)) all.push(...page);
  return all;
}

async function changedSince(source: RepositorySource, since: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const page of source.listChanged(since, signal)) paths.push(...page.map(({ path }) => path));
  return paths;
}

/** What somebody reads after a complete list. */
async function readableBy(name: string, source = open()): Promise<string[]> {
  const all = await listed(source);
  const account = await source.account({ issuer: host.url, subject: name }, signal);
  const { whole, ids } = account ? await source.readable(account, signal) : { whole: [], ids: [] };
  return all.filter(({ id, visibility }) => whole.includes(visibility) || ids.includes(id)).map(({ path }) => path);
}

function change(name: string, facts: ProjectFacts): void {
  host.projects.set(name, { ...host.projects.get(name), ...facts });
}

function signed(event: object): HostMessage {
  const body = new TextEncoder().encode(JSON.stringify(event));
  const signature = createHmac('sha256', webhookSecret).update(body).digest('hex');
  return { body, headers: new Headers({ 'x-hub-signature-256': `sha256=${signature}` }) };
}

const updated = (project: string, refName: string): HostMessage =>
  signed({ type: 'ref-updated', refUpdate: { oldRev: '0', newRev: '1', project, refName }, eventCreatedOn: 1 });

describe('source-gerrit conforms to RepositorySource', () => {
  it.each(sourceConformance)('$name', async ({ run }) => {
    const wrong = 'GERRIT-wrong0000000000000';
    await run({
      source: open(),
      withWrongToken: { token: wrong, source: open({ keys: { token: wrong } }) },
      paths: ['acme/cart', 'acme/kit', 'acme/old', 'open/docs', 'wiki'],
      person: {
        identity: { issuer: host.url, subject: 'carol' },
        email: 'carol@example.com',
        readable: ['open/docs', 'wiki'],
      },
      pushTo: (id) => updated(id, 'refs/heads/main'),
    });
  });
});

describe('who may read what', () => {
  const open_ = ['open/docs', 'wiki'];

  it('is what projects, their parents and groups in groups give', async () => {
    expect(await readableBy('ann')).toEqual(['acme/cart', 'acme/kit', 'acme/old', ...open_]);
    // In the group leads, which is in the group shop.
    expect(await readableBy('bob')).toEqual(['acme/cart', 'acme/kit', 'acme/old', ...open_]);
    host.included.clear();
    expect(await readableBy('bob')).toEqual(['acme/kit', ...open_]);
    expect(await readableBy('carol')).toEqual(open_);
  });

  it('ends with groups that include each other', async () => {
    host.included.set(uuid('leads'), [uuid('shop'), uuid('leads')]);
    expect(await readableBy('ann')).toContain('acme/kit');
  });

  it('loses who left a group at once, and who lost a right with the next complete list', async () => {
    const source = open();
    await readableBy('ann', source);
    const before = Date.now();
    await listed(source);
    const after = Date.now();
    const ann = { id: '1000001', login: 'ann' };
    host.projects.set('acme/cart', { parent: 'All-Projects', sections: closedTo(uuid('leads')) });
    const { ids, asOf = 0 } = await source.readable(ann, signal);
    expect(ids).toContain('acme/cart');
    expect(asOf).toBeGreaterThanOrEqual(before);
    expect(asOf).toBeLessThanOrEqual(after);
    await listed(source);
    expect((await source.readable(ann, signal)).ids).not.toContain('acme/cart');
    host.accounts[1]?.groups.splice(0);
    expect((await source.readable(ann, signal)).ids).not.toContain('acme/old');
  });

  it('is nothing for accounts that are inactive, gone or of another name, and unknown before a list', async () => {
    const source = open();
    await expect(source.readable({ id: '1000001', login: 'ann' }, signal)).rejects.toMatchObject({
      code: 'unavailable',
    });
    await listed(source);
    const nobody = { whole: [], ids: [] };
    for (const account of [
      { id: '1000002', login: 'ann' },
      { id: '1999999', login: 'ann' },
      { id: 'ann', login: 'ann' },
      { id: '../../ann', login: 'ann' },
    ])
      expect(await source.readable(account, signal)).toEqual(nobody);
    Object.assign(host.accounts[1] ?? {}, { isInactive: true });
    expect(await source.readable({ id: '1000001', login: 'ann' }, signal)).toEqual(nobody);
    expect(await source.account({ issuer: host.url, subject: 'ann' }, signal)).toBeUndefined();
    expect(await source.account({ issuer: host.url, subject: '1000001' }, signal)).toBeUndefined();
  });

  it('is nothing that a right of a group of another backend could take away, which the log says', async () => {
    const lines: unknown[] = [];
    const log = { ...silentLogger, warn: (...line: unknown[]) => lines.push(line) } as Logger;
    change('open/docs', {
      sections: { 'refs/*': { read: allow(anonymous) }, '^refs/heads/s.*': { read: block(registered) } },
    });
    change('wiki', { sections: { 'refs/*': { read: block('ldap:cn=contractors') } } });
    const source = open({ log });
    expect(await readableBy('carol', source)).toEqual([]);
    await listed(source);
    expect(lines).toEqual([
      [
        { source: source.host, projects: 1, reasons: ['open/docs: Read on ^refs/heads/s.* is for some only'] },
        'nobody may read projects whose rights cannot be followed',
      ],
    ]);
  });

  it.each([
    ['hides', 'acme/cart', { hidesRights: true }, ['acme/cart']],
    ['does not let see a parent of', 'acme-rights', { isUnseen: true }, ['acme/cart', 'acme/kit', 'acme/old']],
    ['does not say the parent of', 'acme/cart', { parent: undefined }, ['acme/cart']],
    ['has no parent of', 'acme/cart', { parent: 'gone' }, ['acme/cart']],
    ['has parents in a circle of', 'acme-rights', { parent: 'acme/kit' }, ['acme/cart', 'acme/kit', 'acme/old']],
    ['hides rights above', 'All-Projects', { hidesRights: true }, ['acme/cart', 'acme/kit', 'acme/old', ...open_]],
  ] as const)('is nothing where Gerrit %s %s', async (_what, name, facts, lost) => {
    const before = await readableBy('bob');
    change(name, facts as ProjectFacts);
    const source = open();
    expect(await readableBy('bob', source)).toEqual(before.filter((each) => !lost.some((one) => one === each)));
    for (const { path, visibility } of await listed(source))
      if (lost.some((one) => one === path)) expect(visibility).toBe('private');
  });

  it('is not told by an account that does not administrate the server', async () => {
    const source = open();
    await listed(source);
    host.isAdministrator = false;
    await expect(source.readable({ id: '1000001', login: 'ann' }, signal)).rejects.toMatchObject({ code: 'forbidden' });
    const rights = `sextant cannot tell what others may read: it needs the capability Administrate Server of ${source.host}`;
    expect(await source.check(signal)).toEqual({ account: 'sextant', problems: [rights] });
    expect((await open({ permissions: 'none' }).check(signal)).problems).toEqual([]);
    host.isAdministrator = true;
    host.asked.splice(0);
    expect((await source.check(signal)).problems).toEqual([]);
    expect(host.asked).toEqual(['GET /a/accounts/self/capabilities']);
  });

  it('is for everyone, for every account, or for some', async () => {
    const kinds = async (permissions: SourcePermissions): Promise<object> =>
      Object.fromEntries((await listed(open({ permissions }))).map(({ path, visibility }) => [path, visibility]));
    const told = { 'acme/cart': 'private', 'open/docs': 'public', wiki: 'internal' };
    expect(await kinds('sync')).toMatchObject(told);
    expect(await kinds('none')).toMatchObject(told);
    host.isAdministrator = false;
    expect(await kinds('none')).toMatchObject({ 'open/docs': 'private', wiki: 'private' });
    host.isAdministrator = true;
    host.instead = { path: '/projects/', answer: { status: 403 } };
    expect(await kinds('sync')).toMatchObject({ ...told, 'open/docs': 'internal' });
    host.instead = { path: '/projects/', answer: { text: ")]}'\n{}" } };
    expect(await kinds('sync')).toMatchObject({ ...told, 'open/docs': 'internal' });
  });
});

describe('accounts', () => {
  it('are found by id, username and registered addresses, and by nothing that is only like these', async () => {
    const source = open();
    const found = (subject: string) => source.account({ issuer: `${host.url}/`, subject }, signal);
    expect(await found('1000001')).toEqual({ id: '1000001', login: 'ann' });
    expect(await found('ann')).toEqual({ id: '1000001', login: 'ann' });
    expect(await found('1000004')).toEqual({ id: '1000004', login: 'account 1000004' });
    for (const other of ['Ann', 'an', 'ann" OR is:active', '', 'self', 'ann@example.com'])
      expect(await found(other)).toBeUndefined();
    expect(await source.accountOfEmail('A@Example.com', signal)).toEqual({ id: '1000001', login: 'ann' });
    for (const other of ['a@example.co', 'a@example.com" OR "', 'carol']) {
      expect(await source.accountOfEmail(other, signal)).toBeUndefined();
    }
    host.accounts.push({ id: 1000005, username: 'twin', email: 'a@example.com', groups: [] });
    expect(await source.accountOfEmail('a@example.com', signal)).toBeUndefined();
  });

  it('are looked for in all pages', async () => {
    host.mostAtOnce = 2;
    for (let id = 1; id < 6; id += 1)
      host.accounts.unshift({ id, username: `z${id}`, email: `zed@example.com.${id}`, groups: [] });
    host.accounts.push({ id: 7, username: 'zed', email: 'zed@example.com', groups: [] });
    expect(await open().accountOfEmail('zed@example.com', signal)).toEqual({ id: '7', login: 'zed' });
  });
});

describe('projects', () => {
  it('are described as Gerrit describes them, without those that have no code or are hidden', async () => {
    change('wiki', { state: 'HIDDEN' });
    const all = await listed(open());
    expect(all.map(({ path }) => path)).toEqual(['acme/cart', 'acme/kit', 'acme/old', 'open/docs']);
    expect(all[0]).toMatchObject({
      id: 'acme/cart',
      cloneURL: `${host.url}/a/acme/cart`,
      description: 'Buys things',
      isArchived: false,
    });
    expect(all[2]?.isArchived).toBe(true);
    expect(await open().login(all[0] as HostRepository, signal)).toEqual({ username, password: token });
  });

  it('are cloned from where Gerrit says, if that is there', async () => {
    const cloneURLs = async (scheme: string): Promise<string | undefined> => {
      host.scheme = scheme;
      return (await listed(open())).find(({ path }) => path === 'acme/cart')?.cloneURL;
    };
    expect(await cloneURLs(`${host.url.replace('//', '//root:secret@')}/git/\${project}`)).toBe(
      `${host.url}/git/acme/cart`,
    );
    for (const elsewhere of [
      'https://evil.example/${project}',
      `${host.url}.evil.example/\${project}`,
      host.url,
      'no address',
    ])
      expect(await cloneURLs(elsewhere)).toBe(`${host.url}/a/acme/cart`);
  });

  it('have the ssh URL that Gerrit says, of the account whose token it is or of the one that it names', async () => {
    const sshURLs = async (scheme: string): Promise<string | undefined> => {
      host.sshScheme = scheme;
      return (await listed(open())).find(({ path }) => path === 'acme/cart')?.sshURL;
    };
    expect(await sshURLs('ssh://127.0.0.1:29418/${project}')).toBe(`ssh://${username}@127.0.0.1:29418/acme/cart`);
    expect(await sshURLs('ssh://ann:secret@127.0.0.1/${project}')).toBe('ssh://ann@127.0.0.1/acme/cart');
    for (const wrong of ['ssh://127.0.0.1:29418/', 'https://127.0.0.1/${project}', 'ext::sh -c ${project}', ''])
      expect(await sshURLs(wrong)).toBeUndefined();
  });

  it('may have odd names', async () => {
    const names = ['a b+c%2F', '../../etc', 'q?x#y&project=wiki', 'ü/ñ', '__proto__', 'constructor', '${project}'];
    for (const name of names) host.projects.set(name, { parent: 'All-Projects', sections: closedTo(uuid('leads')) });
    const all = await listed(open());
    const cloneURLs = Object.fromEntries(all.map(({ path, cloneURL }) => [path, cloneURL.slice(host.url.length)]));
    expect(cloneURLs).toMatchObject({
      'a b+c%2F': '/a/a%20b%2Bc%252F',
      'q?x#y&project=wiki': '/a/q%3Fx%23y%26project%3Dwiki',
      'ü/ñ': '/a/%C3%BC/%C3%B1',
      '${project}': '/a/%24%7Bproject%7D',
      constructor: '/a/constructor',
    });
    expect(Object.hasOwn(cloneURLs, '__proto__')).toBe(true);
    expect(await readableBy('carol')).toEqual(['open/docs', 'wiki']);
    expect(await readableBy('bob')).toEqual(expect.arrayContaining(['a b+c%2F', 'constructor', '../../etc']));
  });

  it('are asked about in addresses that are not too long', async () => {
    for (let at = 0; at < 60; at += 1) host.projects.set(`${'リポジトリ'.repeat(20)}/${at}`, { parent: 'acme-rights' });
    expect((await readableBy('ann')).length).toBe(65);
    expect(await readableBy('carol')).toEqual(['open/docs', 'wiki']);
  });

  it('may be those with some beginnings', async () => {
    const paths = async (prefixes: string[]): Promise<string[]> =>
      (await listed(open({ keys: { prefixes } }))).map(({ path }) => path);
    expect(await paths(['acme/', 'wi'])).toEqual(['acme/cart', 'acme/kit', 'acme/old', 'wiki']);
    expect(await paths(['none/'])).toEqual([]);
    expect(await paths(['acme'])).toEqual(['acme/cart', 'acme/kit', 'acme/old']);
  });

  it('are 10,000 in 241 requests: the list, read twice, and the rights of 50 projects at once', async () => {
    host.mostAtOnce = 1000;
    const names = Array.from({ length: 10_000 }, (_, at) => `many/project-${at}`);
    for (const name of names) host.projects.set(name, { parent: 'acme-rights' });
    const source = open();
    expect(await listed(source)).toHaveLength(10_005);
    expect(host.asked).toHaveLength(241);
    const kinds = Object.groupBy(host.asked, (asked) => asked);
    expect(Object.fromEntries(Object.entries(kinds).map(([kind, all]) => [kind, all?.length]))).toEqual({
      'GET /a/config/server/info': 1,
      'GET /a/projects/': 2 * 12 + 11,
      'GET /a/changes/': 1,
      'GET /a/access/': 1 + 201 + 1,
      'GET /projects/': 1,
    });
    expect((await source.readable({ id: '1000001', login: 'ann' }, signal)).ids).toHaveLength(10_005);
  });

  it('are not taken for all where one went meanwhile, or an answer is cut', async () => {
    host.mostAtOnce = 3;
    let pages = 0;
    host.before = (path) => {
      pages += path === '/a/projects/' ? 1 : 0;
      if (pages === 2) host.projects.delete('acme-rights');
    };
    await expect(listed(open())).rejects.toThrow(/came or went while they were listed$/);
    host.before = () => undefined;
    host.instead = { path: '/a/projects/', answer: { text: `)]}'\n{"acme/kit":{"id":"acme%2Fkit"` } };
    await expect(listed(open())).rejects.toThrow(/answered something else than its API promises: no JSON/);
    host.instead = { path: '/a/access/', answer: { text: ")]}'\n{}" } };
    const source = open();
    expect((await listed(source)).every(({ visibility }) => visibility === 'private')).toBe(true);
    expect((await source.readable({ id: '1000001', login: 'ann' }, signal)).ids).toEqual([]);
  });

  it('are not asked for elsewhere', async () => {
    host.instead = { path: '/a/accounts/', answer: { status: 301, headers: { location: 'https://evil.example/a/' } } };
    await expect(open().check(signal)).rejects.toThrow(
      'leads to https://evil.example; if that is meant, configure its address',
    );
  });

  it('may have changed each hour, and all are asked for when one came, went or became another', async () => {
    const source = open();
    const late = '9999-01-01T00:00:00.000Z';
    await expect(changedSince(source, late)).rejects.toMatchObject({ code: 'conflict' });
    await listed(source);
    expect(await changedSince(source, late)).toEqual([]);
    expect(await changedSince(source, new Date(0).toISOString())).toHaveLength(5);
    for (const make of [
      () => change('wiki', { state: 'READ_ONLY' }),
      () => host.projects.delete('wiki'),
      () => host.projects.set('new', { parent: 'All-Projects' }),
    ]) {
      make();
      await expect(changedSince(source, late)).rejects.toMatchObject({ code: 'conflict' });
      await listed(source);
      expect(await changedSince(source, late)).toEqual([]);
    }
  });

  it('changed when a change was submitted to them, told in pages', async () => {
    const source = open();
    await listed(source);
    const now = Date.now();
    const [soon, later] = [now + 3_600_000, now + 7_200_000].map((ms) => new Date(ms).toISOString());
    const submitted = (project: string, at = ''): void => {
      host.changes.unshift({ project, submitted: at.replace('T', ' ').replace('Z', '') });
    };
    submitted('wiki', soon);
    submitted('acme/cart', soon);
    submitted('wiki', later);
    submitted('not/seen', later);
    host.mostAtOnce = 500;
    expect(await changedSince(source, soon ?? '')).toEqual(['acme/cart', 'wiki']);
    expect(await changedSince(source, later ?? '')).toEqual(['wiki']);
    host.changes.splice(0);
    expect((await listed(source)).find(({ path }) => path === 'wiki')?.changed).toBe(later);
    for (let at = 0; at < 600; at += 1) submitted('wiki', soon);
    host.changes.push({ project: 'acme/kit', submitted: (later ?? '').replace('T', ' ').replace('Z', '') });
    host.asked.splice(0);
    expect(await changedSince(source, later ?? '')).toEqual(['acme/kit', 'wiki']);
    expect(host.asked).toEqual(['GET /a/projects/', 'GET /a/projects/', 'GET /a/changes/', 'GET /a/changes/']);
  });
});

describe('messages', () => {
  it('tell of pushes to branches and tags, and of projects', () => {
    const source = open();
    const pushed = { kind: 'pushed', repositoryId: 'acme/cart' };
    for (const ref of ['refs/heads/main', 'refs/tags/v1', 'main'])
      expect(source.readMessage(updated('acme/cart', ref))).toEqual(pushed);
    for (const ref of ['refs/changes/01/1/1', 'refs/users/01/1']) {
      expect(source.readMessage(updated('acme/cart', ref))).toEqual({ kind: 'other' });
    }
    const created = signed({ type: 'project-created', projectName: 'new', projectHead: 'refs/heads/main' });
    expect(source.readMessage(created)).toEqual({ kind: 'repositories' });
    expect(source.readMessage(signed({ type: 'comment-added' }))).toEqual({ kind: 'other' });
    expect(() => source.readMessage(signed({ type: 'ref-updated' }))).toThrow('an update without a project');
    expect(open({ keys: { webhookSecret: undefined } }).readMessage(created)).toBeUndefined();
  });

  it('make the rights old when they change', async () => {
    const source = open();
    await listed(source);
    expect(source.readMessage(updated('acme-rights', 'refs/meta/config'))).toEqual({ kind: 'repositories' });
    const ann = { id: '1000001', login: 'ann' };
    await expect(source.readable(ann, signal)).rejects.toMatchObject({ code: 'unavailable' });
    const underWay = listed(source);
    source.readMessage(updated('acme-rights', 'refs/meta/config'));
    await underWay;
    await expect(source.readable(ann, signal)).rejects.toMatchObject({ code: 'unavailable' });
    await listed(source);
    expect((await source.readable(ann, signal)).ids).toContain('acme/cart');
  });
});
