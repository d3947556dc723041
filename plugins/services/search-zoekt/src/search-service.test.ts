import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { Search, defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, configuredRepositories, temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import { Assembly, silentLogger, silentMetrics } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import type { ServiceFailure } from '@sextant/core';
import type { StartedPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import plugin from './index.ts';
import { ZoektClient } from './zoekt-client.ts';

const programs = process.env['ZOEKT'];
const { signal } = new AbortController();
const alice = callerOf('alice');
const root = callerOf('root', { isSiteAdmin: true });
const servers = 2;
const names = ['zoekt-index', 'zoekt-webserver'];

/** A program is waited for as long as a busy machine takes. */
const eventually = (check: () => Promise<void> | void): Promise<void> => vi.waitFor(check, { timeout: 100_000 });

describe.skipIf(programs === undefined)('search over two zoekt servers', { timeout: 120_000 }, () => {
  let folder: TemporaryFolder;
  let shop: RepositoryBuilder;
  let repositories: Record<string, string>;
  let builders: Record<string, RepositoryBuilder>;
  let plugins: StartedPlugins;

  beforeEach(async () => {
    folder = temporaryFolder();
    mkdirSync(join(folder.path, 'bin'));
    for (const name of names) install(name);
    shop = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
    shop.commit({ files: { 'shop.ts': 'parseConfig of all\n' } });
    [repositories, builders] = [{ shop: shop.folder }, {}];
    for (const name of ['lib', 'vault']) addRepository(name);
    mkdirSync(join(folder.path, 'data'));
    plugins = await serve();
  }, 120_000);
  afterEach(async () => {
    vi.restoreAllMocks();
    await plugins[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const install = (name: string): void => symlinkSync(join(programs ?? '', name), join(folder.path, 'bin', name));

  function addRepository(name: string): void {
    const builder = new RepositoryBuilder({ folder: join(folder.path, `${name}.git`), isBare: true });
    builders[name] = builder;
    builder.commit({ files: { [`${name}.ts`]: 'parseConfig of all\n' } });
    repositories[name] = builder.folder;
  }

  async function serve(seconds = 60, count = servers, beforeReady = (): void => undefined): Promise<StartedPlugins> {
    const started = await startPlugins(join(folder.path, 'data'), [
      [git, { repositories: configuredRepositories({ repositories, hidden: ['vault'] }), watchSeconds: 0.1 }],
      [plugin, { programs: join(folder.path, 'bin'), servers: count, seconds }],
    ]);
    beforeReady();
    await started.ready();
    await eventually(() => expect(Object.values(started.status()).every(({ isReady }) => isReady)).toBe(true));
    return started;
  }

  const find = (
    query: string,
    caller = alice,
    { services }: Pick<Assembly, 'services'> = plugins,
  ): Promise<SearchResult> => {
    const { search } = services.resolve({ search: Search });
    return search.find(caller, { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits }, signal);
  };
  const outcome = (query: string): Promise<string> =>
    find(query).then(JSON.stringify, (error: unknown) => `${String(error)} ${JSON.stringify(error)}`);
  const reposOf = ({ files }: SearchResult): string[] => files.map(({ repo }) => repo).sort();

  /** The ids of repositories in all queries that an action sends, and the queries without them. */
  async function sentBy(action: () => Promise<unknown>): Promise<{ ids: number[]; queries: string[] }> {
    const spy = vi.spyOn(ZoektClient.prototype, 'search');
    await action();
    const sent = spy.mock.calls.map(([query]) => partsOf(query));
    spy.mockRestore();
    return { ids: sent.flatMap(({ ids }) => ids).sort(), queries: sent.map(({ rest }) => rest).sort() };
  }

  /** The files of indexes, with their numbers on the disk. */
  function shards(): Record<string, number> {
    const data = join(folder.path, 'data', 'search-zoekt');
    const paths = readdirSync(data, { recursive: true })
      .map(String)
      .filter((path) => path.endsWith('.zoekt'));
    return Object.fromEntries(paths.sort().map((path) => [path, statSync(join(data, path)).ino]));
  }

  const idOf = async (name: string): Promise<number> => {
    const { ids } = await sentBy(() => find(`repo:^${name}$ parseConfig`, root));
    expect(ids).toHaveLength(1);
    return ids[0] ?? 0;
  };

  /** Of the process of a server. */
  function pidOf(number: number): number {
    const mark = join(folder.path, 'data', 'search-zoekt', '1', `server-${number}-of-${servers}`);
    const running = execFileSync('ps', ['-axww', '-o', 'pid=,args=']).toString().split('\n');
    const [pid, ...others] = running.filter((line) => line.includes(mark)).map((line) => Number.parseInt(line, 10));
    expect(others).toEqual([]);
    if (pid === undefined) throw new Error('it runs');
    return pid;
  }

  /** Ends the server for good: there is no program to start it again. */
  async function endServer(number: number): Promise<void> {
    rmSync(join(folder.path, 'bin', 'zoekt-webserver'));
    const pid = pidOf(number);
    process.kill(pid, 'SIGKILL');
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  }

  test('names no repository in a query that the caller may not read', async () => {
    const vault = await idOf('vault');
    const everyone = [await idOf('shop'), await idOf('lib')].sort();
    expect((await sentBy(() => find('parseConfig', root))).ids).toEqual([...everyone, vault].sort());
    for (const query of ['parseConfig', 'parseConfig count:all', 'parseConfig select:repo', '-nothing', 'repo:. all'])
      expect((await sentBy(() => outcome(query))).ids, query).toEqual(everyone);
    for (const query of [
      'repo:NAME all',
      'repo:^NAME$ all',
      'repo:NAME@main all',
      '-repo:NAME all',
      'repo:has.path(NAME) all',
    ]) {
      const [hidden, absent] = await Promise.all(
        ['vault', 'voult'].map((name) => outcome(query.replace('NAME', name))),
      );
      expect(hidden?.replaceAll('vault', 'voult'), query).toBe(absent);
      const sent = await sentBy(() => outcome(query.replace('NAME', 'vault')));
      expect(sent.ids, query).not.toContain(vault);
      expect(sent, query).toEqual(await sentBy(() => outcome(query.replace('NAME', 'voult'))));
    }
  });

  test('says nothing of a server that has only what the caller may not read', async () => {
    const vault = (await idOf('vault')) % servers;
    const other = (await idOf('lib')) % servers === vault ? 'shop' : 'lib';
    expect((await idOf(other)) % servers).not.toBe(vault);
    const query = `repo:^(vault|${other})$ parseConfig`;
    const before = await find(query);
    await endServer(vault);
    expect(await find(query)).toEqual(before);
    expect(await find(query, root)).toMatchObject({ missing: [`zoekt ${vault}`] });
    expect(await outcome('repo:^vault$ all')).toBe((await outcome('repo:^voult$ all')).replaceAll('voult', 'vault'));
  });

  test('the best files are those of all repositories, not those that zoekt found first', async () => {
    const crowd = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`${at}.ts`, 'needle\n']));
    for (const builder of [shop, builders['lib'], builders['vault']]) builder?.commit({ files: crowd });
    addRepository('zoo');
    builders['zoo']?.commit({ files: { 'needle.ts': 'needle\n' } });
    await plugins[Symbol.asyncDispose]();
    plugins = await serve();
    const { files, limitHit } = await find('needle', root);
    expect(files[0]).toMatchObject({ repo: 'zoo', path: 'needle.ts' });
    expect(limitHit).toBe(true);
  });

  test('names a server that has ended, and the repositories that were not searched', async () => {
    const everyone = await find('parseConfig', root);
    expect(reposOf(everyone)).toEqual(['lib', 'shop', 'vault']);
    const lost = (await idOf('vault')) % servers;
    const repos: { name: string; id: number }[] = [];
    for (const name of reposOf(everyone)) repos.push({ name, id: await idOf(name) });
    const without = repos.filter(({ id }) => id % servers !== lost).map(({ name }) => name);
    await endServer(lost);
    const some = await find('parseConfig', root);
    expect(reposOf(some)).toEqual(without);
    expect(some).toMatchObject({ missing: [`zoekt ${lost}`], limitHit: true });
    for (const { name, id } of repos)
      expect(
        some.notes.some((note) => note.includes(name)),
        name,
      ).toBe(id % servers === lost);
    await expect(find('repo:^vault$ parseConfig', root)).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: expect.any(Number),
    });
    install('zoekt-webserver');
    const answers: SearchResult[] = [];
    await eventually(async () => {
      answers.push(await find('parseConfig', root));
      expect(answers.at(-1)).toEqual(everyone);
    });
    // Until it has loaded all, it is named.
    for (const answer of answers)
      expect(answer.missing, JSON.stringify(answer)).toEqual(
        reposOf(answer).length < 3 ? [`zoekt ${lost}`] : undefined,
      );
  });

  test('searches and indexes without a server that does not answer any more', async () => {
    const stopped = (await idOf('shop')) % servers;
    const other = (await idOf('lib')) % servers === stopped ? 'vault' : 'lib';
    expect((await idOf(other)) % servers).not.toBe(stopped);
    const everyone = await find('parseConfig', root);
    await plugins[Symbol.asyncDispose]();
    plugins = await serve(1);
    const pid = pidOf(stopped);
    process.kill(pid, 'SIGSTOP');
    try {
      shop.commit({ files: { 'new.ts': 'parseConfig of the stopped server\n' } });
      builders[other]?.commit({ files: { 'new.ts': 'parseConfig of the other server\n' } });
      // A machine that is busy may keep the other one silent for a second, too.
      await eventually(async () => {
        const found = await find('parseConfig', root);
        expect(found.files.map(({ repo, path }) => `${repo} ${path}`)).toContain(`${other} new.ts`);
        expect(found.missing).toEqual([`zoekt ${stopped}`]);
        expect(found.notes.join()).toContain('shop');
      });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await eventually(async () => {
      const { files, missing } = await find('parseConfig', root);
      expect(missing).toBeUndefined();
      expect(files).toHaveLength(everyone.files.length + 2);
    });
  });

  test('finds files whose paths have odd characters, by text and by name', async () => {
    const paths = [
      ' space ',
      '-rf',
      '--index',
      '..hidden/..x',
      'a\nb',
      'tab\there',
      'quo"te\'s',
      'back\\slash',
      '%2e%2e/%00',
      '$HOME`id`',
      'glob*?[a]',
      'caf\u00e9',
      'cafe\u0301',
      '\u{1f600}',
      '\u202egnp',
      'CON',
      'dot.',
      '.gitignore',
      '.hg/x',
      'node_modules/x',
      '.sourcegraph/ignore',
      `${'deep/'.repeat(60)}x`,
      'l'.repeat(300),
    ];
    const bytes = [Buffer.from('latin-\xe9', 'latin1'), Buffer.from('latin-\xea', 'latin1')];
    shop.commit({ files: new Map([...paths, ...bytes].map((path, at) => [path, `oddly number ${at}\n`])) });
    const all = [...paths, 'latin-\ufffd', 'latin-\ufffd'].sort();
    await eventually(async () => expect((await find('oddly count:all')).files).toHaveLength(all.length));
    const { files } = await find('oddly count:all');
    expect(files.map(({ path }) => path).sort()).toEqual(all);
    for (const [at, path] of paths.entries())
      expect(
        (await find(`/number ${at}$/`)).files.map((file) => file.path),
        path,
      ).toEqual([path]);
    expect((await find('/^back\\\\slash$/ OR /^l{300}$/ OR -rf')).files).not.toEqual([]);
    expect((await find('file:^caf. -nothing')).files.map(({ path }) => path).sort()).toEqual([
      'cafe\u0301',
      'caf\u00e9',
    ]);
  });

  test('indexes after a restart only what has moved', async () => {
    const restart = async (): Promise<void> => {
      await plugins[Symbol.asyncDispose]();
      plugins = await serve();
    };
    const shardOf = async (name: string): Promise<string> => {
      const id = await idOf(name);
      return Object.keys(shards()).find((path) => path.includes(`/r${id}_`)) ?? '';
    };
    // Its name is also one of a property that every object has.
    addRepository('constructor');
    await restart();
    const [everyone, before] = [await find('parseConfig', root), shards()];
    expect([everyone.files.length, Object.keys(before).length]).toEqual([4, 4]);

    rmSync(join(folder.path, 'bin', 'zoekt-index'));
    await restart();
    expect(Object.values(plugins.status()).flatMap(({ failures = [] }) => failures)).toEqual([]);
    expect(await find('parseConfig', root)).toEqual(everyone);
    expect(shards()).toEqual(before);

    // Indexes go along when the number of servers changes.
    const inodes = Object.values(before).sort();
    for (const count of [3, 1, servers]) {
      await plugins[Symbol.asyncDispose]();
      plugins = await serve(60, count);
      expect(await find('parseConfig', root)).toEqual(everyone);
      expect(Object.values(shards()).sort()).toEqual(inodes);
    }
    expect(shards()).toEqual(before);
    const [ofShop, ofLib, ofVault] = [await shardOf('shop'), await shardOf('lib'), await shardOf('vault')];

    await plugins[Symbol.asyncDispose]();
    install('zoekt-index');
    shop.commit({ files: { 'new.ts': 'parseConfig of tomorrow\n' } });
    rmSync(join(folder.path, 'data', 'search-zoekt', ofLib));
    delete repositories['vault'];
    plugins = await serve();
    const after = await find('parseConfig', root);
    expect(after.files.map(({ path }) => path).sort()).toEqual(['constructor.ts', 'lib.ts', 'new.ts', 'shop.ts']);
    const { [ofShop]: _1, [ofLib]: _2, [ofVault]: _3, ...others } = before;
    expect(Object.keys(others)).toHaveLength(1);
    expect(shards()).toMatchObject(others);
    expect(Object.keys(shards())).toHaveLength(3);
    expect(shards()[ofShop]).not.toBe(before[ofShop]);
  });

  test('writes no index before its id is recorded, and records again what could not be recorded', async () => {
    await plugins[Symbol.asyncDispose]();
    addRepository('fresh');
    const records = join(folder.path, 'data', 'search-zoekt', '1', 'repositories.json');
    // Its next version is written here first: where a folder is, nothing can be recorded.
    const partial = `${records}.${process.pid}-${threadId}.partial`;
    const failures = (): readonly ServiceFailure[] =>
      Object.values(plugins.status()).flatMap((status) => status.failures ?? []);
    plugins = await serve(60, servers, () => mkdirSync(partial));
    await eventually(() => expect(failures()).toMatchObject([{ name: 'fresh', nextTry: expect.any(String) }]));
    const [first] = failures();
    await eventually(() => {
      expect(failures()).toMatchObject([{ name: 'fresh', nextTry: expect.any(String) }]);
      expect(failures()[0]?.nextTry).not.toBe(first?.nextTry);
    });
    expect(Object.keys(shards())).toHaveLength(3);
    rmSync(partial, { recursive: true });
    await eventually(() => expect(failures()).toEqual([]));
    expect(readFileSync(records, 'utf8')).toContain('fresh');

    mkdirSync(partial);
    const before = readFileSync(records, 'utf8');
    const commit = shop.commit({ files: { 'new.ts': 'parseConfig of tomorrow\n' } });
    await eventually(() => expect(failures()).toMatchObject([{ name: records, nextTry: expect.any(String) }]));
    expect(readFileSync(records, 'utf8')).toBe(before);
    rmSync(partial, { recursive: true });
    await eventually(() => {
      expect(failures()).toEqual([]);
      expect(readFileSync(records, 'utf8')).toContain(commit);
    });
  });

  test('a change of servers takes nothing from the searches that go on', async () => {
    await plugins[Symbol.asyncDispose]();
    const context = {
      log: silentLogger,
      metrics: silentMetrics,
      dataFolder: join(folder.path, 'data'),
      externalURL: 'http://localhost',
      configFolder: folder.path,
    };
    const settings = { repositories: configuredRepositories({ repositories, hidden: ['vault'] }), watchSeconds: 0.1 };
    const gitPlugin = { plugin: git, config: git.config.parse(settings), isOptional: false };
    const startWith = async (count: number, previous?: Assembly): Promise<Assembly> => {
      const config = plugin.config.parse({ programs: join(folder.path, 'bin'), servers: count, seconds: 60 });
      const started = await Assembly.start({
        plugins: [gitPlugin, { plugin, config, isOptional: false }],
        contextOf: () => context,
        ...(previous && { previous }),
      });
      onTestFinished(() => started.close());
      await started.ready();
      await eventually(() => expect(Object.values(started.status()).every(({ isReady }) => isReady)).toBe(true));
      return started;
    };
    const running = await startWith(servers);
    const everyone = await find('parseConfig', root, running);
    expect(everyone.files).toHaveLength(3);
    const before = shards();

    // A change that is given up.
    const failed = await startWith(3, running);
    expect(shards()).toMatchObject(before);
    for (const one of [running, failed]) expect(await find('parseConfig', root, one)).toEqual(everyone);
    await failed.close();
    expect(shards()).toEqual(before);
    expect(await find('parseConfig', root, running)).toEqual(everyone);

    const next = await startWith(3, running);
    // Nothing is indexed anew for the change, and both index what comes now.
    expect(Object.values(shards()).sort()).toEqual(
      Object.values(before)
        .flatMap((ino) => [ino, ino])
        .sort(),
    );
    shop.commit({ files: { 'new.ts': 'parseConfig of tomorrow\n' } });
    for (const one of [running, next])
      await eventually(async () => {
        const found = await find('parseConfig', root, one);
        expect(found.files.map(({ path }) => path)).toContain('new.ts');
        expect(found.missing).toBeUndefined();
      });
    const after = await find('parseConfig', root, next);
    await running.close();
    expect(await find('parseConfig', root, next)).toEqual(after);
    expect(readdirSync(join(folder.path, 'data', 'search-zoekt'))).toHaveLength(1);
    await next.close();
    plugins = await serve();
    expect(await find('parseConfig', root)).toEqual(after);
  });
});

/** The ids of a query, and the other parts in hexadecimal digits. */
function partsOf(query: Uint8Array): { ids: number[]; rest: string } {
  const ids: number[] = [];
  const rest: string[] = [];
  for (const { bytes: and } of fieldsOf(query))
    for (const { bytes: child } of fieldsOf(and))
      for (const { number, bytes } of fieldsOf(child))
        if (number === 9) for (const bitmap of fieldsOf(bytes)) ids.push(...idsIn(Buffer.from(bitmap.bytes)));
        else rest.push(`${number} ${Buffer.from(bytes).toString('hex')}`);
  return { ids, rest: rest.join() };
}

function fieldsOf(bytes: Uint8Array): { number: number; bytes: Uint8Array }[] {
  const reader = new BinaryReader(bytes);
  const fields: { number: number; bytes: Uint8Array }[] = [];
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    fields.push({ number, bytes: wire === 2 ? reader.bytes() : reader.skip(wire, number) });
  }
  return fields;
}

/** Of a roaring bitmap with one container of few ids. */
function idsIn(bitmap: Buffer): number[] {
  expect([bitmap.readUInt32LE(0), bitmap.readUInt32LE(4)]).toEqual([12_346, 1]);
  const count = bitmap.readUInt16LE(10) + 1;
  expect(bitmap.length).toBe(16 + 2 * count);
  return Array.from({ length: count }, (_, at) => bitmap.readUInt16LE(16 + 2 * at));
}
