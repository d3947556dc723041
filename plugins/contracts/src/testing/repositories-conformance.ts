import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSextantError } from '@sextant/core';
import type { ErrorCode } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import type { Repositories, Repository } from '../code/repositories.ts';
import { damagedRepositories } from './damaged-repositories.ts';
import { submodule, symlink } from './fast-import.ts';
import { RepositoryBuilder } from './repository-builder.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Serves bare repositories for a test: every name leads to a folder; the hidden ones only administrators may read. */
export type ServeRepositories = (options: {
  readonly folder: string;
  readonly repositories: Readonly<Record<string, string>>;
  readonly hidden: readonly string[];
}) => Promise<{ readonly repositories: Repositories } & AsyncDisposable>;

export interface ConformanceCase {
  /** A sentence about behaviour. */
  readonly name: string;
  run(serve: ServeRepositories): Promise<void>;
}

const { signal } = new AbortController();
const alice = callerOf('alice');
const root = callerOf('root', { isSiteAdmin: true });

/** What every implementation of `Repositories` must do; run each case as a test of its own. */
export const repositoriesConformance: readonly ConformanceCase[] = [
  { name: 'lists what the caller may read, by name', run: (serve) => withServed(serve, listing) },
  { name: 'answers for a hidden repository as for one that does not exist', run: (serve) => withServed(serve, hiding) },
  { name: 'resolves branches, tags, hashes and steps from them', run: (serve) => withServed(serve, resolving) },
  { name: 'refuses what could be an option, a range or a search', run: (serve) => withServed(serve, refusing) },
  { name: 'reads text, and says what else there is', run: (serve) => withServed(serve, reading) },
  { name: 'reads what is stored, and what stands at a path', run: (serve) => withServed(serve, readingBytes) },
  { name: 'reads a commit as it was made', run: (serve) => withServed(serve, readingCommits) },
  { name: 'tells of each line the commit that it comes from', run: (serve) => withServed(serve, blaming) },
  { name: 'follows lines through the history of their file', run: (serve) => withServed(serve, tracing) },
  { name: 'compares a commit with nothing', run: (serve) => withServed(serve, comparingWithNothing) },
  { name: 'lists directories first, each group by name', run: (serve) => withServed(serve, trees) },
  { name: 'lists refs, the default branch first', run: (serve) => withServed(serve, refs) },
  { name: 'compares from the merge base, in pages that fit together', run: (serve) => withServed(serve, comparing) },
  { name: 'says what the history of a shallow clone does not tell', run: cutHistory },
  { name: 'stops when the signal aborts', run: (serve) => withServed(serve, aborting) },
  { name: 'says which repository is damaged in each method, and reads the others as before', run: damaged },
];

interface Served {
  readonly repositories: Repositories;
  readonly shop: Repository;
  readonly builder: RepositoryBuilder;
  readonly first: string;
  readonly second: string;
}

async function withServed(serve: ServeRepositories, check: (served: Served) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  const files = {
    'README.md': '# Shop\n',
    'src/a.ts': 'a\nb\n',
    'src/deep/b.ts': '',
    logo: Buffer.from([0, 1]),
    link: symlink('README.md'),
    lib: submodule('1'.repeat(40)),
  };
  const first = builder.commit({ files });
  builder.commit({ branch: 'topic', parents: [first], files: { 'src/a.ts': 'a\nc\n', 'src/new.ts': 'n\n' } });
  const second = builder.commit({ files: { 'README.md': '# The shop\n' } });
  builder.tag({ name: 'v1', commit: first, message: 'one' });
  const hidden = new RepositoryBuilder({ folder: join(folder.path, 'vault.git'), isBare: true });
  hidden.commit();
  const paths = { 'acme/shop': builder.folder, 'acme/vault': hidden.folder };
  await using served = await serve({ folder: folder.path, repositories: paths, hidden: ['acme/vault'] });
  const shop = await served.repositories.open(alice, 'acme/shop');
  await check({ repositories: served.repositories, shop, builder, first, second });
}

async function listing({ repositories }: Served): Promise<void> {
  assert.deepEqual(
    (await repositories.list(alice)).map(({ name }) => name),
    ['acme/shop'],
  );
  const all = await repositories.list(root);
  assert.deepEqual(
    all.map(({ name, isPrivate, defaultBranch }) => [name, isPrivate, defaultBranch]),
    [
      ['acme/shop', false, 'main'],
      ['acme/vault', true, 'main'],
    ],
  );
}

async function hiding({ repositories }: Served): Promise<void> {
  const refusals = await Promise.all(
    ['acme/vault', 'acme/vaulx'].map((name) =>
      refusalOf(repositories.open(alice, name)).then(({ code, message }) => ({
        code,
        message: message.replaceAll(name, '…'),
      })),
    ),
  );
  assert.equal(refusals[0]?.code, 'not_found');
  assert.deepEqual(refusals[0], refusals[1]);
  await repositories.open(root, 'acme/vault');
}

async function resolving({ shop, first, second }: Served): Promise<void> {
  for (const revision of [undefined, 'HEAD', 'main', 'refs/heads/main', second, second.slice(0, 8), 'main^0'])
    assert.equal(await shop.resolve(revision, signal), second, revision);
  for (const revision of ['v1', 'refs/tags/v1', 'main~1', 'main^', 'main^{commit}~', 'topic~'])
    assert.equal(await shop.resolve(revision, signal), first, revision);
  for (const revision of ['nothing', 'main~9', '0'.repeat(40), 'deadbeef'])
    await refused(shop.resolve(revision, signal), 'not_found', revision);
}

async function refusing({ shop }: Served): Promise<void> {
  const odd = [
    '',
    '-x',
    '--all',
    'main..topic',
    'main...topic',
    'main@{1}',
    '@{u}',
    'main^@',
    'main^!',
    'main^-',
    ':/Shop',
    'main^{/Shop}',
    'main:src',
  ];
  for (const revision of [
    ...odd,
    'main^{tree}',
    'a b',
    'a\0b',
    'a\nb',
    '*',
    'm[ai]n',
    'main?',
    '^main',
    'x'.repeat(10_000),
  ])
    await refused(shop.resolve(revision, signal), 'invalid_argument', revision);
}

async function reading({ shop, first }: Served): Promise<void> {
  assert.deepEqual(await shop.readText(first, 'src/a.ts', signal), {
    text: 'a\nb\n',
    bytes: 4,
    encoding: 'utf-8',
    lineStarts: [0, 2],
  });
  for (const revision of ['v1', first])
    assert.deepEqual(await shop.readTextAt(revision, 'src/a.ts', signal), {
      commit: first,
      file: await shop.readText(first, 'src/a.ts', signal),
    });
  await refused(shop.readTextAt('nothing', 'src/a.ts', signal), 'not_found', 'an unknown revision');
  assert.deepEqual((await shop.readText(first, 'src/deep/b.ts', signal)).lineStarts, []);
  assert.equal((await shop.readText(first, 'link', signal)).text, 'README.md');
  for (const path of [
    'src',
    'src/',
    'lib',
    'logo',
    '',
    'README.md/',
    '/README.md',
    'src/../README.md',
    './README.md',
    'src//a.ts',
    'a\0',
    'x'.repeat(5000),
  ])
    await refused(shop.readText(first, path, signal), 'invalid_argument', path);
  for (const path of ['src/none', 'none/a.ts']) await refused(shop.readText(first, path, signal), 'not_found', path);
  await refused(shop.readText('0'.repeat(40), 'src/a.ts', signal), 'not_found', 'an unknown commit');
}

async function readingBytes({ shop, first }: Served): Promise<void> {
  assert.deepEqual([...(await shop.readBytes(first, 'logo', signal))], [0, 1]);
  assert.equal(Buffer.from(await shop.readBytes(first, 'link', signal)).toString(), 'README.md');
  await refused(shop.readBytes(first, 'src', signal), 'invalid_argument', 'a directory');
  await refused(shop.readBytes(first, 'lib', signal), 'invalid_argument', 'a submodule');
  const kinds = ['', 'src', 'README.md', 'link', 'lib'].map(
    async (path) => (await shop.find(first, path, signal)).kind,
  );
  assert.deepEqual(await Promise.all(kinds), ['directory', 'directory', 'file', 'symlink', 'submodule']);
  assert.equal((await shop.find(first, 'lib', signal)).id, '1'.repeat(40));
  await refused(shop.find(first, 'src/c.ts', signal), 'not_found', 'no file');
  await refused(shop.find(first, 'README.md/x', signal), 'invalid_argument', 'below a file');
}

async function readingCommits({ shop, first, builder }: Served): Promise<void> {
  const author = { name: 'Grace Hopper', email: 'grace@example.com' };
  const message = 'Fix: ü\n\nLonger.\n';
  const made = builder.commit({ branch: 'third', parents: [first], message, author, date: 1_700_000_000 });
  const person = { ...author, date: '2023-11-14T22:13:20Z' };
  assert.deepEqual(await shop.readCommit(made, signal), {
    commit: made,
    parents: [first],
    author: person,
    committer: person,
    message: 'Fix: ü\n\nLonger.',
  });
  assert.deepEqual((await shop.readCommit(first, signal)).parents, []);
  await refused(shop.readCommit('0'.repeat(40), signal), 'not_found', 'unknown');
  await refused(shop.readCommit('main', signal), 'invalid_argument', 'no full hash');
}

async function blaming({ shop, first, builder }: Served): Promise<void> {
  const author = { name: 'Grace Höpper', email: 'grace@example.com' };
  const made = builder.commit({
    branch: 'blamed',
    parents: [first],
    files: { 'src/a.ts': 'new\na\nb\nmore\n', '.mailmap': 'Other <other@example.com> <grace@example.com>\n' },
    message: 'Add two lines\n\nfilename of no file\n',
    author,
    date: 1_700_000_000,
  });
  const long = builder.commit({ branch: 'long', files: { long: 'x\n'.repeat(20_001) } });
  await refused(shop.blame({ commit: long, path: 'long' }, signal), 'too_large', 'too many lines');
  assert.equal((await shop.blame({ commit: long, path: 'long', startLine: 2 }, signal)).length, 20_000);
  const path = 'src/a.ts';
  const lines = await shop.blame({ commit: made, path }, signal);
  assert.deepEqual(
    lines.map(({ line, commit }) => [line, commit]),
    [
      [1, made],
      [2, first],
      [3, first],
      [4, made],
    ],
  );
  assert.deepEqual(lines[0], {
    line: 1,
    commit: made,
    author: { ...author, date: '2023-11-14T22:13:20Z' },
    title: 'Add two lines',
  });
  assert.deepEqual(await shop.blame({ commit: made, path, startLine: 2, endLine: 3 }, signal), lines.slice(1, 3));
  assert.deepEqual(await shop.blame({ commit: made, path, startLine: 4, endLine: 900 }, signal), lines.slice(3));
  assert.deepEqual(await shop.blame({ commit: first, path: 'src/deep/b.ts' }, signal), []);
  for (const range of [{ startLine: 0 }, { startLine: 5 }, { startLine: 3, endLine: 2 }, { startLine: 1.5 }])
    await refused(shop.blame({ commit: made, path, ...range }, signal), 'invalid_argument', JSON.stringify(range));
  for (const odd of ['src', 'logo', 'lib', ''])
    await refused(shop.blame({ commit: made, path: odd }, signal), 'invalid_argument', odd);
  await refused(shop.blame({ commit: made, path: 'none' }, signal), 'not_found', 'no file');
  await refused(shop.blame({ commit: 'main', path }, signal), 'invalid_argument', 'no full hash');
  await refused(shop.blame({ commit: '0'.repeat(40), path }, signal), 'not_found', 'unknown');
}

async function tracing({ shop, first, builder }: Served): Promise<void> {
  const commit = (files: Record<string, string | null>, parent: string, message: string): string =>
    builder.commit({ branch: 'traced', parents: [parent], files, message });
  const text = (middle: string): string => `one\ntwo\nthree\n${middle}\nfive\nsix\nseven\n`;
  const begun = commit({ 'old name.ts': text('four') }, first, 'Begin `it`');
  const renamed = commit({ 'old name.ts': null, 'new.ts': text('four') }, begun, 'Rename');
  const changed = commit({ 'new.ts': text('FOUR') }, renamed, 'Change\n\nmore');
  const head = commit({ 'new.ts': `zero\n${text('FOUR')}`, '.mailmap': 'X <x@x>\n' }, changed, 'Elsewhere');
  const lines = { commit: head, path: 'new.ts', startLine: 4, endLine: 6 };
  const { changes, hasMore } = await shop.trace({ ...lines, limit: 9 }, signal);
  assert.deepEqual(
    changes.map(({ commit: id, title, path }) => [id, title, path]),
    [
      [changed, 'Change', 'new.ts'],
      [begun, 'Begin `it`', 'old name.ts'],
    ],
  );
  assert.equal(hasMore, false);
  assert.deepEqual(changes[0]?.hunks, [
    { oldStart: 3, oldLines: 3, newStart: 3, newLines: 3, section: '', lines: [' three', '-four', '+FOUR', ' five'] },
  ]);
  assert.match(changes[0]?.author.date ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.deepEqual(await shop.trace({ ...lines, limit: 1 }, signal), { changes: changes.slice(0, 1), hasMore: true });
  assert.equal((await shop.trace({ ...lines, endLine: 900, limit: 9 }, signal)).changes.length, 2);
  for (const range of [{ startLine: 0 }, { startLine: 90 }, { startLine: 7 }])
    await refused(shop.trace({ ...lines, ...range, limit: 9 }, signal), 'invalid_argument', JSON.stringify(range));
  const long = builder.commit({ branch: 'long-traced', files: { long: 'x\n'.repeat(1001) } });
  const all = { commit: long, path: 'long', startLine: 1, endLine: 1001, limit: 1 };
  await refused(shop.trace(all, signal), 'too_large', 'too many lines');
  await refused(shop.trace({ ...lines, path: 'none', limit: 1 }, signal), 'not_found', 'no file');
}

async function cutHistory(serve: ServeRepositories): Promise<void> {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'whole.git'), isBare: true });
  const first = builder.commit({ files: { a: 'one\n' } });
  const begin = builder.commit({ files: { a: 'one\ntwo\n' } });
  const head = builder.commit({ files: { a: 'one\ntwo\nthree\n' } });
  builder.commit({ branch: 'side', parents: [begin], files: { b: 'side\n' } });
  builder.commit({ branch: 'old', parents: [first], files: { c: 'old\n' } });
  const cut = join(folder.path, 'cut.git');
  const options = ['--quiet', '--bare', '--depth=2', '--no-single-branch'];
  execFileSync('git', ['clone', ...options, `file://${builder.folder}`, cut], { stdio: 'pipe' });
  await using served = await serve({ folder: folder.path, repositories: { 'acme/cut': cut }, hidden: [] });
  const shop = await served.repositories.open(alice, 'acme/cut');
  const lines = { commit: head, path: 'a' };
  assert.deepEqual(
    (await shop.blame(lines, signal)).map(({ commit, isCut = false }) => [commit, isCut]),
    [
      [begin, true],
      [begin, true],
      [head, false],
    ],
  );
  const { changes, ...trace } = await shop.trace({ ...lines, startLine: 1, endLine: 3, limit: 9 }, signal);
  assert.deepEqual([changes.map(({ commit }) => commit), trace], [[head], { hasMore: false, isCut: true }]);
  const { isCut, parents } = await shop.readCommit(begin, signal);
  assert.deepEqual([isCut, parents], [true, [first]]);
  assert.equal((await shop.readCommit(head, signal)).isCut, undefined);
  assert.deepEqual(await shop.mergeBase('main', 'main', signal), { base: head, head });
  assert.match((await shop.mergeBase('main', 'side', signal)).note ?? 'none', /^none$/);
  assert.match((await shop.mergeBase('main', 'old', signal)).note ?? '', /no common ancestor/);
  const older = /only the later part of the history/;
  for (const missing of ['main~2', `${begin}^`]) {
    const { code, message } = await refusalOf(shop.resolve(missing, signal));
    assert.equal(code, 'not_found', missing);
    assert.match(message, older, missing);
  }
  const all = { types: ['branch'], limit: 9 } as const;
  assert.equal((await shop.listRefs(all, signal)).notes, undefined);
  const { refs: containing, notes = [] } = await shop.listRefs({ ...all, containsCommit: begin }, signal);
  assert.deepEqual(containing.map(({ name }) => name).toSorted(), ['main', 'side']);
  assert.match(notes.join(), older);
}

async function comparingWithNothing({ shop, first }: Served): Promise<void> {
  const all = await shop.compare({ base: '', head: first, offset: 0, limit: 10 }, signal);
  assert.deepEqual([all.base, all.head, all.totalFiles], ['', first, 6]);
  assert.deepEqual(
    all.files.map(({ path, status }) => [path, status]),
    ['README.md', 'lib', 'link', 'logo', 'src/a.ts', 'src/deep/b.ts'].map((path) => [path, 'added']),
  );
  assert.deepEqual(all.files[0]?.hunks[0]?.lines, ['+# Shop']);
}

async function trees({ shop, first }: Served): Promise<void> {
  const { entries, isTruncated } = await shop.listTree({ commit: first, path: '', limit: 100 }, signal);
  assert.deepEqual(
    entries.map(({ path, kind }) => `${kind} ${path}`),
    ['directory src', 'file README.md', 'submodule lib', 'symlink link', 'file logo'],
  );
  assert.equal(isTruncated, false);
  assert.deepEqual(await shop.listTree({ commit: first, path: 'src/', limit: 1 }, signal), {
    entries: [{ path: 'src/deep', kind: 'directory' }],
    isTruncated: true,
  });
  await refused(shop.listTree({ commit: first, path: 'README.md', limit: 9 }, signal), 'invalid_argument', 'a file');
  await refused(shop.listTree({ commit: first, path: 'none', limit: 9 }, signal), 'not_found', 'no directory');
}

async function refs({ shop, first, second }: Served): Promise<void> {
  const all = await shop.listRefs({ types: ['branch', 'tag'], limit: 10 }, signal);
  assert.deepEqual(
    all.refs.map(({ name, type, isDefault }) => [name, type, isDefault]),
    [
      ['main', 'branch', true],
      ['v1', 'tag', false],
      ['topic', 'branch', false],
    ],
  );
  assert.deepEqual(all.refs.map(({ commit }) => commit).slice(0, 2), [second, first]);
  assert.match(all.refs[0]?.date ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.deepEqual((await shop.listRefs({ types: ['branch'], limit: 1 }, signal)).hasMore, true);
  const containing = await shop.listRefs({ types: ['branch', 'tag'], containsCommit: 'main', limit: 10 }, signal);
  assert.deepEqual(
    containing.refs.map(({ name }) => name),
    ['main'],
  );
}

async function comparing({ shop, first }: Served): Promise<void> {
  const commits = await shop.mergeBase('main', 'topic', signal);
  assert.equal(commits.base, first);
  const whole = await shop.compare({ ...commits, offset: 0, limit: 10 }, signal);
  assert.deepEqual(
    whole.files.map(({ path, status }) => [path, status]),
    [
      ['src/a.ts', 'modified'],
      ['src/new.ts', 'added'],
    ],
  );
  assert.deepEqual(whole.files[0]?.hunks[0]?.lines, [' a', '-b', '+c']);
  assert.deepEqual([whole.totalAdded, whole.totalDeleted, whole.totalFiles], [2, 1, 2]);
  const pages = await Promise.all([0, 1].map((offset) => shop.compare({ ...commits, offset, limit: 1 }, signal)));
  assert.deepEqual(
    pages.flatMap(({ files }) => files),
    whole.files,
  );
  const below = await shop.compare({ ...commits, offset: 0, limit: 10, below: 'src/new.ts' }, signal);
  assert.deepEqual(
    [below.files.map(({ path }) => path), below.totalAdded, below.totalDeleted, below.totalFiles],
    [['src/new.ts'], 1, 0, 1],
  );
  assert.equal((await shop.compare({ ...commits, offset: 0, limit: 10, below: 'src' }, signal)).totalFiles, 2);
  assert.equal((await shop.compare({ ...commits, offset: 0, limit: 10, below: 'sr' }, signal)).totalFiles, 0);
  await refused(shop.mergeBase('main', 'nothing', signal), 'not_found', 'an unknown head');
}

async function aborting({ shop, first }: Served): Promise<void> {
  const controller = new AbortController();
  const reason = new Error('enough');
  const waiting = [
    shop.listTree({ commit: first, path: 'src', limit: 9 }, controller.signal),
    shop.compare({ base: first, head: first, offset: 0, limit: 1 }, controller.signal),
    shop.blame({ commit: first, path: 'src/a.ts' }, controller.signal),
    shop.trace({ commit: first, path: 'src/a.ts', startLine: 1, endLine: 1, limit: 1 }, controller.signal),
  ];
  controller.abort(reason);
  for (const outcome of await Promise.allSettled(waiting)) assert.deepEqual(outcome, { status: 'rejected', reason });
  assert.equal((await shop.listTree({ commit: first, path: 'src', limit: 9 }, signal)).entries.length, 2);
}

/** What each method answers of a repository with one commit of `a.ts`. */
const methods: Readonly<Record<string, (repository: Repository, commit: string) => Promise<unknown>>> = {
  resolve: (r) => r.resolve(undefined, signal),
  'resolve main': (r) => r.resolve('main', signal),
  find: (r, commit) => r.find(commit, 'a.ts', signal),
  readCommit: (r, commit) => r.readCommit(commit, signal),
  readBytes: (r, commit) => r.readBytes(commit, 'a.ts', signal),
  readText: (r, commit) => r.readText(commit, 'a.ts', signal),
  blame: (r, commit) => r.blame({ commit, path: 'a.ts' }, signal),
  trace: (r, commit) => r.trace({ commit, path: 'a.ts', startLine: 1, endLine: 1, limit: 9 }, signal),
  listTree: (r, commit) => r.listTree({ commit, path: '', limit: 9 }, signal),
  listRefs: (r) => r.listRefs({ types: ['branch', 'tag'], limit: 9 }, signal),
  'listRefs that contain': (r, commit) => r.listRefs({ types: ['branch'], containsCommit: commit, limit: 9 }, signal),
  mergeBase: (r) => r.mergeBase('main~1', 'main', signal),
  compare: (r, commit) => r.compare({ base: '', head: commit, offset: 0, limit: 9 }, signal),
};
const ofFiles = ['readBytes', 'readText', 'blame', 'trace', 'compare'];
const ofTrees = ['find', 'listTree', ...ofFiles];
const ofCommits = ['readCommit', 'mergeBase', 'listRefs that contain', ...ofTrees];
/** The methods that cannot answer; each of the others may. */
const unanswered: Readonly<Record<string, readonly string[]>> = {
  healthy: [],
  undated: [],
  blobless: ofFiles,
  treeless: ofTrees,
  commitless: ofCommits,
  unpacked: ofCommits,
  headless: ['resolve'],
  misnamed: ['resolve main', 'mergeBase'],
  gone: Object.keys(methods),
};

async function damaged(serve: ServeRepositories): Promise<void> {
  using folder = temporaryFolder();
  const { repositories, hidden, vanish } = damagedRepositories(folder.path);
  const paths = { ...repositories, ...moreDamaged(folder.path) };
  const commits = new Map(Object.entries(paths).map(([name, path]) => [name, hashOf(path)]));
  await using served = await serve({ folder: folder.path, repositories: paths, hidden });
  const names = Object.keys(paths).filter((name) => !hidden.includes(name));
  const opened = await Promise.all(names.map((name) => served.repositories.open(alice, name)));
  vanish();
  writeFileSync(join(paths.misnamed, 'refs/heads/main'), 'no hash\n');
  for (const repository of opened) {
    const { name } = repository.info;
    for (const [method, call] of Object.entries(methods)) {
      const error = await refusalOrNothing(call(repository, commits.get(name) ?? ''));
      const what = `${method} of ${name}: ${error?.message ?? 'an answer'}`;
      if (unanswered[name]?.includes(method)) assert.ok(error, what);
      if (!error) continue;
      assert.ok(['unavailable', 'not_found'].includes(String(error.code)), `${what} (${String(error.code)})`);
      assert.ok(error.message.includes(name), `${what} names the repository`);
      assert.ok(!error.message.includes(folder.path), `${what} names no folder`);
      assert.ok(name !== 'healthy' && name !== 'undated', what);
    }
    assert.deepEqual(
      (await served.repositories.list(alice)).map((info) => info.name),
      names.toSorted(),
    );
  }
  for (const name of hidden) await refused(served.repositories.open(alice, name), 'not_found', name);
}

/** With a pack of which nothing is left, a HEAD and a branch that name nothing, and a date that no clock has. */
function moreDamaged(folder: string): Record<'unpacked' | 'headless' | 'misnamed' | 'undated', string> {
  const built = (name: string): RepositoryBuilder => {
    const builder = new RepositoryBuilder({ folder: join(folder, `${name}.git`), isBare: true });
    builder.commit({ files: { 'a.ts': 'old\n' } });
    builder.commit({ files: { 'a.ts': 'new\n' } });
    return builder;
  };
  const [unpacked, headless, misnamed, undated] = (['unpacked', 'headless', 'misnamed', 'undated'] as const).map(built);
  assert.ok(unpacked && headless && misnamed && undated);
  unpacked.git('repack', '-adq');
  const packs = join(unpacked.folder, 'objects/pack');
  for (const pack of readdirSync(packs).filter((file) => file.endsWith('.pack'))) {
    chmodSync(join(packs, pack), 0o600);
    writeFileSync(join(packs, pack), readFileSync(join(packs, pack)).fill(0, 12));
  }
  headless.git('symbolic-ref', 'HEAD', 'refs/heads/nowhere');
  const person = 'Ada <ada@example.com> 8640000000001 +0000';
  const [tree, parent] = [undated.git('rev-parse', 'main^{tree}'), undated.git('rev-parse', 'main')];
  const commit = `tree ${tree}\nparent ${parent}\nauthor ${person}\ncommitter ${person}\n\nlate\n`;
  undated.git('update-ref', 'refs/heads/main', undated.writeObject('commit', Buffer.from(commit)));
  return { unpacked: unpacked.folder, headless: headless.folder, misnamed: misnamed.folder, undated: undated.folder };
}

const hashOf = (folder: string): string =>
  execFileSync('git', ['-C', folder, 'rev-parse', 'main'], { encoding: 'utf8' }).trim();

async function refused(work: Promise<unknown>, code: ErrorCode, what = ''): Promise<void> {
  assert.equal((await refusalOf(work)).code, code, what.slice(0, 100));
}

async function refusalOf(work: Promise<unknown>): Promise<{ code: unknown; message: string }> {
  const refusal = await refusalOrNothing(work);
  assert.ok(refusal, 'expected a refusal, got an answer');
  return refusal;
}

/** Throws what is no error for a caller. */
const refusalOrNothing = (work: Promise<unknown>): Promise<{ code: unknown; message: string } | undefined> =>
  work.then(
    () => undefined,
    (thrown: unknown) => {
      assert.ok(isSextantError(thrown), `expected a refusal, got ${String(thrown)}`);
      return { code: thrown.code, message: thrown.message };
    },
  );
