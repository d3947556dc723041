import { sourceConformance } from '@sextant/contracts/testing';
import type { SourceFixture } from '@sextant/contracts/testing';
import type { HostMessage, HostRepository, RepositorySource, SourcePermissions } from '@sextant/contracts';
import { silentLogger } from '@sextant/core';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hostRepository, pageOfProjects } from './answers.ts';
import { gitlabConfig } from './config.ts';
import { GitLabSource } from './gitlab-source.ts';
import { company, person, project, readableBy, roles } from './testing/company.ts';
import { startGitLab, token } from './testing/gitlab.ts';
import type { TestGitLab } from './testing/gitlab.ts';
import answers from './testing/golden/answers.json' with { type: 'json' };

const { signal } = new AbortController();
const secretToken = 'only-for-tests-0123456789';
const signingToken = `whsec_${Buffer.from('only for tests, and 32 bytes long').toString('base64')}`;

let gitlab: TestGitLab;
beforeEach(async () => {
  gitlab = await startGitLab(company());
});
afterEach(() => gitlab[Symbol.asyncDispose]());

const open = (keys: object = {}, permissions: SourcePermissions = 'sync'): RepositorySource =>
  new GitLabSource(gitlabConfig.parse({ url: gitlab.url, token, webhookSecret: signingToken, ...keys }), {
    log: silentLogger,
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
  return paths.toSorted();
}

/** Paths of what a person reads, of those that were listed. */
async function readable(source: RepositorySource, all: readonly HostRepository[], username: string): Promise<string[]> {
  const subject = String(gitlab.company.people.find((each) => each.username === username)?.id);
  const account = await source.account({ issuer: gitlab.url, subject }, signal);
  const { whole, ids } = account ? await source.readable(account, signal) : { whole: [], ids: [] };
  return all.filter(({ id, visibility }) => whole.includes(visibility) || ids.includes(id)).map(({ path }) => path);
}

/** Signed by the library of Standard Webhooks. */
function signed(payload: object, at = new Date()): HostMessage {
  const body = JSON.stringify(payload);
  const headers = new Headers({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(signingToken).sign('msg_1', at, body),
  });
  return { headers, body: new TextEncoder().encode(body) };
}

const withToken = (payload: object, secret: string): HostMessage => ({
  headers: new Headers({ 'x-gitlab-token': secret }),
  body: new TextEncoder().encode(JSON.stringify(payload)),
});

describe('source-gitlab conforms to RepositorySource', () => {
  it.each(sourceConformance)('$name', async ({ run }) => {
    const wrong = 'glpat-wrong000000000000000';
    const fixture: SourceFixture = {
      source: open(),
      withWrongToken: { token: wrong, source: open({ token: wrong }) },
      paths: gitlab.company.projects.map(({ path }) => path),
      person: {
        identity: { issuer: gitlab.url, subject: '4' },
        email: 'carol@example.com',
        readable: readableBy('carol', gitlab.company),
      },
      pushTo: (id) => signed({ object_kind: 'push', event_name: 'push', project_id: Number(id) }),
    };
    await run(fixture);
  });
});

describe('who may read what', () => {
  it('is what GitLab shows each account of the code', async () => {
    const source = open();
    const all = await listed(source);
    const reads = new Map<string, string[]>();
    for (const { username } of gitlab.company.people)
      reads.set(username, (await readable(source, all, username)).toSorted());
    for (const [username, paths] of reads)
      expect({ username, paths }).toEqual({ username, paths: readableBy(username, gitlab.company).toSorted() });
    // What the rules are about, so that the test does not agree with nothing.
    expect(reads.get('ann')).toContain('acme/web/front');
    expect(reads.get('dave')).toContain('acme/web/front');
    expect(reads.get('bob')).toEqual(expect.arrayContaining(['acme/members', 'acme/inside']));
    expect(reads.get('bob')).not.toContain('acme/shop');
    expect(reads.get('bob')).not.toContain('acme/web/front');
    expect(reads.get('carol')).not.toContain('acme/members');
    expect(reads.get('erin')).toEqual(['acme/inside', 'acme/notes', 'acme/open']);
    expect([...reads.values()].flat()).not.toContain('acme/issues');
    expect(reads.get('frank')).toEqual([]);
  });

  it('is asked with each question, so that who was removed loses access at once', async () => {
    const source = open();
    const all = await listed(source);
    expect(await readable(source, all, 'carol')).toContain('acme/web/front');
    delete gitlab.company.groups[1]?.members['carol'];
    expect(await readable(source, all, 'carol')).not.toContain('acme/web/front');
  });

  it('costs a request for each hundred, also of each open kind of which the code is for members somewhere', async () => {
    const source = open();
    gitlab.company.projects.push(...Array.from({ length: 250 }, (_, index) => project(`gil/many-${index}`)));
    const all = await listed(source);
    gitlab.asked.splice(0);
    expect((await readable(source, all, 'gil')).filter((path) => path.startsWith('gil/'))).toHaveLength(251);
    expect(gitlab.asked.filter((each) => each === 'GET /projects as 8')).toHaveLength(5);
  });

  it('is nothing where the token cannot tell', async () => {
    const source = open();
    await listed(source);
    gitlab.scopes = ['read_api', 'read_repository'];
    const account = { id: '4', login: 'carol' };
    await expect(source.readable(account, signal)).rejects.toMatchObject({ code: 'forbidden' });
    gitlab.scopes = ['api', 'sudo'];
    gitlab.owner = 'ann';
    await expect(source.readable(account, signal)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is nothing for accounts that are blocked, renamed or gone, and unknown before the first list', async () => {
    const source = open();
    const account = { id: '4', login: 'carol' };
    await expect(source.readable(account, signal)).rejects.toMatchObject({ code: 'unavailable' });
    await listed(source);
    expect((await source.readable(account, signal)).ids.length).toBeGreaterThan(0);
    const carol = gitlab.company.people[3] ?? person(0, '');
    for (const facts of [{ state: 'deactivated' as const }, { username: 'caroline' }]) {
      gitlab.company.people[3] = { ...carol, ...facts };
      expect(await source.readable(account, signal)).toEqual({ whole: [], ids: [] });
    }
    gitlab.company.people.splice(3, 1);
    expect(await source.readable(account, signal)).toEqual({ whole: [], ids: [] });
  });

  it('does not follow an address that nobody confirmed, or that two accounts have', async () => {
    const source = open();
    gitlab.company.people[3] = person(4, 'carol', { isConfirmed: false });
    expect(await source.accountOfEmail('carol@example.com', signal)).toBeUndefined();
    gitlab.company.people.push(person(9, 'dave2', { email: 'dave@example.com' }));
    expect(await source.accountOfEmail('dave@example.com', signal)).toBeUndefined();
  });

  it('follows a project that became private, or whose code did', async () => {
    const source = open();
    await listed(source);
    const [, , opened, handbook] = gitlab.company.projects;
    if (opened) Object.assign(opened, { repository: 'private', updatedAt: '2026-07-01T00:00:00.000Z' });
    if (handbook) Object.assign(handbook, { visibility: 'private', updatedAt: '2026-07-01T00:00:00.000Z' });
    expect(await changedSince(source, '2026-06-01T00:00:00Z')).toEqual(['acme/handbook', 'acme/open']);
    const { ids } = await source.readable({ id: '3', login: 'bob' }, signal);
    expect(ids).toContain(String(opened?.id));
    expect(ids).not.toContain(String(handbook?.id));
  });
});

describe('the projects of a GitLab', () => {
  it('are described as it describes them', async () => {
    const all = await listed(open());
    const found = Object.fromEntries(all.map((each) => [each.path, each]));
    expect(found['acme/web/front']).toMatchObject({
      cloneURL: `${gitlab.url}/acme/web/front.git`,
      sshURL: 'git@127.0.0.1:acme/web/front.git',
      description: 'An example.',
      defaultBranch: 'main',
      visibility: 'private',
      topics: ['service'],
      stars: 3,
      pushed: expect.stringMatching(/^20.*Z$/),
    });
    expect(found['partners/deep/core']).toMatchObject({ isFork: true, isArchived: true, isEmpty: false });
    // Nobody but members, and nobody at all, may read their code.
    expect(found['acme/members']).toMatchObject({ visibility: 'private', isEmpty: false });
    expect(found['acme/issues']).toMatchObject({ visibility: 'private', isEmpty: true });
  });

  it('are those of groups with their subgroups, and of users, each once', async () => {
    const paths = async (keys: object) => (await listed(open(keys))).map(({ path }) => path).toSorted();
    const all = gitlab.company.projects.map(({ path }) => path).toSorted();
    expect(await paths({ groups: ['acme/web'], users: ['gil'] })).toEqual(['acme/web/front', 'gil/own']);
    expect(await paths({ groups: ['acme', 'acme/web', 'partners'], users: ['gil'] })).toEqual(all);
    await expect(paths({ groups: ['umbrella'] })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('cost a request for each hundred, and are read by id', async () => {
    gitlab.company.projects.push(...Array.from({ length: 250 }, (_, index) => project(`acme/many-${index}`)));
    expect(await listed(open())).toHaveLength(262);
    expect(gitlab.asked).toEqual(['GET /projects', 'GET /projects', 'GET /projects']);
  });

  it.each([10_000, 100])('of a group are not taken for all where one went meanwhile (%i are counted)', async (most) => {
    gitlab.mostCounted = most;
    gitlab.company.projects.push(...Array.from({ length: 150 }, (_, index) => project(`acme/many-${index}`)));
    const source = open({ groups: ['acme'] });
    expect(await listed(source)).toHaveLength(159);
    const reading = (async () => {
      for await (const page of source.list(signal)) if (page.length === 100) gitlab.company.projects.splice(1, 1);
    })();
    await expect(reading).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('came or went'),
    });
  });

  it('are found when they were pushed to or added, and all are asked for when one went', async () => {
    for (const keys of [{}, { groups: ['acme'] }]) {
      const source = open(keys);
      await listed(source);
      const added = project('acme/new', { updatedAt: '2026-07-01T00:00:00.000Z' });
      gitlab.company.projects.push(added);
      expect(await changedSince(source, '2026-06-01T00:00:00Z')).toEqual(['acme/new']);
      expect(await changedSince(source, '2026-08-01T00:00:00Z')).toEqual([]);
      gitlab.company.projects.pop();
      await expect(changedSince(source, '2026-08-01T00:00:00Z')).rejects.toMatchObject({ code: 'conflict' });
    }
  });

  it('may have changed at every look within five minutes of a push, of which GitLab notes the first', () => {
    const [given] = pageOfProjects.parse([{ ...answers.project, updated_at: '2026-07-01T12:00:00.000Z' }]);
    const seenAt = (time: string) => given && hostRepository(given, Date.parse(`2026-07-01T${time}Z`)).changed;
    expect(['12:01:00', '12:04:59', '12:05:00', '13:00:00', '11:59:00'].map(seenAt)).toEqual([
      '2026-07-01T12:01:00.000Z',
      '2026-07-01T12:04:59.000Z',
      '2026-07-01T12:00:00.000Z',
      '2026-07-01T12:00:00.000Z',
      '2026-07-01T12:00:00.000Z',
    ]);
  });

  it('count as closed where it is not said who may read the code', () => {
    const { repository_access_level: _level, ...silent } = answers.project;
    for (const given of [silent, { ...silent, repository_access_level: 'friends' }])
      expect(pageOfProjects.parse([given]).map((each) => hostRepository(each, 0).visibility)).toEqual(['private']);
  });

  it('wait for what GitLab wants, and are not asked for by people who wait', async () => {
    const source = open();
    await listed(source);
    gitlab.instead = () => ({ status: 429, headers: { 'retry-after': '900' }, body: { message: 'Retry later' } });
    const asked = source.readable({ id: '4', login: 'carol' }, signal);
    await expect(asked).rejects.toMatchObject({ code: 'exhausted', retryAfterSeconds: 900 });
  });
});

describe('what a token is good for', () => {
  it('is asked, and told', async () => {
    expect(await open().check(signal)).toEqual({ account: 'root', problems: [] });
    expect(gitlab.asked).toEqual(['GET /user', 'GET /personal_access_tokens/self']);
    gitlab.scopes = ['read_user'];
    expect((await open({}, 'none').check(signal)).problems).toEqual([
      'the token has no scope read_api: it cannot list projects',
      'the token has no scope read_repository: it clones public projects only',
    ]);
    gitlab.scopes = ['api', 'sudo'];
    gitlab.owner = 'ann';
    expect((await open({}, 'none').check(signal)).problems).toEqual([]);
    expect((await open().check(signal)).problems).toEqual([
      expect.stringMatching(/^the token cannot tell what others may read: ann must be an administrator of 127/),
    ]);
  });

  it('has an address, groups and a secret that are checked', () => {
    expect(gitlabConfig.parse({ token })).toMatchObject({ url: 'https://gitlab.com', groups: [], users: [] });
    for (const keys of [
      { url: 'https://me@gitlab.example.com' },
      { groups: ['/acme'] },
      { users: ['acme/web'] },
      { webhookSecret: 'short' },
      { webhookSecret: 'whsec_that is no key in base64, is it' },
    ])
      expect(gitlabConfig.safeParse({ token, ...keys }).success).toBe(false);
  });
});

describe('the messages of GitLab', () => {
  const push = { object_kind: 'push', event_name: 'push', project_id: 42 };

  it.each([
    // Of webhooks of projects and groups, as the page on webhook events has them.
    [{ object_kind: 'push', project_id: 42 }, 'pushed'],
    [{ object_kind: 'tag_push', event_name: 'tag_push', project_id: 42 }, 'pushed'],
    [{ object_kind: 'issue', project: { id: 42 } }, 'other'],
    [{ event_name: 'user_add_to_group', group_id: 10, user_id: 3, group_access: 'Guest' }, 'access'],
    [{ event_name: 'user_update_for_group', group_id: 10, user_id: 3 }, 'access'],
    [{ event_name: 'user_remove_from_group', group_id: 10, user_id: 3 }, 'access'],
    [{ event_name: 'subgroup_create', group_id: 11, parent_group_id: 10 }, 'repositories'],
    [{ event_name: 'subgroup_destroy', group_id: 11, parent_group_id: 10 }, 'repositories'],
    // Of system hooks.
    [{ event_name: 'repository_update', project_id: 42, changes: [], refs: [] }, 'pushed'],
    [{ event_name: 'project_create', project_id: 42 }, 'repositories'],
    [{ event_name: 'project_destroy', project_id: 42 }, 'repositories'],
    [{ event_name: 'project_rename', project_id: 42 }, 'repositories'],
    [{ event_name: 'project_transfer', project_id: 42 }, 'repositories'],
    [{ event_name: 'project_update', project_id: 42 }, 'repositories'],
    [{ event_name: 'group_rename', group_id: 10 }, 'repositories'],
    [{ event_name: 'group_destroy', group_id: 10 }, 'repositories'],
    [{ event_name: 'user_rename', user_id: 3, username: 'rob', old_username: 'bob' }, 'repositories'],
    [{ event_name: 'user_add_to_team', project_id: 42, user_id: 3 }, 'access'],
    [{ event_name: 'user_remove_from_team', project_id: 42, user_id: 3 }, 'access'],
    [{ event_name: 'user_update_for_team', project_id: 42, user_id: 3 }, 'access'],
    [{ event_name: 'user_destroy', user_id: 3 }, 'access'],
    [{ event_name: 'user_access_request_to_group', group_id: 10 }, 'other'],
    [{ event_name: 'key_create', id: 4 }, 'other'],
  ])('such as %o mean %s', (payload, kind) => {
    expect(open().readMessage(signed(payload))?.kind).toBe(kind);
  });

  it('are believed with the secret token, in full and not in part', () => {
    const source = open({ webhookSecret: secretToken });
    expect(source.readMessage(withToken(push, secretToken))).toEqual({ kind: 'pushed', repositoryId: '42' });
    for (const wrong of ['', secretToken.slice(1), `${secretToken}0`, secretToken.toUpperCase()])
      expect(source.readMessage(withToken(push, wrong))).toBeUndefined();
    expect(source.readMessage(signed(push))).toBeUndefined();
    expect(open({ webhookSecret: undefined }).readMessage(withToken(push, secretToken))).toBeUndefined();
  });

  it('are believed for five minutes, by the clock of either', () => {
    const source = open();
    const message = signed(push, new Date('2026-07-01T12:00:00Z'));
    vi.useFakeTimers({ toFake: ['Date'] });
    const kindAt = (time: string) => {
      vi.setSystemTime(new Date(`2026-07-01T${time}Z`));
      return source.readMessage(message)?.kind;
    };
    const kinds = ['11:54:59', '11:55:00', '12:00:00', '12:05:00', '12:05:01'].map(kindAt);
    vi.useRealTimers();
    expect(kinds).toEqual([undefined, 'pushed', 'pushed', 'pushed', undefined]);
  });

  it('are believed with one good signature of several, and not with the signing token itself', () => {
    const source = open();
    expect(source.readMessage(withToken(push, signingToken))).toBeUndefined();
    const { headers, body } = signed(push);
    const several = new Headers(headers);
    several.set('webhook-signature', `v1,AAAA ${headers.get('webhook-signature')}`);
    expect(source.readMessage({ headers: several, body })?.kind).toBe('pushed');
    several.set('webhook-id', 'msg_2');
    expect(source.readMessage({ headers: several, body })).toBeUndefined();
  });
});

it('asks three times what somebody reads who is in three of fifty groups with 2,000 projects', async () => {
  const who = person(1000, 'person');
  const groups = Array.from({ length: 50 }, (_, index) => ({
    id: 100 + index,
    path: `group-${index}`,
    members: index < 3 ? { [who.username]: roles.developer } : {},
    invited: [],
  }));
  gitlab.company.groups.push(...groups);
  gitlab.company.people.push(who);
  gitlab.company.projects.splice(0);
  gitlab.company.projects.push(...Array.from({ length: 2000 }, (_, at) => project(`group-${at % 50}/project-${at}`)));
  const source = open();
  expect(await listed(source)).toHaveLength(2000);
  expect(gitlab.asked).toHaveLength(20);
  gitlab.asked.splice(0);
  const { ids } = await source.readable({ id: String(who.id), login: who.username }, signal);
  expect(ids).toHaveLength(120);
  expect(gitlab.asked).toEqual(['GET /users/1000', 'GET /projects as 1000', 'GET /projects as 1000']);
});
