import { createHmac } from 'node:crypto';
import { sourceConformance } from '@sextant/contracts/testing';
import type { HostMessage, HostRepository, RepositorySource, SourcePermissions } from '@sextant/contracts';
import { silentLogger } from '@sextant/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bitbucketConfig } from '../config.ts';
import { withoutBraces } from '../messages.ts';
import { cloudPerson, cloudRepository, consumer, startCloud, token } from '../testing/cloud.ts';
import type { TestCloud } from '../testing/cloud.ts';
import { CloudSource } from './cloud-source.ts';

const { signal } = new AbortController();
const webhookSecret = 'only-for-tests-0123456789';

let cloud: TestCloud;
beforeEach(async () => {
  cloud = await startCloud();
});
afterEach(() => cloud[Symbol.asyncDispose]());

function open(keys: object = {}, permissions: SourcePermissions = 'sync'): RepositorySource {
  const own = 'consumer' in keys ? {} : { token };
  const config = bitbucketConfig.parse({ ...own, workspaces: ['acme', 'partners'], webhookSecret, ...keys });
  return new CloudSource(
    config,
    { log: silentLogger, permissions },
    {
      api: `${cloud.url}/2.0`,
      tokens: cloud.url,
    },
  );
}

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

async function readable(source: RepositorySource, subject: string): Promise<string[]> {
  const all = await listed(source);
  const account = await source.account({ issuer: 'https://bitbucket.org', subject }, signal);
  const { whole, ids } = account ? await source.readable(account, signal) : { whole: [], ids: [] };
  const read = all.filter(({ id, visibility }) => whole.includes(visibility) || ids.includes(id));
  return read.map(({ path }) => path).toSorted();
}

function signed(key: string, payload: object, secret = webhookSecret): HostMessage {
  const body = new TextEncoder().encode(JSON.stringify(payload));
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return { headers: new Headers({ 'x-event-key': key, 'x-hub-signature': signature }), body };
}

describe('source-bitbucket conforms to RepositorySource in the cloud', () => {
  it.each(sourceConformance)('$name', async ({ run }) => {
    const wrong = 'ATATT-wrong000000000000000';
    const [, , , carol] = cloud.people;
    await run({
      source: open(),
      withWrongToken: { token: wrong, source: open({ token: wrong }) },
      paths: cloud.repositories.map(({ workspace, slug }) => `${workspace}/${slug}`),
      person: {
        identity: { issuer: 'https://bitbucket.org', subject: carol?.accountId ?? '' },
        email: 'carol@example.com',
        readable: ['acme/open', 'acme/shop', 'partners/kit'],
      },
      pushTo: (id) => signed('repo:push', { repository: { uuid: `{${id}}` } }),
    });
  });
});

describe('who may read what in the cloud', () => {
  it('is what workspaces permit, directly or by groups, to accounts that are active', async () => {
    const source = open();
    expect(await readable(source, '557058:2')).toEqual(['acme/front', 'acme/open', 'acme/shop']);
    expect(await readable(source, '557058:3')).toEqual(['acme/open', 'partners/kit']);
    delete cloud.repositories[0]?.permissions['ann'];
    expect(await readable(source, '557058:2')).toEqual(['acme/front', 'acme/open']);
    Object.assign(cloud.people[1] ?? {}, { status: 'inactive' });
    expect(await readable(source, '557058:2')).toEqual([]);
  });

  it('costs one request a workspace and hundred repositories, and one for the account', async () => {
    cloud.repositories.push(
      ...Array.from({ length: 250 }, (_, at) => cloudRepository(`acme/many-${at}`, { permissions: { bob: 'read' } })),
    );
    const source = open();
    const account = { id: withoutBraces(cloud.people[2]?.uuid ?? ''), login: 'bob' };
    cloud.asked.splice(0);
    expect((await source.readable(account, signal)).ids).toHaveLength(251);
    expect(cloud.asked).toHaveLength(5);
  });

  it('is refused where the token cannot tell, and nobody gets what another has where the query does nothing', async () => {
    const source = open();
    const account = { id: withoutBraces(cloud.people[2]?.uuid ?? ''), login: 'bob' };
    cloud.instead = (path) =>
      path.includes('/permissions/')
        ? {
            status: 200,
            body: {
              values: [
                { permission: 'read', user: { uuid: '{another}' }, repository: { uuid: '{1}' } },
                { permission: 'none', user: { uuid: cloud.people[2]?.uuid }, repository: { uuid: '{2}' } },
              ],
            },
          }
        : undefined;
    expect(await source.readable(account, signal)).toEqual({ whole: ['public'], ids: [] });
    cloud.instead = undefined;
    cloud.isAdministrator = false;
    await expect(source.readable(account, signal)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('follows an address only where one account has it', async () => {
    const source = open();
    cloud.people.push({ ...cloudPerson(9, 'ann2'), email: 'ann@example.com' });
    expect(await source.accountOfEmail('ann@example.com', signal)).toBeUndefined();
    expect(await source.accountOfEmail('bob@example.com", "carol@example.com', signal)).toBeUndefined();
  });
});

describe('the repositories of workspaces', () => {
  it('are described as Bitbucket describes them', async () => {
    const found = Object.fromEntries((await listed(open())).map((each) => [each.path, each]));
    expect(found['acme/shop']).toMatchObject({
      id: withoutBraces(cloud.repositories[0]?.uuid ?? ''),
      cloneURL: 'https://bitbucket.org/acme/shop.git',
      sshURL: 'git@bitbucket.org:acme/shop.git',
      description: 'An example.',
      defaultBranch: 'main',
      visibility: 'private',
      isEmpty: false,
      isFork: false,
    });
    expect(found['acme/open']?.visibility).toBe('public');
    expect(found['partners/kit']?.isFork).toBe(true);
  });

  it('may be those of some projects', async () => {
    const paths = (await listed(open({ projects: ['WEB', 'OTHER'] }))).map(({ path }) => path);
    expect(paths).toEqual(['acme/front']);
    await expect(listed(open({ workspaces: ['umbrella'] }))).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each([true, false])('are not taken for all where one went meanwhile (sizes are told: %s)', async (hasSizes) => {
    cloud.hasSizes = hasSizes;
    cloud.repositories.push(...Array.from({ length: 150 }, (_, at) => cloudRepository(`acme/many-${at}`)));
    const source = open();
    expect(await listed(source)).toHaveLength(155);
    const reading = (async () => {
      for await (const page of source.list(signal)) if (page.length === 100) cloud.repositories.splice(1, 1);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('are found when they were pushed to or added, and all are asked for when one went or became private', async () => {
    const source = open();
    await listed(source);
    cloud.repositories.push(cloudRepository('acme/new', { updatedOn: '2026-07-01T00:00:00.000001+00:00' }));
    Object.assign(cloud.repositories[0] ?? {}, { updatedOn: '2026-07-02T00:00:00.000001+00:00' });
    expect(await changedSince(source, '2026-06-01T00:00:00.000Z')).toEqual(['acme/new', 'acme/shop']);
    expect(await changedSince(source, '2026-08-01T00:00:00.000Z')).toEqual([]);
    Object.assign(cloud.repositories[2] ?? {}, { isPrivate: true });
    await expect(changedSince(source, '2026-08-01T00:00:00.000Z')).rejects.toMatchObject({ code: 'conflict' });
    await listed(source);
    cloud.repositories.pop();
    await expect(changedSince(source, '2026-08-01T00:00:00.000Z')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('wait for what Bitbucket wants, and are not asked for by people who wait', async () => {
    const source = open();
    cloud.instead = () => ({ status: 429, headers: { 'retry-after': '900' }, body: {} });
    const asked = source.readable({ id: '1', login: 'root' }, signal);
    await expect(asked).rejects.toMatchObject({ code: 'exhausted', retryAfterSeconds: 900 });
  });
});

describe('who this server is in the cloud', () => {
  it('may be a person with an API token, the access token of a workspace, or an OAuth consumer', async () => {
    const [repository] = await listed(open());
    const loginOf = async (keys: object) => repository && open(keys).login(repository, signal);
    expect(await loginOf({})).toEqual({ username: 'x-token-auth', password: token });
    expect(await loginOf({ username: 'root@example.com' })).toEqual({
      username: 'x-bitbucket-api-token-auth',
      password: token,
    });
    expect(await loginOf({ consumer })).toEqual({
      username: 'x-token-auth',
      password: 'token-of-a-consumer-0123456789',
    });
    for (const keys of [{ username: 'root@example.com' }, { consumer }])
      expect(await listed(open(keys))).toHaveLength(5);
  });

  it('asks for the token of a consumer again when Bitbucket does not take it any more', async () => {
    const source = open({ consumer });
    await listed(source);
    const before = cloud.asked.filter((each) => each.startsWith('POST')).length;
    let isRefused = true;
    cloud.instead = () => (isRefused ? { status: 401, body: {} } : undefined);
    await expect(listed(source)).rejects.toMatchObject({ code: 'unauthenticated' });
    isRefused = false;
    await listed(source);
    expect(cloud.asked.filter((each) => each.startsWith('POST'))).toHaveLength(before + 1);
  });

  it('is told what its token is not good for', async () => {
    expect(await open().check(signal)).toEqual({ account: 'an access token of acme, partners', problems: [] });
    cloud.isAdministrator = false;
    expect((await open({}, 'none').check(signal)).problems).toEqual([]);
    expect((await open({ workspaces: ['acme', 'umbrella'] }).check(signal)).problems).toEqual([
      'the token cannot tell what others may read: it must be of an administrator of the workspace acme',
      'the token shows no workspace umbrella',
    ]);
  });

  it('is checked in the configuration', () => {
    expect(bitbucketConfig.parse({ token, workspaces: ['acme'] }).url).toBe('https://bitbucket.org');
    for (const keys of [
      { token },
      { workspaces: ['acme'] },
      { token, consumer, workspaces: ['acme'] },
      { token, workspaces: ['acme/shop'] },
      { url: 'https://git.example.com', workspaces: ['acme'], token },
      { url: 'https://git.example.com' },
      { url: 'https://git.example.com', token, consumer },
    ])
      expect(bitbucketConfig.safeParse(keys).success).toBe(false);
  });
});

describe('the messages of Bitbucket', () => {
  it.each([
    ['repo:push', 'pushed'],
    ['repo:created', 'repositories'],
    ['repo:deleted', 'repositories'],
    ['repo:updated', 'repositories'],
    ['repo:transfer', 'repositories'],
    ['repo:fork', 'repositories'],
    ['repo:imported', 'repositories'],
    ['project:updated', 'repositories'],
    ['repo:commit_comment_created', 'other'],
    ['pullrequest:created', 'other'],
    // Of Data Center.
    ['repo:modified', 'repositories'],
    ['repo:forked', 'repositories'],
    ['project:modified', 'repositories'],
    ['mirror:repo_synchronized', 'pushed'],
    ['diagnostics:ping', 'other'],
  ])('of the kind %s mean %s', (key, kind) => {
    const source = open();
    const payload = { repository: { uuid: '{42}', id: 42 } };
    expect(source.readMessage(signed(key, payload))?.kind).toBe(kind);
    expect(source.readMessage(signed(key, payload, 'another-secret-0123456789'))).toBeUndefined();
  });

  it('are not believed without a secret, and are refused where they name no repository', () => {
    const push = signed('repo:push', { repository: { uuid: '{42}' } });
    expect(open({ webhookSecret: undefined }).readMessage(push)).toBeUndefined();
    expect(() => open().readMessage(signed('repo:push', { repository: {} }))).toThrow('without a repository');
  });
});
