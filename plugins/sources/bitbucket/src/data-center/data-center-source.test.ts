import { createHmac } from 'node:crypto';
import { sourceConformance } from '@sextant/contracts/testing';
import type { HostRepository, RepositorySource, SourcePermissions } from '@sextant/contracts';
import { silentLogger } from '@sextant/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bitbucketConfig } from '../config.ts';
import { dataCenterRepository, readableBy, startDataCenter, token } from '../testing/data-center.ts';
import type { TestDataCenter } from '../testing/data-center.ts';
import { DataCenterSource } from './data-center-source.ts';

const { signal } = new AbortController();
const webhookSecret = 'only-for-tests-0123456789';

let host: TestDataCenter;
beforeEach(async () => {
  host = await startDataCenter();
});
afterEach(() => host[Symbol.asyncDispose]());

const open = (keys: object = {}, permissions: SourcePermissions = 'sync'): RepositorySource =>
  new DataCenterSource(bitbucketConfig.parse({ url: host.url, token, webhookSecret, ...keys }), {
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
  return paths;
}

async function readable(source: RepositorySource, all: readonly HostRepository[], name: string): Promise<string[]> {
  const account = await source.account({ issuer: host.url, subject: name }, signal);
  const { whole, ids } = account ? await source.readable(account, signal) : { whole: [], ids: [] };
  return all.filter(({ id, visibility }) => whole.includes(visibility) || ids.includes(id)).map(({ path }) => path);
}

describe('source-bitbucket conforms to RepositorySource at a Data Center', () => {
  it.each(sourceConformance)('$name', async ({ run }) => {
    const wrong = 'BBDC-wrong000000000000000';
    await run({
      source: open(),
      withWrongToken: { token: wrong, source: open({ token: wrong }) },
      paths: host.repositories.map(({ project, slug }) => `${project}/${slug}`),
      person: {
        identity: { issuer: host.url, subject: 'carol' },
        email: 'carol@example.com',
        readable: readableBy('carol', host),
      },
      pushTo(id) {
        const payload = { eventKey: 'repo:refs_changed', repository: { id: Number(id), slug: 'cart' } };
        const body = new TextEncoder().encode(JSON.stringify(payload));
        const signature = `sha256=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`;
        return { body, headers: new Headers({ 'x-event-key': 'repo:refs_changed', 'x-hub-signature': signature }) };
      },
    });
  });
});

describe('who may read what at a Data Center', () => {
  it('is what projects and repositories permit to people, groups and everyone', async () => {
    const source = open();
    const all = await listed(source);
    for (const { name } of host.people)
      expect({ name, paths: await readable(source, all, name) }).toEqual({ name, paths: readableBy(name, host) });
    // What the rules are about, so that the test does not agree with nothing.
    expect(readableBy('ann', host)).toEqual(expect.arrayContaining(['SHOP/cart', 'SHOP/kit', 'WIKI/pages']));
    expect(readableBy('bob', host)).toEqual(['SHOP/kit', 'SHOP/front', 'OPEN/docs', 'WIKI/pages', '~BOB/notes']);
    expect(readableBy('carol', host)).toContain('~BOB/notes');
    expect(readableBy('carola', host)).toEqual([]);
  });

  it('loses who left a group at once, and who lost a grant with the next complete list', async () => {
    const source = open();
    const all = await listed(source);
    host.people[1]?.groups.splice(0);
    expect(await readable(source, all, 'ann')).toEqual(['SHOP/front', 'OPEN/docs', 'WIKI/pages']);
    host.repositories[1]?.users.splice(0);
    expect(await readable(source, all, 'bob')).toContain('SHOP/kit');
    await listed(source);
    expect(await readable(source, all, 'bob')).not.toContain('SHOP/kit');
  });

  it('is as old as the list of grants', async () => {
    const source = open();
    const before = Date.now();
    await listed(source);
    const after = Date.now();
    const { asOf = 0 } = await source.readable({ id: '2', login: 'ann' }, signal);
    expect(asOf).toBeGreaterThanOrEqual(before);
    expect(asOf).toBeLessThanOrEqual(after);
  });

  it('is nothing for accounts that are inactive, without a licence or of another name, and unknown before a list', async () => {
    const source = open();
    await expect(source.readable({ id: '2', login: 'ann' }, signal)).rejects.toMatchObject({ code: 'unavailable' });
    await listed(source);
    for (const account of [
      { id: '5', login: 'carola' },
      { id: '5', login: 'carol' },
    ])
      expect(await source.readable(account, signal)).toEqual({ whole: [], ids: [] });
    Object.assign(host.people[1] ?? {}, { isActive: false });
    expect(await source.readable({ id: '2', login: 'ann' }, signal)).toEqual({ whole: [], ids: [] });
    host.isAdministrator = false;
    await expect(source.readable({ id: '3', login: 'bob' }, signal)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('is for accounts only where public access is switched off', async () => {
    host.hasPublicAccess = false;
    const kinds = (await listed(open())).map(({ path, visibility }) => [path, visibility]);
    expect(Object.fromEntries(kinds)).toMatchObject({ 'OPEN/docs': 'internal', 'SHOP/cart': 'private' });
  });

  it('costs two requests a repository that is closed, four a project, and two a person', async () => {
    host.repositories.splice(0);
    host.repositories.push(...Array.from({ length: 120 }, (_, at) => dataCenterRepository(`SHOP/many-${at}`)));
    const source = open();
    await listed(source);
    expect(host.asked).toHaveLength(3 + 4 + 240);
    host.asked.splice(0);
    await source.readable({ id: '2', login: 'ann' }, signal);
    expect(host.asked).toHaveLength(2);
    await listed(open({}, 'none'));
    expect(host.asked).toHaveLength(5);
  });
});

describe('the repositories of a Data Center', () => {
  it('are described as it describes them', async () => {
    const found = Object.fromEntries((await listed(open())).map((each) => [each.path, each]));
    expect(found['SHOP/cart']).toMatchObject({
      cloneURL: `${host.url}/scm/shop/cart.git`,
      sshURL: 'ssh://git@127.0.0.1:7999/shop/cart.git',
      description: 'My repo description',
      visibility: 'private',
    });
    expect(found['SHOP/front']).toMatchObject({ visibility: 'public', isArchived: true });
    expect(found['OPEN/docs']?.visibility).toBe('public');
    expect(found['WIKI/pages']?.visibility).toBe('internal');
    expect(found['~BOB/notes']?.isFork).toBe(true);
  });

  it('may be those of some projects, and come in as many pages as it wants', async () => {
    host.mostAtOnce = 2;
    expect(await listed(open())).toHaveLength(6);
    const paths = (await listed(open({ projects: ['wiki', 'SHOP'] }))).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(['SHOP/cart', 'SHOP/front', 'SHOP/kit', 'WIKI/pages']);
  });

  it('are not taken for all where the next page cannot be asked for', async () => {
    host.mostAtOnce = 2;
    host.hidesNextPage = true;
    await expect(listed(open())).rejects.toThrow('a list of /api/latest/repos does not say where its next page begins');
  });

  it('are not taken for all where one went meanwhile', async () => {
    host.mostAtOnce = 2;
    let pages = 0;
    host.beforeList = () => {
      pages += 1;
      if (pages === 2) host.repositories.splice(0, 1);
    };
    await expect(listed(open())).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('may have changed each hour, and all are asked for when one came, went or became another', async () => {
    const source = open();
    const all = await listed(source);
    expect(await changedSince(source, new Date(0).toISOString())).toHaveLength(6);
    expect(await changedSince(source, '9999-01-01T00:00:00.000Z')).toEqual([]);
    for (const { changed } of all) expect(Date.now() - Date.parse(changed)).toBeLessThan(3_700_000);
    const [first] = host.repositories;
    if (first) first.slug = 'basket';
    await expect(changedSince(source, '9999-01-01T00:00:00.000Z')).rejects.toMatchObject({ code: 'conflict' });
    await listed(source);
    host.repositories.pop();
    await expect(changedSince(source, '9999-01-01T00:00:00.000Z')).rejects.toMatchObject({ code: 'conflict' });
  });
});

it('is told what its token is not good for, and clones with it', async () => {
  expect((await open().check(signal)).problems).toEqual([]);
  host.isAdministrator = false;
  expect((await open({}, 'none').check(signal)).problems).toEqual([]);
  expect((await open().check(signal)).problems).toEqual([
    expect.stringMatching(/^the token cannot tell what others may read: it must be of an administrator of 127/),
  ]);
  const [repository] = await listed(open({}, 'none'));
  const loginOf = async (keys: object) => repository && open(keys).login(repository, signal);
  expect(await loginOf({})).toEqual({ username: 'x-token-auth', password: token });
  expect(await loginOf({ username: 'root' })).toEqual({ username: 'root', password: token });
});
