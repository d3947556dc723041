import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { CommitRequest, DiffRequest } from '@sextant/contracts';
import { RepositoryBuilder, damagedRepositories, temporaryFolder } from '@sextant/contracts/testing';
import { isSextantError } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { startHistory, startIndexed } from './testing/start-history.ts';
import type { StartedHistory } from './testing/start-history.ts';

const { signal } = new AbortController();
const alice = callerOf('alice');
const none = { authors: [], revisions: [], isRegex: false };
const commits: CommitRequest = {
  ...none,
  repositories: ['healthy', 'odd'],
  messages: [],
  contents: [],
  paths: [],
  count: 500,
};
const diffs: DiffRequest = { ...none, repositories: ['.'], pattern: 'needle', sides: ['added', 'removed'], count: 50 };
const dates = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function healthyIn(folder: string): RepositoryBuilder {
  const builder = new RepositoryBuilder({ folder: join(folder, 'healthy.git'), isBare: true });
  builder.commit({ files: { a: 'needle\n' }, message: 'needle' });
  return builder;
}

/** A commit of these bytes on a branch of its own; `%` stands for a tree that there is. */
function writeCommit(builder: RepositoryBuilder, branch: string, bytes: Buffer): string {
  const hash = builder.writeObject('commit', bytes);
  // Git refuses a ref to what it cannot parse; whoever makes a repository need not ask it.
  writeFileSync(join(builder.folder, 'refs', 'heads', branch), `${hash}\n`);
  return hash;
}

/** Every search of history, over all that is served. */
const searches = ({ history }: StartedHistory, revisions: readonly string[] = []) => [
  () => history.commits(alice, { ...commits, revisions }, signal),
  () => history.commits(alice, { ...commits, revisions, contents: ['needle'] }, signal),
  () => history.commits(alice, { ...commits, revisions, paths: ['a'] }, signal),
  () => history.commits(alice, { ...commits, revisions, authors: ['a'], messages: ['needle'] }, signal),
  () => history.diffs(alice, { ...diffs, revisions }, signal),
  () => history.find(alice, { ...parseQuery('type:commit needle'), limit: defaultSearchLimits.files }, signal),
  () => history.contributors(alice, { authors: ['a'], minCommits: 1, limit: 20 }, signal),
];

describe('commits with dates that no calendar has', () => {
  const odd = [
    '8640000000001 +0000',
    '253402300800 +0000',
    '-5 +0000',
    '9223372036854775808 +0000',
    '18446744073709551615 +0000',
    '99999999999999999999999999 +0000',
    '1700000000',
    '1700000000 +99999999',
    'yesterday +0000',
    '',
  ];

  test.each([startHistory, startIndexed])('are found by every search, and so are the others (%o)', async (start) => {
    using folder = temporaryFolder();
    const healthy = healthyIn(folder.path);
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'odd.git'), isBare: true });
    builder.commit({ files: { a: 'needle\n' } });
    const tree = builder.git('rev-parse', 'main^{tree}');
    const hashes = odd.map((date, index) => {
      const lines = [
        `tree ${tree}`,
        `author Ada <ada@x> ${date}`,
        `committer Ada <ada@x> ${date}`,
        '',
        `needle ${index}\n`,
      ];
      return writeCommit(builder, `odd${index}`, Buffer.from(lines.join('\n')));
    });
    writeFileSync(join(builder.folder, 'HEAD'), 'ref: refs/heads/odd0\n');
    await using served = await start({
      folder: folder.path,
      repositories: { odd: builder.folder, healthy: healthy.folder },
      hidden: [],
    });
    const revisions = ['*refs/heads/*'];
    const { results } = await served.history.commits(alice, { ...commits, revisions, contents: ['needle'] }, signal);
    expect(results.map(({ commit }) => commit)).toEqual(expect.arrayContaining(hashes));
    expect(results.map(({ repo }) => repo)).toContain('healthy');
    expect(results.filter(({ date }) => !dates.test(date))).toEqual([]);
    for (const search of searches(served)) expect(JSON.stringify(await search())).toContain('healthy');
    const { contributions } = await served.history.contributors(
      alice,
      { authors: ['ada'], minCommits: 1, limit: 20 },
      signal,
    );
    expect(contributions.find(({ repo }) => repo === 'odd')?.latest).toBe('9999-12-31T23:59:59Z');
    const repository = await served.repositories.open(alice, 'odd');
    for (const hash of hashes) expect((await repository.readCommit(hash, signal)).committer.date).toMatch(dates);
    const { refs } = await repository.listRefs({ types: ['branch', 'tag'], limit: 50 }, signal);
    expect(refs.filter(({ date }) => !dates.test(date))).toEqual([]);
  });
});

test('commits of any bytes: every search ends with an answer, or with an error that is meant for the caller', async () => {
  using folder = temporaryFolder();
  const healthy = healthyIn(folder.path);
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'odd.git'), isBare: true });
  const parent = builder.commit({ files: { a: 'needle\n' } });
  const tree = builder.git('rev-parse', 'main^{tree}');
  const text = fc.oneof(
    fc.constantFrom(
      '',
      'Ada <ada@x> 1700000000 +0000',
      'Ada <ada@x',
      '<> -1 +',
      '\0',
      '\u00ff',
      tree,
      parent,
      'utf-7',
      'ISO-2022-JP',
    ),
    fc.string({ maxLength: 20 }),
  );
  const name = fc.constantFrom('tree', 'parent', 'author', 'committer', 'encoding', 'gpgsig', 'mergetag', '', ' ');
  const header = fc.tuple(name, text).map((parts) => parts.join(' '));
  const usual = [
    `tree ${tree}`,
    `parent ${parent}`,
    'author Ada <ada@x> 1700000000 +0000',
    'committer Ada <ada@x> 1 +0000',
  ];
  const headers = fc.oneof(
    fc.array(header, { maxLength: 6 }),
    fc
      .tuple(fc.shuffledSubarray(usual, { minLength: 1 }), fc.array(header, { maxLength: 3 }))
      .map((parts) => parts.flat()),
    fc.array(header, { maxLength: 3 }).map((more) => [...usual, ...more]),
  );
  const commit = fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .tuple(headers, text)
        .map(([lines, message]) => Buffer.from(`${lines.join('\n')}\n\n${message}`, 'latin1')),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  );
  const written = fc
    .sample(commit, { numRuns: 24, seed: 7 })
    .map((bytes, index) => writeCommit(builder, `b${index}`, bytes));
  for (const start of [startHistory, startIndexed]) {
    const data = join(folder.path, start.name);
    await using served = await start({
      folder: data,
      repositories: { odd: builder.folder, healthy: healthy.folder },
      hidden: [],
    });
    const revisions = written.map((_, index) => [`b${index}`]);
    for (const asked of [[], ['*refs/heads/*'], ...revisions.slice(0, 1)])
      for (const search of searches(served, asked)) await expectForCaller(search());
    const repository = await served.repositories.open(alice, 'odd');
    await expectForCaller(repository.listRefs({ types: ['branch', 'tag'], limit: 500 }, signal));
    for (const hash of written) {
      await expectForCaller(repository.readCommit(hash, signal));
      await expectForCaller(repository.compare({ base: '', head: hash, offset: 0, limit: 50 }, signal));
    }
    expect(served.status()['history']?.isReady).toBe(start === startIndexed);
  }
});

async function expectForCaller(work: Promise<unknown>): Promise<void> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error !== undefined) expect(isSextantError(error) ? error.code : error).not.toBe('internal');
  if (error !== undefined) expect([error, isSextantError(error)]).toEqual([error, true]);
}

test('what cannot be indexed is named with its reason, and the service is ready without it', async () => {
  using folder = temporaryFolder();
  const { repositories, hidden } = damagedRepositories(folder.path);
  await using served = await startIndexed({ folder: folder.path, repositories, hidden });
  const failures = served.status()['history']?.failures ?? [];
  expect(failures.map(({ name }) => name)).toContain('commitless');
  const commitless = failures.find(({ name }) => name === 'commitless');
  expect(commitless).toMatchObject({
    reason: expect.stringMatching(/object [0-9a-f]{40}/),
    since: expect.any(String),
    nextTry: expect.any(String),
  });
  expect(JSON.stringify(failures)).not.toContain(folder.path);
});

test('a text file that git would need gigabytes to compare counts as binary', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'odd.git'), isBare: true });
  builder.commit({ files: { a: 'needle\n', big: '\n'.repeat((16 << 20) + 1) } });
  const big = builder.commit({ files: { a: 'needle\n', big: 'needle\n'.repeat(3 << 20) } });
  await using served = await startIndexed({ folder: folder.path, repositories: { odd: builder.folder }, hidden: [] });
  const found = await served.history.diffs(alice, { ...diffs, pattern: 'needle' }, signal);
  expect(found.results.map(({ path }) => path)).toEqual(['a']);
  const byPath = await served.history.commits(alice, { ...commits, repositories: ['odd'], paths: ['big'] }, signal);
  expect(byPath.results.map(({ commit }) => commit)).toContain(big);
});

test('a history that is pushed over, collected and removed while callers search it', { timeout: 60_000 }, async () => {
  using folder = temporaryFolder();
  const healthy = healthyIn(folder.path);
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'odd.git'), isBare: true });
  builder.commit({ files: { a: 'needle\n' } });
  await using served = await startIndexed({
    folder: folder.path,
    repositories: { odd: builder.folder, healthy: healthy.folder },
    hidden: [],
  });
  const over = new AbortController();
  const caller = async (): Promise<void> => {
    while (!over.signal.aborted)
      for (const search of searches(served)) {
        const answer = await search();
        expect(JSON.stringify(answer)).toContain('healthy');
      }
  };
  const callers = Promise.all([caller(), caller()]);
  try {
    for (let i = 0; i < 6; i += 1) {
      builder.commit({ parents: [], files: { a: `needle ${i}\n` } });
      builder.git('reflog', 'expire', '--expire=now', '--all');
      builder.git('gc', '--quiet', '--prune=now');
    }
    rmSync(builder.folder, { recursive: true });
    await vi.waitFor(
      async () => {
        const { notes } = await served.history.commits(alice, { ...commits, messages: ['gone'] }, signal);
        expect(notes.join()).toMatch(/odd/);
      },
      { timeout: 20_000 },
    );
  } finally {
    over.abort();
    await callers;
  }
});
