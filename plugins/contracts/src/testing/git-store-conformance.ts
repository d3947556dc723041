import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { identityText } from '../code/git/commit-record.ts';
import type { CommitRecord } from '../code/git/commit-record.ts';
import { hashesIn } from '../code/git/git-store.ts';
import type { CommitRange, GitStore, PatchOptions, PatchRange, StoredRepository } from '../code/git/git-store.ts';
import { readPatches } from '../code/git/patch-parser.ts';
import { symlink } from './fast-import.ts';
import { RepositoryBuilder } from './repository-builder.ts';
import type { ServedRepositories } from './served-repositories.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Serves the repositories of a folder for a test. */
export type ServeStore = (options: ServedRepositories) => Promise<{ readonly store: GitStore } & AsyncDisposable>;

export interface GitStoreConformanceCase {
  /** A sentence about behaviour. */
  readonly name: string;
  run(serve: ServeStore): Promise<void>;
}

const { signal } = new AbortController();

/** What every implementation of `GitStore` must do; run each case as a test of its own. */
export const gitStoreConformance: readonly GitStoreConformanceCase[] = [
  {
    name: 'lists and finds what is served, and says why another is absent',
    run: (serve) => withServed(serve, listing),
  },
  { name: 'tells the graph as git rev-list does', run: (serve) => withServed(serve, graph) },
  { name: 'tells commits as git log does, and maps identities', run: (serve) => withServed(serve, commits) },
  { name: 'tells changed paths and lines as git diff does', run: (serve) => withServed(serve, changes) },
  { name: 'compares two commits, as a whole or in some paths', run: (serve) => withServed(serve, pairs) },
  {
    name: 'gives the commits before a missing object, and then says that it cannot go on',
    run: (serve) => withServed(serve, missing),
  },
  {
    name: 'says where the history of a shallow clone is cut, and not that its first commits changed all files',
    run: (serve) => withServed(serve, shallow),
  },
  { name: 'stops when the signal aborts', run: (serve) => withServed(serve, aborting) },
];

interface Served {
  readonly store: GitStore;
  readonly shop: RepositoryBuilder;
  readonly repository: StoredRepository;
}

async function withServed(serve: ServeStore, check: (served: Served) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const shop = builtShop(join(folder.path, 'shop.git'));
  const cut = join(folder.path, 'cut.git');
  execFileSync('git', ['clone', '--quiet', '--bare', '--depth=2', `file://${shop.folder}`, cut], { stdio: 'pipe' });
  const repositories = { 'acme/shop': shop.folder, 'acme/cut': cut };
  await using served = await serve({ folder: folder.path, repositories, hidden: [] });
  const repository = await served.store.find('acme/shop');
  assert.ok(repository);
  await check({ store: served.store, shop, repository });
}

function builtShop(folder: string): RepositoryBuilder {
  const shop = new RepositoryBuilder({ folder, isBare: true });
  const lines = (...words: string[]): string => words.map((word) => `${word}\n`).join('');
  const ada = { name: 'Ada', email: 'ada@old' };
  shop.commit({
    files: { a: lines('one', 'two', 'three'), 'b c': 'x\n' },
    message: 'first\n\nwith a body',
    author: ada,
  });
  const fork = shop.commit({
    files: { a: lines('one', '2', 'three', 'four'), '.mailmap': 'Ada L <ada@new> <ada@old>\n' },
  });
  const side = shop.commit({ branch: 'side', parents: [fork], files: { side: lines('s') } });
  shop.commit({ files: { a: symlink('target'), 'b c': null, größe: lines('groß') } });
  shop.commit({ parents: [shop.git('rev-parse', 'main'), side], message: 'merge' });
  shop.commit({ files: { binary: Buffer.from('a\0b'), empty: '' } });
  return shop;
}

const revList = (shop: RepositoryBuilder, ...args: string[]): string[] =>
  shop
    .git('rev-list', ...args)
    .split('\n')
    .filter((line) => line !== '');

async function listing({ store }: Served): Promise<void> {
  assert.deepEqual(
    (await store.list()).map(({ name }) => name),
    ['acme/cut', 'acme/shop'],
  );
  assert.deepEqual(await store.names(), ['acme/cut', 'acme/shop']);
  assert.equal((await store.find('acme/shop'))?.name, 'acme/shop');
  assert.equal(await store.find('acme/none'), undefined);
  assert.equal((await store.whyAbsent('acme/none')).code, 'unavailable');
}

async function graph({ repository, shop }: Served): Promise<void> {
  const hash = (revision: string): string => shop.git('rev-parse', revision);
  const expectGraph = async (range: CommitRange, ...args: string[]): Promise<void> => {
    const wanted = revList(shop, '--timestamp', '--parents', ...args).map((line) => line.split(' '));
    const found = await repository.graph(range, { signal });
    assert.deepEqual(
      hashesIn(found),
      wanted.map(([, each]) => each),
      args.join(' '),
    );
    assert.deepEqual(
      [...found.times],
      wanted.map(([time]) => Number(time)),
    );
    const parents = { hashes: found.parents, hashBytes: found.hashBytes };
    const columns = { ...found, ...parents, times: new Float64Array(found.parents.length / found.hashBytes) };
    assert.deepEqual(
      hashesIn(columns),
      wanted.flatMap(([, , ...each]) => each),
    );
    assert.equal(found.parentStarts.at(-1), columns.times.length);
  };
  await expectGraph({ include: [hash('main')] }, 'main');
  await expectGraph({ include: [hash('main')], exclude: [hash('side')] }, 'main', '^side');
  await expectGraph({ include: [hash('main')], withoutMerges: true }, '--no-merges', 'main');
  await expectGraph({ include: [hash('main')], most: 2 }, '--max-count=2', 'main');
  await expectGraph({ include: ['1'.repeat(40), hash('side')] }, 'side');
  assert.deepEqual(hashesIn(await repository.graph({ include: ['1'.repeat(40)] }, { signal })), []);
}

interface Told {
  readonly records: CommitRecord[];
  readonly paths: string[];
  readonly binaries: string[];
  /** `path: line`, without lines of context. */
  readonly changed: string[];
  readonly headers: string[];
}

async function told(
  repository: StoredRepository,
  range: PatchRange,
  options: Omit<PatchOptions, 'signal'>,
): Promise<Told> {
  const found: Told = { records: [], paths: [], binaries: [], changed: [], headers: [] };
  let at = '';
  await readPatches(repository.patches(range, { ...options, signal }), {
    commit: (record) => found.records.push(record),
    path: (path) => found.paths.push(path),
    binary: (path) => found.binaries.push(path),
    hunk: (path, header) => {
      at = path;
      found.headers.push(header);
    },
    line: (line) => {
      const text = line.toString();
      if (/^[+-]/.test(text)) found.changed.push(`${at}: ${text}`);
    },
  });
  return found;
}

async function commits({ repository, shop }: Served): Promise<void> {
  const all = revList(shop, 'main');
  const { records, paths } = await told(repository, { commits: all }, { wants: 'commits' });
  const format = '%H%x00%an <%ae>%x00%aN <%aE>%x00%at%x00%ct%x00%P%x00%B';
  const wanted = all.map((commit) =>
    shop.git('-c', 'mailmap.blob=HEAD:.mailmap', 'log', '-1', `--format=${format}`, commit).split('\0'),
  );
  assert.deepEqual(
    records.map(({ hash, author, mapped, authored, time, parents, message }) => [
      hash,
      identityText(author),
      identityText(mapped),
      String(authored),
      String(time),
      parents.join(' '),
      message,
    ]),
    wanted.map((fields) => fields.map((field) => field.trimEnd())),
  );
  assert.deepEqual(paths, []);
  const ada = { name: 'Ada', email: 'ada@old' };
  const mapped = await repository.mailmap([ada, { name: 'Bob', email: 'bob@x' }], { signal });
  assert.deepEqual(mapped, [[ada, { name: 'Ada L', email: 'ada@new' }]]);
}

async function changes({ repository, shop }: Served): Promise<void> {
  for (const commit of revList(shop, 'main')) {
    const options = ['--root', '-r', '--no-commit-id', '--no-renames', '-c', commit].filter((each) => each !== '-c');
    const names = shop
      .git('diff-tree', '-z', '--name-only', ...options)
      .split('\0')
      .slice(0, -1);
    const { records, paths, changed, binaries } = await told(repository, { commits: [commit] }, { wants: 'hunks' });
    assert.deepEqual(
      records.map(({ hash }) => hash),
      [commit],
    );
    assert.deepEqual(paths, names, commit);
    assert.deepEqual((await told(repository, { commits: [commit] }, { wants: 'paths' })).paths, names);
    assert.deepEqual(
      binaries,
      names.filter((name) => name === 'binary'),
    );
    const numbers = shop
      .git('diff-tree', '-z', '--numstat', ...options)
      .split('\0')
      .slice(0, -1);
    for (const [added = '', removed = '', name = ''] of numbers.map((line) => line.split('\t'))) {
      const count = (marker: string): number => changed.filter((line) => line.startsWith(`${name}: ${marker}`)).length;
      assert.deepEqual([count('+'), count('-')], [Number(added) || 0, Number(removed) || 0], `${commit} ${name}`);
    }
  }
}

async function pairs({ repository, shop }: Served): Promise<void> {
  const [from, to] = [shop.git('rev-parse', 'main~4'), shop.git('rev-parse', 'main~3')];
  const whole = await told(repository, { from, to }, { wants: 'hunks' });
  assert.deepEqual([whole.records, whole.paths], [[], ['.mailmap', 'a']]);
  assert.deepEqual(
    whole.changed.filter((line) => line.startsWith('a: ')),
    ['a: -two', 'a: +2', 'a: +four'],
  );
  const narrow = await told(repository, { from, to, paths: ['a'] }, { wants: 'hunks', contextLines: 0 });
  assert.deepEqual([narrow.paths, narrow.headers], [['a'], ['@@ -2 +2 @@ one', '@@ -3,0 +4 @@ three']]);
}

async function missing({ repository, shop }: Served): Promise<void> {
  const all = revList(shop, 'main');
  const blob = shop.git('rev-parse', 'main~3:a');
  rmSync(join(shop.folder, 'objects', blob.slice(0, 2), blob.slice(2)));
  const seen: string[] = [];
  const pieces = repository.patches({ commits: all }, { wants: 'hunks', signal });
  await assert.rejects(readPatches(pieces, { commit: ({ hash }) => seen.push(hash) }), { code: 'unavailable' });
  assert.ok(seen.length > 0 && seen.length < all.length);
  assert.deepEqual(seen, all.slice(0, seen.length));
  const records: string[] = [];
  const others = repository.patches({ commits: all }, { wants: 'commits', signal });
  await readPatches(others, { commit: ({ hash }) => records.push(hash) });
  assert.deepEqual(records, all);
}

async function shallow({ repository, store }: Served): Promise<void> {
  assert.equal(await repository.shallow(signal), '');
  const cut = await store.find('acme/cut');
  assert.ok(cut);
  assert.notEqual(await cut.shallow(signal), '');
  const head = await cut.head(signal);
  const found = await cut.graph({ include: [head ?? ''] }, { signal });
  assert.ok(found.times.length < 6);
  const begin = hashesIn(found).at(-1) ?? '';
  const [hashes, parents, paths]: [string[], string[], string[]] = [[], [], []];
  const sink = {
    commit: (record: CommitRecord) => void (hashes.push(record.hash), parents.push(...record.parents)),
    path: (path: string) => void paths.push(path),
  };
  for (const wants of ['paths', 'hunks'] as const)
    await readPatches(cut.patches({ commits: [begin] }, { wants, signal }), sink);
  assert.deepEqual([hashes, parents, paths], [[begin, begin], [], []]);
}

async function aborting({ repository, shop }: Served): Promise<void> {
  const reason = new Error('gone');
  const gone = AbortSignal.abort(reason);
  const include = [shop.git('rev-parse', 'main')];
  await assert.rejects(repository.graph({ include }, { signal: gone }), reason);
  await assert.rejects(
    readPatches(repository.patches({ commits: include }, { wants: 'hunks', signal: gone }), {}),
    reason,
  );
}
