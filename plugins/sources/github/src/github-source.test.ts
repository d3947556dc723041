import { sourceConformance } from '@sextant/contracts/testing';
import type { SourceFixture } from '@sextant/contracts/testing';
import type { HostRepository, RepositorySource } from '@sextant/contracts';
import { silentLogger } from '@sextant/core';
import examples from '@octokit/webhooks-examples/api.github.com/index.json' with { type: 'json' };
import { sign } from '@octokit/webhooks-methods';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostRepository, organization, pageOfRepositories } from './answers.ts';
import { githubConfig } from './config.ts';
import { GitHubSource } from './github-source.ts';
import { company, person, readableBy, repository } from './testing/company.ts';
import { appId, privateKey, startGitHub, token } from './testing/github.ts';
import type { TestGitHub } from './testing/github.ts';
import recorded from './testing/golden/recorded.json' with { type: 'json' };

const { signal } = new AbortController();
const webhookSecret = 'only-for-tests-0123456789';

let github: TestGitHub;
beforeEach(async () => {
  github = await startGitHub(company());
});
afterEach(() => github[Symbol.asyncDispose]());

const open = (keys: object = { token }): RepositorySource =>
  new GitHubSource(githubConfig.parse({ url: github.url, webhookSecret, ...keys }), {
    log: silentLogger,
    permissions: 'sync',
  });

const app = { id: appId, privateKey };

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

/** Paths of what a person reads, of those that were listed. */
async function readable(source: RepositorySource, all: readonly HostRepository[], login: string): Promise<string[]> {
  const subject = login.slice('person-'.length);
  const account = await source.account({ issuer: github.url, subject }, signal);
  const { whole, ids } = account ? await source.readable(account, signal) : { whole: [], ids: [] };
  return all.filter(({ id, visibility }) => whole.includes(visibility) || ids.includes(id)).map(({ path }) => path);
}

/** A message of `@octokit/webhooks-examples`, signed by `@octokit/webhooks-methods`. */
async function message(event: string, payload: object): Promise<{ headers: Headers; body: Uint8Array }> {
  const text = JSON.stringify(payload);
  const signature = await sign(webhookSecret, text);
  return {
    body: new TextEncoder().encode(text),
    headers: new Headers({ 'x-github-event': event, 'x-hub-signature-256': signature }),
  };
}

const exampleOf = (event: string): object => examples.find(({ name }) => name === event)?.examples[0] ?? {};

describe('source-github conforms to RepositorySource', () => {
  it.each(sourceConformance)('$name', async ({ run }) => {
    const wrong = 'ghp_wrong0000000000000000000000000000000';
    const push = await message('push', { ...exampleOf('push'), repository: { id: 42 } });
    const fixture: SourceFixture = {
      source: open(),
      withWrongToken: { token: wrong, source: open({ token: wrong }) },
      paths: github.company.repositories.map(({ owner, name }) => `${owner}/${name}`),
      person: {
        identity: { issuer: github.url, subject: '3' },
        email: 'person-3@example.com',
        readable: readableBy('person-3', github.company),
      },
      pushTo: () => push,
    };
    await run(fixture);
  });
});

describe('who may read what', () => {
  it.each(['none', 'read'] as const)(
    'is what GitHub says, where members may %s by being members',
    async (permission) => {
      const [acme] = github.company.organizations;
      if (acme) acme.basePermission = permission;
      const source = open();
      const all = await listed(source);
      for (const { login } of github.company.people)
        expect({ login, reads: (await readable(source, all, login)).toSorted() }).toEqual({
          login,
          reads: readableBy(login, github.company).toSorted(),
        });
    },
  );

  it('counts members, repositories and collaborators beyond the first hundred', async () => {
    const many = Array.from({ length: 230 }, (_, index) => person(index + 100));
    const last = many.at(-1)?.login ?? '';
    github.company.people.push(...many);
    const paths = Array.from({ length: 210 }, (_, index) => `repo-${index}`);
    github.company.repositories.push(...paths.map((name) => repository(`acme/${name}`)));
    const [acme] = github.company.organizations;
    acme?.members.push(...many.map(({ login }) => login));
    acme?.teams.push({ slug: 'many', members: many.map(({ login }) => login), repositories: paths });
    github.company.repositories[4]?.collaborators.push(...many.map(({ login }) => login));
    const source = open({ token, organizations: ['acme'] });
    const all = await listed(source);
    expect(all).toHaveLength(215);
    const reads = await readable(source, all, last);
    expect(reads.toSorted()).toEqual(
      readableBy(last, github.company)
        .filter((path) => path.startsWith('acme/'))
        .toSorted(),
    );
    expect(reads).toContain('acme/secret');
    expect(reads).toContain('acme/repo-209');
  });

  it('is asked again at once after a message about members and teams, else after a minute', async () => {
    const source = open();
    const all = await listed(source);
    const reads = () => readable(source, all, 'person-3');
    expect(await reads()).toContain('acme/shop');
    github.company.organizations[0]?.teams[1]?.members.splice(0);
    expect(await reads()).toContain('acme/shop');
    expect(source.readMessage(await message('membership', exampleOf('membership')))).toEqual({ kind: 'access' });
    expect(await reads()).not.toContain('acme/shop');
  });

  it('is asked again of one repository after a message about it, in one request', async () => {
    const source = open();
    const all = await listed(source);
    expect(await readable(source, all, 'person-6')).toContain('acme/secret');
    github.company.repositories[4]?.collaborators.splice(0);
    const { id } = github.company.repositories[4] ?? { id: 0 };
    const removed = { ...exampleOf('member'), action: 'removed', repository: { id } };
    expect(source.readMessage(await message('member', removed))).toEqual({ kind: 'access' });
    github.asked.splice(0);
    expect(await readable(source, all, 'person-6')).not.toContain('acme/secret');
    expect(github.asked).toEqual(['GET /user/6', 'GET /user/6', 'POST /graphql']);
  });

  it('is nothing by what the token may not see', async () => {
    github.hidden.add('acme/secret');
    github.scopes = 'repo';
    const [acme] = github.company.organizations;
    if (acme) acme.basePermission = 'read';
    const source = open();
    const all = await listed(source);
    expect(await readable(source, all, 'person-6')).not.toContain('acme/secret');
    expect(await readable(source, all, 'person-5')).toEqual(['acme/open', 'acme/handbook']);
  });

  it('is nothing for accounts that are suspended or gone', async () => {
    const source = open();
    const all = await listed(source);
    const account = { id: '1', login: 'person-1' };
    expect((await source.readable(account, signal)).ids.length).toBeGreaterThan(0);
    github.company.people[0] = { ...person(1), isSuspended: true };
    expect(await source.readable(account, signal)).toEqual({ whole: [], ids: [] });
    expect(await readable(source, all, 'person-1')).toEqual([]);
    github.company.people.shift();
    expect(await source.readable(account, signal)).toEqual({ whole: [], ids: [] });
  });

  it('needs an account for public repositories, too, where an Enterprise is in private mode', async () => {
    github.isPrivateMode = true;
    const source = open();
    const all = await listed(source);
    expect(all.find(({ path }) => path === 'acme/open')?.visibility).toBe('internal');
    expect(await readable(source, all, 'person-6')).toContain('acme/open');
  });

  it('is known from when the oldest part of it was asked', async () => {
    const source = open();
    const before = Date.now();
    await listed(source);
    const after = Date.now();
    const { asOf } = await source.readable({ id: '6', login: 'person-6' }, signal);
    expect(asOf).toBeGreaterThanOrEqual(before);
    expect(asOf).toBeLessThanOrEqual(after);
  });
});

describe('the repositories of a GitHub', () => {
  it('cost a request for each hundred, and none that counts while they are the same', async () => {
    github.company.repositories.push(...Array.from({ length: 250 }, (_, index) => repository(`acme/many-${index}`)));
    const source = open({ token, organizations: ['acme'] });
    expect(await listed(source)).toHaveLength(255);
    expect(github.asked.filter((each) => each.startsWith('GET /orgs/acme/repos'))).toHaveLength(3);
    // Repositories that are not public, a hundred each.
    expect(github.asked.filter((each) => each === 'POST /graphql')).toHaveLength(3);
    github.counted.splice(0);
    expect(await listed(source)).toHaveLength(255);
    expect(new Set(github.counted)).toEqual(new Set(['POST /graphql']));
    github.counted.splice(0);
    expect(await changedSince(source, '2027-01-01T00:00:00Z')).toEqual([]);
    await changedSince(source, '2027-01-01T00:00:00Z');
    expect(github.counted).toEqual(['GET /orgs/acme/repos', 'GET /orgs/acme/repos']);
  });

  it('are found when they were pushed to, edited, added or hidden', async () => {
    const source = open({ token, organizations: ['acme'] });
    await listed(source);
    const since = '2026-06-01T00:00:00Z';
    const [shop, front] = github.company.repositories;
    if (shop) shop.pushedAt = '2026-07-01T00:00:00Z';
    if (front) front.updatedAt = '2026-07-01T00:00:00Z';
    expect((await changedSince(source, since)).toSorted()).toEqual(['acme/front', 'acme/shop']);
    const added = repository('acme/new', { pushedAt: since, updatedAt: since });
    github.company.repositories.push(added);
    await expect(changedSince(source, since)).rejects.toMatchObject({ code: 'conflict' });
    await listed(source);
    added.visibility = 'public';
    await expect(changedSince(source, since)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('are not taken for all where some came or went meanwhile', async () => {
    github.company.repositories.push(...Array.from({ length: 150 }, (_, index) => repository(`acme/many-${index}`)));
    github.installed = ['acme'];
    for (const keys of [{ token }, { token, organizations: ['acme'] }, { app }]) {
      const source = open(keys);
      const reading = (async () => {
        for await (const page of source.list(signal)) if (page.length === 100) github.company.repositories.splice(7, 1);
      })();
      await expect(reading).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('came or went'),
      });
    }
  });

  it('are those of organisations, of users, and of searches, each once', async () => {
    const keys = { token, organizations: ['acme'], users: ['person-7'], searches: ['topic:service'] };
    github.company.repositories.push(repository('person-7/site', { visibility: 'public' }));
    const paths = (await listed(open(keys))).map(({ path }) => path);
    expect(paths.filter((path) => !path.startsWith('acme/'))).toEqual(['person-7/site']);
    expect(paths.filter((path) => path === 'acme/open')).toHaveLength(1);
    expect((await listed(open({ token, searches: ['topic:service'] }))).map(({ path }) => path)).toEqual(['acme/open']);
  });

  it('are refused where a search finds more than GitHub tells, or did not end', async () => {
    const body = (more: object) => ({ total_count: 1001, incomplete_results: false, items: [], ...more });
    github.instead = (path) => (path.startsWith('/search') ? { status: 200, body: body({}) } : undefined);
    const source = open({ token, searches: ['topic:x'] });
    await expect(listed(source)).rejects.toThrow('finds 1001 repositories, and GitHub tells 1000; split it');
    github.instead = () => ({ status: 200, body: body({ total_count: 0, incomplete_results: true }) });
    await expect(listed(source)).rejects.toThrow('did not finish the search topic:x');
  });

  it('are empty while nothing was pushed, and not while GitHub has not measured them', async () => {
    github.company.repositories.push(
      repository('acme/empty', { size: 0, pushedAt: '2026-01-01T00:00:00Z' }),
      repository('acme/tiny', { size: 0 }),
    );
    const all = await listed(open());
    expect(all.filter(({ isEmpty }) => isEmpty).map(({ path }) => path)).toEqual(['acme/empty']);
  });

  it('wait for what GitHub wants, and are not asked for by people who wait', async () => {
    const source = open();
    await listed(source);
    github.instead = () => ({
      status: 403,
      headers: { 'retry-after': '900' },
      body: { message: 'You have exceeded a secondary rate limit.' },
    });
    const asked = source.readable({ id: '6', login: 'person-6' }, signal);
    await expect(asked).rejects.toMatchObject({ code: 'exhausted', retryAfterSeconds: 900 });
    const rateLimited = { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] };
    const other = open();
    github.instead = (path) => (path === '/graphql' ? { status: 200, body: rateLimited } : undefined);
    await expect(listed(other)).rejects.toMatchObject({ code: 'exhausted' });
  });
});

describe('a GitHub App', () => {
  it('reads what it is installed for, with a token of its own for each', async () => {
    github.installed = ['acme', 'person-7'];
    const source = open({ app });
    const all = await listed(source);
    expect(all.map(({ path }) => path).toSorted()).toEqual(
      github.company.repositories.map(({ owner, name }) => `${owner}/${name}`).toSorted(),
    );
    for (const { login } of github.company.people)
      expect((await readable(source, all, login)).toSorted()).toEqual(readableBy(login, github.company).toSorted());
    const logins = await Promise.all(
      ['acme/shop', 'person-7/own'].map((path) => source.login({ ...all[0], path } as HostRepository, signal)),
    );
    expect(new Set(logins.map((login) => login?.password)).size).toBe(2);
    const only = open({ app, organizations: ['Acme'] });
    expect((await listed(only)).every(({ path }) => path.startsWith('acme/'))).toBe(true);
    const elsewhere = open({ app, organizations: ['umbrella'] });
    await expect(listed(elsewhere)).rejects.toThrow('the GitHub App is not installed for umbrella');
  });

  it('gets a new token before the old one ends, and keeps it otherwise', async () => {
    github.installed = ['acme'];
    const tokensMade = () => github.asked.filter((each) => each.endsWith('/access_tokens')).length;
    const lasting = open({ app });
    await listed(lasting);
    await listed(lasting);
    expect(tokensMade()).toBe(1);
    github.tokenSeconds = 60;
    const source = open({ app });
    await listed(source);
    const made = tokensMade();
    await listed(source);
    expect(tokensMade()).toBeGreaterThan(made);
  });

  it('looks again where it is installed after a message', async () => {
    github.installed = ['acme'];
    const source = open({ app });
    await listed(source);
    github.installed.push('person-7');
    expect((await listed(source)).some(({ path }) => path === 'person-7/own')).toBe(false);
    expect(source.readMessage(await message('installation', exampleOf('installation')))?.kind).toBe('repositories');
    expect((await listed(source)).some(({ path }) => path === 'person-7/own')).toBe(true);
  });
});

describe('what a token is good for', () => {
  it('is asked with one request, and told', async () => {
    expect(await open().check(signal)).toEqual({ account: 'person-1', problems: [] });
    expect(github.asked).toEqual(['GET /user']);
    github.scopes = 'read:org';
    expect((await open({ token, organizations: ['acme'] }).check(signal)).problems).toEqual([
      'the token has no scope repo: it sees public repositories only',
      'the token has no scope admin:org: it cannot tell what members may read without a team',
    ]);
    github.scopes = undefined;
    expect((await open().check(signal)).problems).toEqual([]);
    expect(await open({ app }).check(signal)).toEqual({ account: 'sextant[bot]', problems: [] });
    github.appPermissions = { metadata: 'read', contents: 'read' };
    expect((await open({ app }).check(signal)).problems).toEqual([
      'the app has no permission members: read: it cannot tell who is in a team',
      'the app has no permission organization_administration: read: it cannot tell what members may read without a team',
    ]);
  });

  it('is either a personal token or an app', () => {
    for (const keys of [{}, { token, app }, { app: { id: 1, privateKey: 'no key' } }])
      expect(githubConfig.safeParse(keys).success).toBe(false);
    expect(githubConfig.parse({ token }).url).toBe('https://github.com');
  });
});

describe('the messages of GitHub', () => {
  it.each([
    ['push', 'pushed'],
    ['create', 'pushed'],
    ['delete', 'pushed'],
    ['repository', 'repositories'],
    ['public', 'repositories'],
    ['installation', 'repositories'],
    ['installation_repositories', 'repositories'],
    ['member', 'access'],
    ['membership', 'access'],
    ['organization', 'access'],
    ['team', 'access'],
    ['team_add', 'access'],
    ['ping', 'other'],
    ['star', 'other'],
  ])('of the kind %s mean %s', async (event, kind) => {
    const source = open();
    const payloads = examples.find(({ name }) => name === event)?.examples ?? [];
    expect(payloads.length).toBeGreaterThan(0);
    for (const payload of payloads) expect(source.readMessage(await message(event, payload))?.kind).toBe(kind);
  });

  it('count for nothing without a signature of SHA-256, or without a secret', async () => {
    const { body, headers } = await message('push', exampleOf('push'));
    const signature = headers.get('x-hub-signature-256') ?? '';
    for (const given of ['', signature.replace('sha256=', ''), signature.replace('sha256=', 'sha1='), `${signature}0`])
      expect(open().readMessage({ body, headers: new Headers({ 'x-hub-signature-256': given }) })).toBeUndefined();
    expect(open({ token, webhookSecret: undefined }).readMessage({ body, headers })).toBeUndefined();
  });
});

describe('what GitHub answered when it was recorded', () => {
  it('is read as a repository', () => {
    const { repositories } = pageOfRepositories.parse([recorded.repository]);
    expect(repositories.map((each) => hostRepository(each, false))).toEqual([
      {
        id: '103703892',
        path: 'octokit-fixture-org/hello-world',
        cloneURL: 'https://github.com/octokit-fixture-org/hello-world.git',
        sshURL: 'git@github.com:octokit-fixture-org/hello-world.git',
        description: '',
        defaultBranch: 'master',
        visibility: 'public',
        isArchived: false,
        isFork: false,
        // Although it says that its size is 0.
        isEmpty: false,
        topics: ['fixtures', 'hello', 'hello-world'],
        stars: 0,
        pushed: '2017-11-03T20:11:46.000Z',
        changed: '2017-11-03T20:11:46.000Z',
      },
    ]);
  });

  it('is read as an organisation', () => {
    expect(organization.parse(recorded.organization)).toMatchObject({ default_repository_permission: 'read' });
  });
});
