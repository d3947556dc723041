import { setTimeout } from 'node:timers/promises';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import { connectedServer } from './support/connected-server.ts';
import { forAll, giteaWithCompany } from './support/company.ts';
import { freePort } from './support/gitea.ts';
import { limitingProxy } from './support/limiting-proxy.ts';

const size = {
  repositories: Number(process.env['GITEA_REPOSITORIES'] ?? 2000),
  people: Number(process.env['GITEA_PEOPLE'] ?? 200),
  teams: Number(process.env['GITEA_TEAMS'] ?? 50),
};
/** People and repositories of which the git server is asked, too. */
const sample = { people: 8, repositories: 100 };
/** In which Gitea is asked of as many cells of the matrix as fit. */
const askedSeconds = Number(process.env['GITEA_SECONDS'] ?? 7200);
const requestsPerHour = 100;
const wholeMs = 14_400_000;
const { signal } = new AbortController();

const note = (text: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);

const stopwatch = (): (() => number) => {
  const from = performance.now();
  return () => Math.round((performance.now() - from) / 100) / 10;
};

/** In an order in which each beginning has some of everyone and everything. */
const spread = <T>(given: readonly T[]): T[] =>
  given
    .map((each, at) => ({ each, turn: (at * 7919) % 104_729 }))
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ each }) => each);

const everyNth = <T>(given: readonly T[], count: number): T[] =>
  given.filter((_, at) => at % Math.ceil(given.length / count) === 0);

it(
  'shows everyone exactly what Gitea shows them at the size of a company, within few requests',
  async () => {
    using own = temporaryFolder();
    const port = await freePort();
    await using proxy = await limitingProxy(`http://127.0.0.1:${port}`, { requests: Number.POSITIVE_INFINITY });
    const making = stopwatch();
    const settings = `[server]\nROOT_URL = ${proxy.url}/`;
    await using host = await giteaWithCompany(size, { port, settings });
    const { gitea, company } = host;
    const { people, repositories } = company;
    note(`made ${repositories.length} repositories, ${people.length} people, ${size.teams} teams in ${making()} s`);
    const poll = { timeout: wholeMs, interval: 200 };
    const options = { folder: own.path, gitea: { url: proxy.url, token: gitea.token }, company };
    const source = { accessSeconds: 50 };
    /** What the people read here. */
    const before = new Map<string, string[]>();
    {
      await using server = await connectedServer({ ...options, source });
      proxy.allow(Number.POSITIVE_INFINITY);
      const since = stopwatch();
      await server.ready();
      await expect.poll(() => server.status()['sources']?.isReady, poll).toBe(true);
      note(`first list: ${proxy.passed} requests, ${since()} s`);
      expect(proxy.passed).toBeLessThanOrEqual(60);
      expect(await server.paths('admin')).toEqual(repositories.toSorted());
      await expect.poll(() => Object.values(server.status()).every(({ isReady }) => isReady), poll).toBe(true);
      note(`clone queue: ${since()} s`);
      const admin = await server.caller('admin');
      const heads = await forAll(repositories, async (name) => {
        const opened = await server.repositories.open(admin, name);
        return opened.resolve(undefined, signal);
      });
      expect(heads.filter((head) => /^[0-9a-f]{40}$/.test(head))).toHaveLength(repositories.length);

      const asking = stopwatch();
      const cells = spread(people.flatMap(({ login }) => repositories.map((name) => ({ login, name }))));
      const answered = await forAll(cells, async ({ login, name }) =>
        asking() > askedSeconds ? [] : [{ login, name, reads: await gitea.readsCode(login, name) }],
      );
      const told = answered.flat();
      note(`Gitea was asked of ${told.length} of ${cells.length} cells in ${asking()} s`);
      const readable = told.filter(({ reads }) => reads).length;
      note(`${readable} may be read`);
      expect(readable).toBeGreaterThan(0);
      expect(told.length).toBeGreaterThan(readable);
      for (const { login } of everyNth(people, sample.people)) {
        const names = everyNth(repositories, sample.repositories);
        const reads = await forAll(names, (name) => gitea.readsCode(login, name));
        const cloneable = await gitea.cloneable(login, names);
        expect({ login, names: names.filter((_, at) => reads[at]) }).toEqual({ login, names: cloneable });
      }
      const comparing = stopwatch();
      const asked = proxy.passed;
      const differing: typeof told = [];
      const ofPeople = Map.groupBy(told, ({ login }) => login);
      for (const { login } of people) {
        const list = async () => new Set(await server.paths(login));
        let paths = await list();
        const cellsOf = ofPeople.get(login) ?? [];
        differing.push(...cellsOf.filter(({ name, reads }) => !reads && paths.has(name)));
        const lacking = () => cellsOf.filter(({ name, reads }) => reads && !paths.has(name));
        // A call waits for the host for some seconds, and then goes on without.
        for (let call = 1; call < 4 && lacking().length > 0; call += 1) {
          note(`asked once more of ${login}`);
          await setTimeout(15_000);
          paths = await list();
        }
        differing.push(...lacking());
        before.set(login, [...paths]);
      }
      note(
        `compared ${told.length} cells, ${differing.length} differ: ${proxy.passed - asked} requests, ${comparing()} s`,
      );
      expect(differing).toEqual([]);

      const { id } = await gitea.api<{ id: number }>('/orgs/hidden/teams', {
        method: 'POST',
        body: {
          name: 'guests',
          permission: 'read',
          includes_all_repositories: true,
          units_map: { 'repo.code': 'read' },
        },
      });
      const member = `/teams/${id}/members/person-3`;
      await gitea.api(member, { method: 'PUT' });
      const hidden = repositories.filter((name) => name.startsWith('hidden/'));
      const seen = async () => (await server.paths('person-3')).filter((name) => name.startsWith('hidden/')).length;
      await expect.poll(seen, poll).toBe(hidden.length);
      await gitea.api(member, { method: 'DELETE' });
      const removed = stopwatch();
      await expect.poll(seen, poll).toBe(0);
      note(`a removed member is refused after ${removed()} s`);
    }
    // Everything is known and cloned; the host and the operator both allow few requests.
    proxy.allow(requestsPerHour);
    await using server = await connectedServer({ ...options, source: { accessSeconds: 1, requestsPerHour } });
    await server.ready();
    await expect.poll(() => server.status()['sources']?.isReady, poll).toBe(true);
    note(`with ${requestsPerHour} requests an hour: the list took ${proxy.passed}`);
    for (let round = 0; round < 2; round += 1)
      for (const [login, paths] of before)
        expect({ login, paths: await server.paths(login) }).toEqual({ login, paths });
    expect(proxy.refused).toBe(0);
    note(`${proxy.passed} requests, ${proxy.refused} refused: ${server.status()['sources']?.failures?.[0]?.reason}`);
  },
  wholeMs,
);
