import { setTimeout } from 'node:timers/promises';
import { temporaryFolder } from '@sextant/contracts/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { servingServer } from './support/connected-server.ts';
import { giteaWithCompany } from './support/company.ts';
import type { GiteaWithCompany } from './support/company.ts';

const { signal } = new AbortController();

/** How long Gitea is away at least. The longest interval of the server ends within a minute or two. */
const outageMs = Number(process.env['OUTAGE_MINUTES'] ?? 0) * 60_000;
/** Between two tries of a host that was away for long: ten minutes and a tenth. */
const longestWaitMs = 700_000;

let running: GiteaWithCompany;

beforeAll(async () => {
  running = await giteaWithCompany({ repositories: 12, people: 5, teams: 3 });
});
afterAll(() => running?.[Symbol.asyncDispose]());

it(
  'loses nothing in an outage that is longer than every interval, and catches up by itself',
  async () => {
    const { gitea, company } = running;
    using own = temporaryFolder();
    const source = { pollSeconds: 1, refreshSeconds: 10, accessSeconds: 1, maxAccessAgeSeconds: 60 };
    const repository = (name: string) => ({ name, auto_init: true, default_branch: 'main' });
    await gitea.api('/orgs/acme/repos', { method: 'POST', body: repository('leaves') });
    const team = await gitea.api<{ id: number }>('/orgs/hidden/teams', {
      method: 'POST',
      body: {
        name: 'leavers',
        permission: 'read',
        includes_all_repositories: true,
        units_map: { 'repo.code': 'read' },
      },
    });
    await gitea.api(`/teams/${team.id}/members/person-3`, { method: 'PUT' });
    await using server = await servingServer({ folder: own.path, gitea, company, source });
    const host = new URL(gitea.url).host;
    const admin = await server.caller('admin');
    const head = async (name: string): Promise<string | undefined> => {
      const opened = await server.repositories.open(admin, `${host}/${name}`).catch(() => undefined);
      return opened?.resolve(undefined, signal).catch(() => undefined);
    };
    const all = [...company.repositories, 'acme/leaves'].toSorted();
    expect(await server.paths('admin')).toEqual(all);
    await expect.poll(() => server.paths('person-3')).toContain('hidden/repo-2');
    const before = new Map<string, string | undefined>();
    for (const name of all) before.set(name, await head(name));
    expect([...before.values()]).not.toContain(undefined);
    // The pauses between two tries grow.
    const pause = { timeout: longestWaitMs, interval: 500 };
    await gitea.stop();
    const untilLongEnough = setTimeout(outageMs);
    try {
      // The longest interval is the age of a list that still grants access.
      await expect.poll(() => server.paths('person-3'), pause).not.toContain('hidden/repo-2');
      await expect.poll(() => server.status()['sources']?.failures?.[0]?.reason, pause).toContain('cannot be reached');
      await untilLongEnough;
      expect(await server.paths('admin')).toEqual(all);
      for (const name of all) expect({ name, head: await head(name) }).toEqual({ name, head: before.get(name) });
    } finally {
      await gitea.startAgain();
    }
    await gitea.api('/repos/acme/leaves', { method: 'DELETE' });
    await gitea.api('/orgs/acme/repos', { method: 'POST', body: repository('comes') });
    await gitea.api(`/teams/${team.id}`, { method: 'DELETE' });
    const pushed = await gitea.api<{ commit: { sha: string } }>('/repos/acme/repo-6/contents/after.txt', {
      method: 'POST',
      body: { content: Buffer.from('after\n').toString('base64'), message: 'after the outage' },
    });
    await expect.poll(() => server.paths('admin'), pause).toEqual([...company.repositories, 'acme/comes'].toSorted());
    await expect.poll(() => head('acme/comes'), pause).toMatch(/^[0-9a-f]{40}$/);
    await expect.poll(() => head('acme/repo-6'), pause).toBe(pushed.commit.sha);
    for (const name of company.repositories)
      if (name !== 'acme/repo-6') expect({ name, head: await head(name) }).toEqual({ name, head: before.get(name) });
    for (const { login } of company.people) {
      const cloneable = await gitea.cloneable(login, [...company.repositories, 'acme/comes']);
      await expect.poll(() => server.paths(login), pause).toEqual(cloneable.toSorted());
    }
    expect(await server.paths('person-3')).not.toContain('hidden/repo-2');
    await expect.poll(() => server.status()['sources']?.failures ?? [], pause).toEqual([]);
    await gitea.api('/repos/acme/comes', { method: 'DELETE' });
  },
  outageMs + 2 * longestWaitMs,
);
