import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { describe, expect, test } from 'vitest';
import { startSearch } from './testing/start-search.ts';
import type { StartedSearch } from './testing/start-search.ts';

const { signal } = new AbortController();
const alice = callerOf('alice');
const patient = { timeout: 60_000 };

async function pathsOf({ search }: StartedSearch, query: string): Promise<string[]> {
  const request = { ...parseQuery(`${query} count:all`), mode: 'keyword', limits: defaultSearchLimits } as const;
  const { files } = await search.find(alice, request, signal);
  return files.map(({ path }) => path).sort();
}

async function notesOf({ search }: StartedSearch, query: string): Promise<readonly string[]> {
  const { notes } = await search.find(
    alice,
    { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits },
    signal,
  );
  return notes;
}

const files = { 'src/a.ts': 'a needle\n', 'src/b.ts': 'another needle\n', 'c.txt': 'nothing\n' };

interface Made {
  /** The repository that is served. */
  readonly folder: string;
  readonly paths?: readonly string[];
  /** Where it borrows objects. */
  readonly sharedObjectStores?: readonly string[];
}

const cases: readonly (readonly [string, (folder: string) => Made])[] = [
  [
    'with SHA-256',
    (folder) => {
      const made = new RepositoryBuilder({ folder: join(folder, 'r.git'), isBare: true, objectFormat: 'sha256' });
      made.commit({ files });
      return made;
    },
  ],
  [
    'that is shallow',
    (folder) => {
      const from = new RepositoryBuilder({ folder: join(folder, 'from.git'), isBare: true });
      from.commit({ files: { 'src/a.ts': 'old\n' } });
      from.commit({ files });
      return cloned(from, folder, '--depth=1');
    },
  ],
  [
    'that is a partial clone, whose missing blobs are found by their names',
    (folder) => {
      const from = new RepositoryBuilder({ folder: join(folder, 'from.git'), isBare: true });
      from.commit({ files: { ...files, 'needle.txt': 'x'.repeat(5000) } });
      from.git('config', 'uploadpack.allowFilter', 'true');
      const made = cloned(from, folder, '--filter=blob:limit=1k');
      return { ...made, paths: ['needle.txt', 'src/a.ts', 'src/b.ts'] };
    },
  ],
  [
    'whose objects are those of another',
    (folder) => {
      const from = new RepositoryBuilder({ folder: join(folder, 'from.git'), isBare: true });
      from.commit({ files });
      return { ...cloned(from, folder, '--shared'), sharedObjectStores: [from.folder] };
    },
  ],
  [
    'that is one more work tree',
    (folder) => {
      const from = new RepositoryBuilder({ folder: join(folder, 'from') });
      from.commit({ files });
      from.git('worktree', 'add', '--quiet', '--detach', join(folder, 'tree'), 'main');
      return { folder: join(folder, 'tree') };
    },
  ],
  [
    'without a commit',
    (folder) => ({ folder: new RepositoryBuilder({ folder: join(folder, 'r.git'), isBare: true }).folder, paths: [] }),
  ],
  [
    'with a hundred thousand refs',
    (folder) => {
      const made = new RepositoryBuilder({ folder: join(folder, 'r.git'), isBare: true });
      const commit = made.commit({ files });
      const refs = Array.from({ length: 100_000 }, (_, i) => `${commit} refs/heads/many/${String(i).padStart(6, '0')}`);
      writeFileSync(
        join(made.folder, 'packed-refs'),
        `# pack-refs with: sorted \n${[`${commit} refs/heads/main`, ...refs].join('\n')}\n`,
      );
      rmSync(join(made.folder, 'refs/heads/main'), { force: true });
      return made;
    },
  ],
];

function cloned(from: RepositoryBuilder, folder: string, ...options: string[]): Made {
  const url = options[0] === '--shared' ? from.folder : pathToFileURL(from.folder).href;
  const into = join(folder, 'r.git');
  execFileSync('git', ['clone', '--quiet', '--bare', ...options, url, into], { stdio: 'ignore' });
  return { folder: into };
}

test.each(cases)('a repository %s is searched', async (_what, make) => {
  using folder = temporaryFolder();
  const { folder: repository, paths = ['src/a.ts', 'src/b.ts'], sharedObjectStores = [] } = make(folder.path);
  await using started = await startSearch({ folder: folder.path, repositories: { r: repository }, sharedObjectStores });
  expect(await pathsOf(started, 'needle')).toEqual(paths);
  await started.ready();
  await expect.poll(() => started.status()['search'], patient).toMatchObject({ isReady: true });
});

describe('a repository in which something is missing', () => {
  test.each([
    ['gone', (path: string) => rmSync(path)],
    ['no object', (path: string) => replace(path, Buffer.from('no object'))],
  ])('such as a blob (%s) is searched without that, and counts it, until it is there', async (_how, damage) => {
    using folder = temporaryFolder();
    const made = new RepositoryBuilder({ folder: join(folder.path, 'r.git'), isBare: true });
    made.commit({ files });
    const path = looseObject(made, 'main:src/b.ts');
    const content = readFileSync(path);
    damage(path);
    await using started = await startSearch({ folder: folder.path, repositories: { r: made.folder } });
    await started.ready();
    expect(await pathsOf(started, 'needle')).toEqual(['src/a.ts']);
    for (const query of ['needle', 'nowhere', 'repo:r nowhere'])
      expect(await notesOf(started, query)).toEqual(['Not searched: 1 file of r (content missing or damaged).']);
    const reason = new RegExp(`1 of 3 files could not be read.* object ${made.git('rev-parse', 'main:src/b.ts')}`);
    await expect
      .poll(() => started.status()['search']?.failures, patient)
      .toEqual([{ name: 'r', reason: expect.stringMatching(reason) }]);
    await expect
      .poll(() => started.status()['search']?.detail, patient)
      .toMatchObject({ files: 3, withoutText: 0, missing: 1 });
    replace(path, content);
    made.commit({ files: { 'd.txt': 'more\n' } });
    await expect.poll(() => pathsOf(started, 'needle'), patient).toEqual(['src/a.ts', 'src/b.ts']);
  });

  test.each([
    ['the end of a blob', 'main:src/b.ts', (path: string) => replace(path, readFileSync(path).subarray(0, -12))],
    ['the commit that HEAD names', 'main', (path: string) => rmSync(path)],
    ['the tree of that commit', 'main^{tree}', (path: string) => rmSync(path)],
  ])('such as %s cannot be searched, which is said, until it is there', async (_what, name, damage) => {
    using folder = temporaryFolder();
    const made = new RepositoryBuilder({ folder: join(folder.path, 'r.git'), isBare: true });
    made.commit({ files });
    const path = looseObject(made, name);
    const content = readFileSync(path);
    damage(path);
    await using started = await startSearch({ folder: folder.path, repositories: { r: made.folder } });
    await expect(pathsOf(started, 'needle')).rejects.toMatchObject({ name: 'SextantError' });
    replace(path, content);
    const found = (): Promise<unknown> => pathsOf(started, 'needle').catch(String);
    await expect.poll(found, patient).toEqual(['src/a.ts', 'src/b.ts']);
  });
});

/** The file of an object, which is no longer in a pack. */
function looseObject(made: RepositoryBuilder, name: string): string {
  const id = made.git('rev-parse', name);
  const packs = join(made.folder, 'objects/pack');
  for (const pack of readdirSync(packs).filter((file) => file.endsWith('.pack'))) {
    const input = readFileSync(join(packs, pack));
    for (const file of readdirSync(packs)) rmSync(join(packs, file), { force: true });
    execFileSync('git', ['-C', made.folder, 'unpack-objects', '-q'], { input });
  }
  return join(made.folder, 'objects', id.slice(0, 2), id.slice(2));
}

/** Files of objects cannot be written, but replaced. */
function replace(path: string, content: Uint8Array): void {
  rmSync(path, { force: true });
  writeFileSync(path, content);
}

test('while its history is rewritten and old objects are removed, each search sees what was or what is, never a part', async () => {
  using folder = temporaryFolder();
  const made = new RepositoryBuilder({ folder: join(folder.path, 'r.git'), isBare: true });
  const generation = (n: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}.txt`, `needle of generation ${n}, file ${i}\n`]));
  made.commit({ files: generation(0) });
  await using started = await startSearch({ folder: folder.path, repositories: { r: made.folder } });
  await started.ready();
  const rewriting = new AbortController();
  const seen = new Set<string>();
  const searching = Array.from({ length: 4 }, async () => {
    while (!rewriting.signal.aborted) {
      const request = { ...parseQuery('needle count:all'), mode: 'keyword', limits: defaultSearchLimits } as const;
      const result = await started.search.find(alice, request, signal);
      const generations = result.files.map(({ matches }) => /generation (\d+)/.exec(matches[0]?.text ?? '')?.[1]);
      expect(result.files).toHaveLength(20);
      expect(new Set(generations).size).toBe(1);
      seen.add(generations[0] ?? '');
    }
  });
  for (let n = 1; n <= 8; n += 1) {
    made.commit({ parents: [], files: generation(n) });
    made.git('reflog', 'expire', '--expire=now', '--all');
    made.git('gc', '--quiet', '--prune=now');
  }
  await expect.poll(() => seen.has('8'), patient).toBe(true);
  rewriting.abort();
  await Promise.all(searching);
});
