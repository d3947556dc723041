import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sourceConformance, temporaryFolder } from '@sextant/contracts/testing';
import type { SourceFixture, TemporaryFolder } from '@sextant/contracts/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configMistakes, connectedServer, openSource, servingServer } from './support/connected-server.ts';
import type { ConnectOptions, ConnectedServer } from './support/connected-server.ts';
import { forAll, giteaWithCompany } from './support/company.ts';
import type { Company, GiteaWithCompany } from './support/company.ts';
import { password } from './support/gitea.ts';
import type { Gitea } from './support/gitea.ts';
import { limitingProxy } from './support/limiting-proxy.ts';

const webhookSecret = 'only-for-tests-0123456789';
const { signal } = new AbortController();

let host: GiteaWithCompany;
let gitea: Gitea;
let company: Company;

beforeAll(async () => {
  host = await giteaWithCompany({ repositories: 30, people: 8, teams: 6 });
  ({ gitea, company } = host);
});
afterAll(() => host?.[Symbol.asyncDispose]());

const serve = (own: TemporaryFolder, more: Partial<ConnectOptions> = {}): Promise<ConnectedServer> =>
  servingServer({ folder: own.path, gitea, company, ...more });

/** What `config check` says of a token. */
const problemsOf = async (token: string): Promise<string[]> =>
  (await configMistakes([{ type: 'gitea', url: gitea.url, token, permissions: 'sync' }])).map(({ text }) => text);

/** What the conformance suite of sources needs. */
async function fixture(): Promise<SourceFixture> {
  const [, , , , person = { login: '', id: 0 }] = company.people;
  const readable = await gitea.cloneable(person.login, company.repositories);
  const token = 'e'.repeat(40);
  const { url } = gitea;
  return {
    source: await openSource({ type: 'gitea', url, token: gitea.token, webhookSecret }),
    withWrongToken: { token, source: await openSource({ type: 'gitea', url, token }) },
    paths: company.repositories,
    person: { identity: { issuer: url, subject: String(person.id) }, email: `${person.login}@example.com`, readable },
    pushTo(id) {
      const body = new TextEncoder().encode(JSON.stringify({ repository: { id: Number(id) } }));
      return { body, headers: new Headers({ 'x-gitea-event': 'push', 'x-gitea-signature': signatureOf(body) }) };
    },
  };
}

const signatureOf = (body: string | Uint8Array, secret = webhookSecret): string =>
  createHmac('sha256', secret).update(body).digest('hex');

describe('source-gitea conforms to RepositorySource', () => {
  it.each(sourceConformance)('$name', async ({ run }) => run(await fixture()));
});

describe('a Gitea as a source', () => {
  it('gives every repository, cloned, under its host and path', async () => {
    using own = temporaryFolder();
    await using server = await serve(own);
    expect(await server.paths('admin')).toEqual(company.repositories.toSorted());
    expect(server.status()['sources']?.detail['oldestList']).toMatch(/^\d{4}-\d\d-\d\dT/);
    const [name = ''] = company.repositories;
    const caller = await server.caller('admin');
    const opened = await server.repositories.open(caller, `${new URL(gitea.url).host}/${name}`);
    const commit = await opened.resolve(undefined, signal);
    expect((await opened.readText(commit, 'README.md', signal)).text).toContain('repo-0');
  });

  it('shows each person exactly what Gitea lets them clone', async () => {
    using own = temporaryFolder();
    await using server = await serve(own);
    for (const { login } of company.people) {
      const cloneable = await gitea.cloneable(login, company.repositories);
      expect({ login, paths: await server.paths(login) }).toEqual({ login, paths: cloneable.toSorted() });
      const reads = await forAll(company.repositories, (name) => gitea.readsCode(login, name));
      expect({ login, cloneable }).toEqual({ login, cloneable: company.repositories.filter((_, at) => reads[at]) });
    }
  });

  it('refuses a removed member at the next call after the list is old', async () => {
    using own = temporaryFolder();
    await using server = await serve(own);
    const { id } = await gitea.api<{ id: number }>('/orgs/hidden/teams', {
      method: 'POST',
      body: { name: 'guests', permission: 'read', includes_all_repositories: true, units_map: { 'repo.code': 'read' } },
    });
    const member = `/teams/${id}/members/person-3`;
    await gitea.api(member, { method: 'PUT' });
    const hidden = company.repositories.filter((name) => name.startsWith('hidden/'));
    const seen = async (): Promise<number> =>
      (await server.paths('person-3')).filter((name) => name.startsWith('hidden/')).length;
    await expect.poll(seen).toBe(hidden.length);
    await gitea.api(member, { method: 'DELETE' });
    await expect.poll(seen).toBe(0);
    const caller = await server.caller('person-3');
    await expect(server.repositories.open(caller, hidden[0] ?? '')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('hides a repository that was made private, and those of an owner that was hidden', async () => {
    using own = temporaryFolder();
    await using server = await serve(own, { source: { pollSeconds: 1 } });
    const seen = () => server.paths('person-3');
    expect(await seen()).toEqual(expect.arrayContaining(['acme/repo-3', 'acme/repo-9']));
    await gitea.api('/repos/acme/repo-3', { method: 'PATCH', body: { private: true } });
    await expect.poll(seen).not.toContain('acme/repo-3');
    expect(await seen()).toContain('acme/repo-9');
    await gitea.api('/orgs/acme', { method: 'PATCH', body: { visibility: 'private' } });
    await expect.poll(seen).not.toContain('acme/repo-9');
    await gitea.api('/orgs/acme', { method: 'PATCH', body: { visibility: 'public' } });
    await gitea.api('/repos/acme/repo-3', { method: 'PATCH', body: { private: false } });
    await expect.poll(seen).toEqual(expect.arrayContaining(['acme/repo-3', 'acme/repo-9']));
  });

  it('shuts out whom Gitea shuts out, but for what is public', async () => {
    using own = temporaryFolder();
    await using server = await serve(own);
    const publicOnes = company.repositories.filter((name) => name.startsWith('acme/') || name.endsWith('/own'));
    const flags = { login_name: 'person-2', source_id: 0 };
    await gitea.api('/admin/users/person-2', { method: 'PATCH', body: { ...flags, prohibit_login: true } });
    await expect
      .poll(async () => (await server.paths('person-2')).every((name) => publicOnes.includes(name)))
      .toBe(true);
    await gitea.api('/admin/users/person-2', { method: 'PATCH', body: { ...flags, prohibit_login: false } });
  });

  it('finds a repository by the end of its name where only one that the caller reads ends so', async () => {
    using own = temporaryFolder();
    await using server = await serve(own);
    const host = new URL(gitea.url).host;
    const admin = await server.caller('admin');
    const { info } = await server.repositories.open(admin, 'repo-1');
    expect(info.name).toBe(`${host}/limited/repo-1`);
    await expect(server.repositories.open(admin, 'own')).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining(`Did you mean ${host}/person-0/own or ${host}/person-4/own?`),
    });
    await expect(server.run('access explain', { user: 'person-0', repository: 'own' })).rejects.toThrow(
      `Did you mean ${host}/person-0/own or ${host}/person-4/own?`,
    );
    // person-2 may not read that of person-0, so there is only one for them.
    const { info: own4 } = await server.repositories.open(await server.caller('person-2'), 'own');
    expect(own4.name).toBe(`${host}/person-4/own`);
  });

  it('follows new, renamed and deleted repositories, and fetches at a signed webhook', async () => {
    using own = temporaryFolder();
    await using server = await serve(own, { source: { webhookSecret, pollSeconds: 3600, refreshSeconds: 3600 } });
    const source = new URL(gitea.url).host;
    const send = (event: string, body: object, secret = webhookSecret): Promise<Response> => {
      const text = JSON.stringify(body);
      const headers = { 'x-gitea-event': event, 'x-gitea-signature': signatureOf(text, secret) };
      return server.post(`/.api/webhooks/sources/${source}`, { body: text, headers });
    };
    const { id } = await gitea.api<{ id: number }>('/orgs/acme/repos', {
      method: 'POST',
      body: { name: 'fresh', auto_init: true, default_branch: 'main' },
    });
    await expect(send('repository', {}, 'another-secret-0123456789')).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    expect((await send('repository', { action: 'created' })).status).toBe(202);
    const names = async () => server.paths('admin');
    await expect.poll(names).toContain('acme/fresh');
    const admin = await server.caller('admin');
    const head = async (name: string) => {
      const opened = await server.repositories.open(admin, name);
      return opened.resolve(undefined, signal);
    };
    await expect
      .poll(async () =>
        head(`${source}/acme/fresh`).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const before = await head(`${source}/acme/fresh`);
    await gitea.api('/repos/acme/fresh/contents/second.txt', {
      method: 'POST',
      body: { content: Buffer.from('two\n').toString('base64'), message: 'second' },
    });
    await send('push', { repository: { id } });
    await expect.poll(() => head(`${source}/acme/fresh`)).not.toBe(before);

    await gitea.api('/repos/acme/fresh', { method: 'PATCH', body: { name: 'renamed' } });
    await send('repository', { action: 'renamed' });
    await expect.poll(names).toContain('acme/renamed');
    const { info } = await server.repositories.open(admin, `${source}/acme/fresh`);
    expect(info.name).toBe(`${source}/acme/renamed`);
    await gitea.api('/repos/acme/renamed', { method: 'DELETE' });
    await send('repository', { action: 'deleted' });
    await expect.poll(names).not.toContain('acme/renamed');
    await expect(server.repositories.open(admin, `${source}/acme/fresh`)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('loses nothing while Gitea is away, also over a restart, and reads an old list as no access', async () => {
    using own = temporaryFolder();
    const source = { pollSeconds: 5, maxAccessAgeSeconds: 60 };
    const before = await serve(own, { source });
    const readable = await before.paths('person-0');
    expect(readable).toContain('acme/repo-0');
    await gitea.stop();
    try {
      await before[Symbol.asyncDispose]();
      await using server = await connectedServer({ folder: own.path, gitea, company, source });
      await server.ready();
      await expect.poll(() => server.status()['sources']?.failures?.[0]?.reason).toContain('cannot be reached');
      expect(await server.paths('admin')).toEqual(company.repositories.toSorted());
      expect(await server.paths('person-0')).toEqual(readable);
      const admin = await server.caller('admin');
      const opened = await server.repositories.open(admin, 'acme/repo-0');
      expect(await opened.resolve(undefined, signal)).toMatch(/^[0-9a-f]{40}$/);
      const database = new DatabaseSync(join(own.path, 'data', 'sextant.db'));
      database.exec('UPDATE sources_access SET listed_at = listed_at - 120000');
      database.close();
      await using later = await connectedServer({ folder: own.path, gitea, company, source });
      await later.ready();
      expect(await later.paths('person-0')).not.toContain('acme/repo-0');
      expect(await later.run('access explain', { user: 'person-0', repository: 'acme/repo-0' })).toContain(
        'is too old',
      );
    } finally {
      await gitea.startAgain();
    }
  });

  it('sends no more requests than the host allows in an hour, and goes on with what it has', async () => {
    using own = temporaryFolder();
    // One shows whether people must sign in, the other is the list; then nobody can be asked about.
    await using proxy = await limitingProxy(gitea.url, { requests: 2 });
    const limited = { url: proxy.url, token: gitea.token };
    await using server = await connectedServer({ folder: own.path, gitea: limited, company });
    await server.ready();
    await expect.poll(() => server.status()['sources']?.isReady).toBe(true);
    for (let call = 0; call < 10; call += 1) await server.list('person-0');
    expect(proxy.refused).toBe(1);
    expect(server.status()['sources']?.failures?.[0]?.reason).toContain('it takes the next one in 3600 s');
  });

  it('serves only what the configuration asks for, and says why not', async () => {
    using own = temporaryFolder();
    await gitea.api('/repos/acme/repo-0', { method: 'PATCH', body: { archived: true } });
    const second = { content: Buffer.from('two\n').toString('base64'), message: 'second' };
    await gitea.api('/repos/acme/repo-6/contents/second.txt', { method: 'POST', body: second });
    const exclude = { archived: true, names: ['*-3'] };
    const source = { organizations: ['acme'], exclude, permissions: 'none', depth: 1 };
    await using server = await serve(own, { source });
    const served = await server.paths('admin');
    expect(served.every((name) => name.startsWith('acme/'))).toBe(true);
    expect(served).not.toContain('acme/repo-0');
    const name = `${new URL(gitea.url).host}/acme/repo-6`;
    const opened = await server.repositories.open(await server.caller('admin'), name);
    const { refs } = await opened.listRefs({ types: ['branch'], limit: 9, containsCommit: 'main' }, signal);
    expect(refs.map((ref) => ref.name)).toEqual(['main']);
    await expect(opened.resolve('main~1', signal)).rejects.toMatchObject({
      message: expect.stringContaining('only the later part of the history'),
    });
    const told = await server.run('source list', { leftOut: true });
    expect(told).toMatch(/acme\/repo-0 +no +private +exclude\.archived: it is archived/);
    expect(told).toMatch(/acme\/repo-3 +no +public +exclude\.names: \*-3/);
    await expect(server.run('source list', { source: 'nope' })).rejects.toMatchObject({ code: 'not_found' });
    const readable = await server.paths('person-3');
    expect(readable.length).toBeGreaterThan(0);
    expect(await server.run('access explain', { user: 'person-3', repository: 'acme/repo-6' })).toContain(
      'neither "permissions: sync" nor "access"',
    );
    await gitea.api('/repos/acme/repo-0', { method: 'PATCH', body: { archived: false } });
  });

  it('tells of an organization that is not there', async () => {
    const source = { type: 'gitea', url: gitea.url, token: gitea.token, organizations: ['acme', 'nope'] };
    expect(await configMistakes([source])).toEqual([
      { path: ['sources', 0], text: expect.stringContaining('has no organization "nope"') },
    ]);
  });

  it('tells what a token is not good for, and never the token', async () => {
    const { sha1: token } = await fetch(`${gitea.url}/api/v1/users/person-0/tokens`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`person-0:${password}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name: 'check', scopes: ['read:user', 'read:repository'] }),
    }).then((response) => response.json() as Promise<{ sha1: string }>);
    expect(await problemsOf(token)).toEqual([
      `person-0 is no administrator of ${new URL(gitea.url).host}: its token cannot tell what others may read`,
    ]);
    expect(await problemsOf(gitea.token)).toEqual([]);
    const wrong = 'f'.repeat(40);
    const [problem = ''] = await problemsOf(wrong);
    expect(problem).toContain('does not accept the token');
    expect(problem).not.toContain(wrong);
  });

  it('puts its token into no argument list and no file', async () => {
    using own = temporaryFolder();
    await using server = await serve(own);
    expect(await server.paths('admin')).toHaveLength(company.repositories.length);
    const found = execFileSync('sh', ['-c', `grep -rlF "$TOKEN" "$FOLDER" || true`], {
      env: { ...process.env, TOKEN: gitea.token, FOLDER: own.path },
      encoding: 'utf8',
    });
    expect(found).toBe('');
  });
});
