import { once } from 'node:events';
import { join } from 'node:path';
import { Fetches, IndexStates, Languages, defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { SearchRequest, SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import { contribute, definePlugin, silentLogger } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import { MalformedAnswer, NodeClient, NodeRefusal } from '@sextant/library-node-protocol';
import type { CallOptions } from '@sextant/library-node-protocol';
import symbols from '@sextant/service-symbols';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { NodeClients } from './node-clients.ts';
import { CatalogueReplica } from './replica.ts';
import { startCluster } from './testing/start-cluster.ts';
import type { StartedCluster } from './testing/start-cluster.ts';

const { signal } = new AbortController();
const alice = callerOf('alice');
const root = callerOf('root', { isSiteAdmin: true });
const names = Array.from({ length: 8 }, (_, index) => `acme/part-${index}`);
const text = "export const needle = 'in each';\n";

/** Its files break the thread that parses them, however much time there is. */
const breaking = definePlugin({
  name: 'language-breaking',
  contributions: [
    contribute(Languages, {
      name: 'breaking',
      family: 'breaking',
      extensions: ['.breaking'],
      ...z.object({ grammar: z.string() }).parse(symbols.contributions[0]?.value),
      query: '',
      repairs: [{ find: 'x', with: 'y'.repeat(1_000_000) }],
    }),
  ],
});

/** The first has a name of its own, the second a package that the third uses, the fifth a file that breaks the parser. */
const filesOf = (name: string): Record<string, string> => ({
  'a.ts': name === names[0] ? `${text}export function loneName() {}\n` : text,
  ...(name === names[1] && {
    'package.json': '{ "name": "@acme/far", "main": "far.ts" }\n',
    'far.ts': 'export function farName() {}\n',
  }),
  ...(name === names[4] && { 'hard.breaking': 'x'.repeat(1000) }),
  ...(name === names[2] && { 'use.ts': "import { farName } from '@acme/far';\nfarName();\n" }),
});

let folder: TemporaryFolder;
let started: StartedCluster;
const commits = new Map<string, string>();

beforeAll(async () => {
  folder = temporaryFolder();
  const built = [...names, 'acme/vault'].map((name): [string, string] => {
    const builder = new RepositoryBuilder({ folder: join(folder.path, `${name.slice(5)}.git`), isBare: true });
    commits.set(name, builder.commit({ files: filesOf(name), message: `needle of ${name}` }));
    if (name === names[0]) builder.tag({ name: 'v1', commit: commits.get(name) ?? '' });
    return [name, builder.folder];
  });
  started = await startCluster({
    folder: folder.path,
    repositories: Object.fromEntries(built),
    hidden: ['acme/vault'],
    copies: 2,
    others: [[breaking]],
  });
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const searchOf = (query: string): SearchRequest => ({
  ...parseQuery(query),
  mode: 'keyword',
  limits: defaultSearchLimits,
});

const named = z.object({ request: z.object({ isNamed: z.boolean() }) });
const isNamedOf = (args: unknown): boolean => named.parse(args).request.isNamed;

/** Whether a call is made for somebody: what a host asks for itself, it asks at any time. */
const isForCaller = ([, , { caller }]: readonly [string, unknown, CallOptions]): boolean => caller !== undefined;

/** The methods that nodes are asked for meanwhile in somebody's name, or what the work throws. */
async function asked(
  work: () => Promise<unknown>,
): Promise<{ answer: unknown; methods: string[] /** How many nodes were asked. */; nodes: number }> {
  const [calls, streams] = [vi.spyOn(NodeClient.prototype, 'call'), vi.spyOn(NodeClient.prototype, 'stream')];
  try {
    const answer = await work().catch(String);
    const clients: unknown[] = [...calls.mock.contexts, ...streams.mock.contexts];
    const made = [...calls.mock.calls, ...streams.mock.calls].flatMap((call, index) => {
      const client = clients[index];
      return isForCaller(call) && client instanceof NodeClient ? [{ method: call[0], node: client.node }] : [];
    });
    const methods = made.map(({ method }) => method);
    return { answer, methods, nodes: new Set(made.map(({ node }) => node)).size };
  } finally {
    calls.mockRestore();
    streams.mockRestore();
  }
}

test('a read is one call', async () => {
  const repository = await started.repositories.open(alice, 'acme/part-3');
  const { answer, methods } = await asked(() => repository.readText(commits.get('acme/part-3') ?? '', 'a.ts', signal));
  expect(answer).toMatchObject({ text });
  // On a slow machine the second copy is asked, too.
  expect(new Set(methods)).toEqual(new Set(['repository.readText']));
});

test('an outline or a definition is one call, and a search for names one of each node', async () => {
  const file = { repo: 'acme/part-3', path: 'a.ts' };
  const outline = () => started.symbols.outline(alice, file, signal);
  const definition = () => started.symbols.findDefinition(alice, { ...file, symbol: 'needle' }, signal);
  const query = { ...parseQuery('type:symbol needle'), limit: 3 };
  const search = () => started.symbols.search(alice, query, signal);
  // On a slow machine a node may answer before it has parsed a file.
  await expect.poll(outline).toMatchObject({ definitions: [{ name: 'needle' }] });
  await expect.poll(definition).toMatchObject({ files: [{ ...file, places: [{ line: 1 }] }] });
  expect(await definition()).not.toHaveProperty('sought');
  await expect.poll(search).toMatchObject({ matchCount: names.length });
  expect(new Set((await asked(outline)).methods)).toEqual(new Set(['symbols.outline']));
  expect(new Set((await asked(definition)).methods)).toEqual(new Set(['symbols.definition']));
  expect(new Set((await asked(search)).methods)).toEqual(new Set(['symbols.search']));
});

test('a file that a node gives up is told to be given up, and is not taken for one that defines nothing', async () => {
  const file = { repo: 'acme/part-4', path: 'hard.breaking' };
  const notes = [expect.stringMatching(/^Parsing hard\.breaking in acme\/part-4 was given up: /)];
  // On a slow machine a node may answer before it has tried to parse the file.
  await expect
    .poll(() => started.symbols.outline(alice, file, signal))
    .toEqual({ definitions: [], limitHit: false, notes });
});

test('a task or question about a repository is one call', async () => {
  const work = { signal, reportProgress: (): void => {}, maxSeconds: 3600 };
  const task = { task: 'acme/part-3: `needle` is lost', repo: 'acme/part-3' };
  const question = { question: 'Where is the needle?', scope: ['acme/part-3'] };
  const locate = () => started.researcher.locate(alice, task, work);
  const answer = () => started.researcher.answer(alice, question, work);
  // On a slow machine a node may not accept a call in time.
  await expect.poll(locate).toMatchObject({ locations: [{ path: 'a.ts' }] });
  await expect.poll(answer).toMatchObject({ sources: [{ path: 'a.ts' }] });
  for (const work of [locate, answer]) {
    const { methods, nodes } = await asked(work);
    expect(methods).toEqual(Array.from({ length: nodes }, () => 'research.find'));
  }
});

/** Researches while the nodes answer research as they are made to. */
async function researched(
  { task, maxSeconds }: { task: string; maxSeconds: number },
  answer: (asked: AskedResearch, ends: AbortSignal) => Promise<unknown>,
) {
  const stream = NodeClient.prototype.stream;
  const told = vi.spyOn(NodeClient.prototype, 'stream').mockImplementation(async function* (
    this: typeof stream,
    ...asked
  ) {
    const [method, args, { signal: ends, onAccepted }] = asked;
    if (method !== 'research.find') return yield* Reflect.apply(stream, this, asked);
    onAccepted?.();
    yield await answer(askedResearch.parse(args), ends);
  });
  try {
    return await started.researcher.locate(alice, { task }, { signal, reportProgress: () => undefined, maxSeconds });
  } finally {
    told.mockRestore();
  }
}

const askedResearch = z.object({ repo: z.string(), request: z.object({ maxSeconds: z.number() }) });
type AskedResearch = z.infer<typeof askedResearch>;
const foundNothing = { found: { places: [], notes: [], calls: 1 } };

test('research that a node holds up ends a little after its time', async () => {
  const held = await researched({ task: 'acme/part-3: `needle` is lost', maxSeconds: 0.1 }, async (_asked, ends) => {
    if (!ends.aborted) await once(ends, 'abort');
    throw ends.reason;
  });
  expect(held).toMatchObject({ locations: [], summary: expect.stringContaining('cut short') });
});

test('research that begins anew has the time that is left', async () => {
  const seconds: number[] = [];
  await researched({ task: 'acme/part-3: `needle` is lost', maxSeconds: 3600 }, async ({ request }) => {
    seconds.push(request.maxSeconds);
    if (seconds.length === 1) throw new NodeRefusal('a', 'is gone');
    return foundNothing;
  });
  const [first = 0, second = 0] = seconds;
  expect(second).toBeGreaterThan(0);
  expect(second).toBeLessThan(first);
});

test('research in several repositories leaves out one of which a node answers what the host does not understand', async () => {
  const task = 'acme/part-3 and acme/part-4: `needle` is lost';
  const found = await researched({ task, maxSeconds: 3600 }, async ({ repo }) => {
    if (repo === 'acme/part-4') throw new MalformedAnswer('a', 'research.find', 'no places');
    return foundNothing;
  });
  expect(found.summary).toContain('Repository acme/part-4 could not be read now');
});

test('of a hidden repository no node is asked, and it is answered for as one that does not exist', async () => {
  const filter = { authors: [], revisions: [], isRegex: false, count: 9 };
  const commit = { ...filter, messages: ['needle'], contents: [], paths: [] };
  const questions: ((name: string) => Promise<unknown>)[] = [
    (name) => started.repositories.open(alice, `acme/${name}`),
    (name) => started.search.find(alice, searchOf(`repo:^acme/${name}$ needle`), signal),
    (name) => started.history.commits(alice, { ...commit, repositories: [`acme/${name}`] }, signal),
    (name) => started.history.find(alice, { ...parseQuery(`type:commit repo:${name} x`), limit: 9 }, signal),
    (name) => started.symbols.outline(alice, { repo: `acme/${name}`, path: 'a.ts' }, signal),
    (name) => started.symbols.findDefinition(alice, { repo: `acme/${name}`, path: 'a.ts', symbol: 'x' }, signal),
    (name) => started.symbols.search(alice, { ...parseQuery(`type:symbol repo:${name} x`), limit: 9 }, signal),
    (name) => started.researcher.locate(alice, { task: 'x', repo: `acme/${name}` }, { signal, reportProgress() {} }),
    (name) =>
      started.researcher.answer(alice, { question: 'x', scope: [`acme/${name}`] }, { signal, reportProgress() {} }),
  ];
  for (const question of questions) {
    const [hidden, absent] = [await asked(() => question('vault')), await asked(() => question('voult'))];
    expect(hidden.methods).toEqual([]);
    expect(JSON.stringify(hidden.answer).replaceAll('vault', 'voult')).toBe(JSON.stringify(absent.answer));
  }
  const seen = await asked(() => started.search.find(root, searchOf('repo:^acme/vault$ needle'), signal));
  expect(new Set(seen.methods)).toEqual(new Set(['search.find']));
});

test('what no owner has told of since the start may be there: it is unavailable, hidden or not', async () => {
  const known = vi.spyOn(CatalogueReplica.prototype, 'isKnown').mockReturnValue(false);
  try {
    const repository = await started.repositories.open(alice, 'acme/part-3');
    expect(repository.info.name).toBe('acme/part-3');
    const open = (name: string) => started.repositories.open(alice, `acme/${name}`).catch((error: Error) => error);
    const [hidden, absent] = [await open('vault'), await open('voult')];
    expect(hidden).toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
    expect(String(hidden).replaceAll('vault', 'voult')).toBe(String(absent));
  } finally {
    known.mockRestore();
  }
});

test('a node does not believe a host that a caller may read a repository', async () => {
  const clients = new NodeClients(started.cluster, silentLogger);
  const [owner] = started.cluster.ownersOf('acme/vault');
  if (!owner) throw new Error('it has an owner');
  const ask = (caller: Caller): Promise<string> =>
    clients.of(owner).call('repository.resolve', { repo: 'acme/vault' }, { caller, signal });
  await expect(ask(alice)).rejects.toMatchObject({ code: 'not_found' });
  expect(await ask(root)).toBe(commits.get('acme/vault'));
  const blobs = clients
    .of(owner)
    .stream('store.tree', { repo: 'acme/vault', commit: 'x', wantsSizes: false }, { caller: alice, signal });
  await expect(blobs.next()).rejects.toMatchObject({ code: 'not_found' });
  const task = { text: 'needle', wants: 'places', maxCalls: 9, maxSeconds: 9 } as const;
  const research = clients
    .of(owner)
    .stream('research.find', { repo: 'acme/vault', request: task }, { caller: alice, signal });
  await expect(research.next()).rejects.toMatchObject({ code: 'not_found' });
  const request = searchOf('needle');
  const found = await clients
    .of(owner)
    .call('search.find', { repositories: ['acme/vault'], request }, { caller: alice, signal });
  expect(found).toMatchObject({ answer: { files: [] }, unseen: [] });
  const catalogue = clients.of(owner).stream('catalogue', {}, { caller: alice, signal });
  await expect(catalogue.next()).rejects.toMatchObject({ code: 'forbidden' });
  const owners = started.cluster.ownersOf('acme/vault');
  const other = started.cluster.nodes.find((node) => !owners.includes(node)) ?? owner;
  const elsewhere = clients.of(other).call('repository.resolve', { repo: 'acme/vault' }, { caller: root, signal });
  await expect(elsewhere).rejects.toMatchObject({
    status: 421,
    message: expect.stringContaining(started.cluster.epoch),
  });
  clients.close();
});

test('each node is asked about its own repositories, and the answers are one', async () => {
  const find = () => asked(() => started.search.find(alice, searchOf('needle count:all'), signal));
  // On a slow machine a node may not accept a call in time; it is left out then.
  await expect
    .poll(async () => (await find()).answer)
    .toMatchObject({ fileCount: names.length, matchCount: names.length, limitHit: false });
  const { methods } = await find();
  expect(new Set(methods)).toEqual(new Set(['search.find']));
  const filter = { authors: [], revisions: [], isRegex: false, messages: ['needle'], contents: [], paths: [] };
  const history = await started.history.commits(alice, { ...filter, repositories: ['acme/'], count: 3 }, signal);
  expect([history.results.length, history.totalCount, history.isLimited]).toEqual([3, names.length, true]);
});

test('what the catalogue of a host names and no node has any more is told, and not left out', async () => {
  const all = CatalogueReplica.prototype.all;
  const gone = vi.spyOn(CatalogueReplica.prototype, 'all').mockImplementation(function (this: CatalogueReplica) {
    const entries = all.call(this);
    return entries.flatMap((entry) => [entry, { ...entry, info: { ...entry.info, name: `${entry.info.name}-gone` } }]);
  });
  const lost = names.map((name) => `${name}-gone`);
  try {
    const found = await started.search.find(alice, searchOf('needle count:all'), signal);
    expect(found).toMatchObject({ fileCount: names.length, limitHit: true });
    for (const name of lost) expect(found.notes.join()).toContain(name);
    const filter = { authors: [], revisions: [], isRegex: false, count: 99 };
    const request = { ...filter, repositories: ['acme/'], messages: ['needle'], contents: [], paths: [] };
    const commits = await started.history.commits(alice, request, signal);
    expect(commits).toMatchObject({ totalCount: names.length, isLimited: true });
    for (const name of lost) expect(commits.notes.join()).toContain(name);
    const only = started.search.find(alice, searchOf('repo:^acme/part-0-gone$ needle'), signal);
    await expect(only).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
  } finally {
    gone.mockRestore();
  }
});

test('a search names the nodes whose answers the host does not understand', async () => {
  const lies = vi
    .spyOn(NodeClient.prototype, 'call')
    .mockImplementation(async (method) => Promise.reject(new MalformedAnswer('a', method, 'no files')));
  try {
    const found = started.search.find(alice, searchOf('needle'), signal);
    await expect(found).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('this host does not understand what its code nodes answer: '),
    });
    await expect(found).rejects.not.toThrow('do not answer');
  } finally {
    lies.mockRestore();
  }
});

test('a push is told to all that have a copy', async () => {
  const { fetches } = started.host.services.resolve({ fetches: Fetches });
  const { answer, methods } = await asked(() => fetches.queue(alice, 'acme/part-3'));
  expect(answer).toEqual(['acme/part-3']);
  expect(methods.filter((method) => method === 'fetches.queue')).toHaveLength(2);
});

test.each([
  ['cloning', true, true],
  ['evicted', true, true],
  ['failed', true, false],
  ['cloning', false, false],
] as const)(
  'whether the node of a clone that is %s hears of a call, which names it (%s): %s',
  async (state, isNamed, isAsked) => {
    const name = 'acme/part-3';
    const info = (await started.repositories.list(alice)).find((each) => each.name === name);
    if (!info) throw new Error(`${name} is not there`);
    const absent = { message: 'it is not there yet', retryAfterSeconds: 1 };
    const found = { info: { ...info, clone: { state } }, formerNames: [], branches: [], absent };
    const find = vi.spyOn(CatalogueReplica.prototype, 'find').mockReturnValue(found);
    try {
      const opened = started.repositories.open(alice, name, { isNamed });
      if (isAsked) await opened.then((repository) => repository.resolve(undefined, signal));
      else await expect(opened).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
    } finally {
      find.mockRestore();
    }
  },
);

test('whether a call names repositories is decided by all that its caller may read', async () => {
  const filter = {
    authors: [],
    revisions: [],
    isRegex: false,
    count: 9,
    messages: ['needle'],
    contents: [],
    paths: [],
  };
  const told = async (work: () => Promise<unknown>): Promise<unknown[]> => {
    const calls = vi.spyOn(NodeClient.prototype, 'call');
    try {
      await work();
      return [...new Set(calls.mock.calls.filter(isForCaller).map(([, args]) => isNamedOf(args)))];
    } finally {
      calls.mockRestore();
    }
  };
  const search = (query: string) => told(() => started.search.find(alice, searchOf(query), signal));
  const commits = (repositories: string[]) =>
    told(() => started.history.commits(alice, { ...filter, repositories }, signal));
  expect(await search('needle')).toEqual([false]);
  expect(await search('repo:part needle')).toEqual([false]);
  expect(await search('repo:part-3 needle')).toEqual([true]);
  expect(await commits(['acme/part'])).toEqual([false]);
  expect(await commits(names)).toEqual([true]);
});

test('cluster status shows nodes and copies', async () => {
  const status = (): Promise<string> => started.host.run('cluster status', {});
  await expect.poll(status).toContain(`${names.length + 1} repositories, all copies are there.`);
  const text = await status();
  for (const { name, url } of started.cluster.nodes) expect(text).toMatch(new RegExp(`${name} +${url} +answers`));
});

test('how far the indexes are is told as a node tells it', async () => {
  const { states } = started.host.services.resolve({ states: IndexStates });
  const updated = { at: expect.stringMatching(/Z$/), milliseconds: expect.any(Number) };
  await expect
    .poll(() => states.list(alice))
    .toEqual(
      names.map((repo) =>
        expect.objectContaining({ repo, state: 'indexed', files: Object.keys(filesOf(repo)).length, updated }),
      ),
    );
});

test('names that few repositories have are found without a word about the others, and a revision that they lack is told', async () => {
  const find = (query: string) => started.symbols.search(alice, { ...parseQuery(query), limit: 3 }, signal);
  await expect
    .poll(() => find('type:symbol lone name'))
    .toMatchObject({ files: [{ repo: names[0] }], matchCount: 1, limitHit: false, notes: [] });
  await expect
    .poll(() => find('type:symbol rev:v1 needle'))
    .toMatchObject({ files: [{ repo: names[0] }], notes: ['Not every repository has the revision "v1".'] });
});

test('the host answers itself where no node answers any more once it is known which repositories matter', async () => {
  const [, far = '', user = ''] = names;
  const request = { repo: user, path: 'use.ts', symbol: 'farName' };
  const find = () => started.symbols.findDefinition(alice, request, signal);
  const whole = { files: [{ repo: far, path: 'far.ts', places: [{ line: 1 }] }] };
  // On a slow machine a node may answer before it has parsed a file.
  await expect.poll(find).toMatchObject(whole);
  const call = NodeClient.prototype.call;
  const lost = vi.spyOn(NodeClient.prototype, 'call').mockImplementation(function (this: typeof call, ...asked) {
    const [method, args] = asked;
    const isSecondRound = method === 'symbols.definition' && JSON.stringify(args).includes(far);
    if (isSecondRound) return Promise.reject(new NodeRefusal('a', 'is gone'));
    return Reflect.apply(call, this, asked);
  });
  try {
    await expect.poll(find).toMatchObject(whole);
    const methods = lost.mock.calls.map(([method]) => method);
    expect(methods).toContain('symbols.having');
    expect(methods.filter((method) => method === 'symbols.definition').length).toBeGreaterThan(1);
  } finally {
    lost.mockRestore();
  }
});

test('research whose node is lost after it has begun begins anew on the next copy', async () => {
  const stream = NodeClient.prototype.stream;
  let isLost = false;
  const told = vi.spyOn(NodeClient.prototype, 'stream').mockImplementation(async function* (
    this: typeof stream,
    ...asked
  ) {
    for await (const value of Reflect.apply(stream, this, asked)) {
      yield value;
      if (!isLost) {
        isLost = true;
        throw new NodeRefusal('a', 'is gone');
      }
    }
  });
  const find = async (): Promise<unknown> => {
    isLost = false;
    const work = { signal, reportProgress: (): void => {}, maxSeconds: 3600 };
    const task = { task: 'acme/part-3: `needle` is lost', repo: 'acme/part-3' };
    const { locations } = await started.researcher.locate(alice, task, work);
    return { isLost, locations };
  };
  try {
    // On a slow machine one of the two copies may not accept the call in time.
    await expect.poll(find).toMatchObject({ isLost: true, locations: [{ path: 'a.ts' }] });
  } finally {
    told.mockRestore();
  }
});

test('nodes that do not answer are named, and so is what no other has; all else is found at once', async () => {
  const [[first, ofFirst], [second, ofSecond]] = [...started.nodes] as [
    [string, StartedPlugins],
    [string, StartedPlugins],
  ];
  const find = (): Promise<SearchResult> => started.search.find(alice, searchOf('needle count:all'), signal);
  await ofFirst[Symbol.asyncDispose]();
  // On a slow machine a node may not accept a call in time.
  await expect.poll(find).toMatchObject({ fileCount: names.length, limitHit: false });
  await expect
    .poll(() => started.host.status()['repositories'])
    .toMatchObject({ isReady: true, failures: [{ name: first }] });
  await ofSecond[Symbol.asyncDispose]();
  const owners = (repo: string): string[] => started.cluster.ownersOf(repo).map(({ name }) => name);
  const lost = names.filter((repo) => owners(repo).every((name) => name === first || name === second));
  expect(lost.length).toBeGreaterThan(0);
  const after = await find();
  expect(after.missing).toContain(second);
  expect(after).toMatchObject({ fileCount: names.length - lost.length, limitHit: true });
  for (const repo of lost) expect(after.notes.join()).toContain(repo);
  // They are still there: they only cannot be read now.
  const repository = await started.repositories.open(alice, lost[0] ?? '');
  await expect(repository.resolve(undefined, signal)).rejects.toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 2,
  });
});
