import { parseQuery } from '../query/parse.ts';
import { printQuery } from '../query/print.ts';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ErrorCode } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import type {
  Commit,
  CommitRequest,
  DiffRequest,
  DiffSide,
  FoundDiff,
  FoundHistory,
  History,
  HistoryResult,
} from '../code/history.ts';
import { damagedRepositories } from './damaged-repositories.ts';
import { gitLog } from './history-oracle.ts';
import { buildHistory, firstDate, historyAuthors, historyPaths, historyWords } from './history-repository.ts';
import { RepositoryBuilder } from './repository-builder.ts';
import { OracleRandom } from './search-oracle.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Serves the repositories of a folder for a test; the hidden ones only administrators may read. */
export type ServeHistory = (options: {
  readonly folder: string;
  readonly repositories: Readonly<Record<string, string>>;
  readonly hidden: readonly string[];
}) => Promise<{ readonly history: History } & AsyncDisposable>;

export interface HistoryConformanceCase {
  /** A sentence about behaviour. */
  readonly name: string;
  run(serve: ServeHistory): Promise<void>;
}

const { signal } = new AbortController();
const alice = callerOf('alice');
const root = callerOf('root', { isSiteAdmin: true });

/** What every implementation of `History` must do; run each case as a test of its own. */
export const historyConformance: readonly HistoryConformanceCase[] = [
  { name: 'finds exactly the commits that git log finds', run: (serve) => withServed(serve, commitsAsGit) },
  { name: 'joins kinds with AND and the values of a kind with OR', run: (serve) => withServed(serve, combining) },
  {
    name: 'finds the hunks of changed lines, on the sides that are asked for',
    run: (serve) => withServed(serve, hunks),
  },
  {
    name: 'walks branches, tags, globs of refs and what others do not reach',
    run: (serve) => withServed(serve, revisions),
  },
  { name: 'gives the oldest first where that is asked for', run: (serve) => withServed(serve, oldestFirst) },
  { name: 'tells the files of commits as git does', run: (serve) => withServed(serve, filesOfCommits) },
  { name: 'takes names of repositories, and expressions on names', run: (serve) => withServed(serve, naming) },
  { name: 'gives long hunks whole where that is asked for', run: longHunks },
  { name: 'counts contributions as git shortlog does', run: (serve) => withServed(serve, contributions) },
  { name: 'finds the same by the query of a result', run: (serve) => withServed(serve, byQuery) },
  {
    name: 'answers for a hidden repository as for a missing one, and for the others',
    run: (serve) => withServed(serve, hiding),
  },
  { name: 'refuses what cannot be, and says why', run: (serve) => withServed(serve, refusing) },
  { name: 'says that the history of a shallow clone is cut', run: (serve) => withServed(serve, shallow) },
  { name: 'stops when the signal aborts', run: (serve) => withServed(serve, aborting) },
  { name: 'answers for the others where a repository cannot be read, and names it', run: damaged },
];

interface Served {
  readonly history: History;
  readonly shop: RepositoryBuilder;
  /** Of a shallow clone of it. */
  readonly cutFolder: string;
}

async function withServed(serve: ServeHistory, check: (served: Served) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const shop = builtHistory();
  const vault = new RepositoryBuilder({ folder: join(folder.path, 'vault.git'), isBare: true });
  vault.commit({ files: { 'secret.ts': 'parse the vault\n' }, message: 'parse secrets' });
  const empty = new RepositoryBuilder({ folder: join(folder.path, 'empty.git'), isBare: true });
  const cut = join(folder.path, 'cut.git');
  execFileSync('git', ['clone', '--quiet', '--bare', '--depth=3', `file://${shop.folder}`, cut], { stdio: 'pipe' });
  const repositories = {
    'acme/shop': shop.folder,
    'acme/vault': vault.folder,
    'acme/empty': empty.folder,
    'acme/cut': cut,
  };
  await using served = await serve({ folder: folder.path, repositories, hidden: ['acme/vault'] });
  await check({ history: served.history, shop, cutFolder: cut });
}

let built: RepositoryBuilder | undefined;

/** Building takes seconds, and nothing writes into it: one for all cases of a process. */
function builtHistory(): RepositoryBuilder {
  if (built) return built;
  const folder = temporaryFolder();
  process.once('exit', () => folder[Symbol.dispose]());
  built = buildHistory(join(folder.path, 'shop.git'), new OracleRandom(11));
  return built;
}

const commitRequest = (request: Partial<CommitRequest> = {}): CommitRequest => ({
  repositories: ['acme/shop'],
  messages: [],
  authors: [],
  contents: [],
  paths: [],
  revisions: [],
  isRegex: false,
  count: 100,
  ...request,
});

const diffRequest = (request: Partial<DiffRequest> = {}): DiffRequest => ({
  repositories: ['^acme/shop$'],
  pattern: 'parse',
  sides: ['added', 'removed'],
  authors: [],
  revisions: [],
  isRegex: false,
  count: 1000,
  ...request,
});

async function hashes(history: History, request: CommitRequest): Promise<string[]> {
  const { results } = await history.commits(alice, request, signal);
  return results.map(({ commit }) => commit);
}

async function commitsAsGit({ history, shop }: Served): Promise<void> {
  const random = new OracleRandom(5);
  let found = 0;
  for (let i = 0; i < 40; i += 1) {
    const request = randomRequest(random);
    const wanted = gitLog(shop.folder, request);
    found += wanted.length;
    const { results, totalCount, isLimited } = await history.commits(alice, request, signal);
    assert.deepEqual(results.map(({ commit }) => commit).toSorted(), wanted.toSorted(), JSON.stringify(request));
    assert.deepEqual([totalCount, isLimited], [wanted.length, false]);
    const dates = results.map(({ date }) => date);
    assert.deepEqual(dates, dates.toSorted().toReversed(), 'newest first');
  }
  assert.ok(found > 200, `the queries find something: ${found}`);
}

function randomRequest(random: OracleRandom): CommitRequest {
  const some = (values: readonly [string, ...string[]], most: number): string[] =>
    Array.from({ length: random.below(3) === 0 ? 1 + random.below(most) : 0 }, () => random.pick(values));
  const [after, before] = [random.below(60), random.below(60)].toSorted((a, b) => a - b);
  const window = { after: `@${firstDate + 60 * (after ?? 0)}`, before: `@${firstDate + 60 * (before ?? 0)}` };
  const isRegex = random.below(3) === 0;
  const regexes: [string, ...string[]] = ['pars[ei]', 'x[0-9]+', '^return', 'error|flush', 'read.*config', '[(][)]$'];
  return commitRequest({
    isRegex,
    messages: some(isRegex ? regexes : historyWords, 2),
    contents: some(isRegex ? regexes : historyWords, 1),
    authors: isRegex ? some(['^ada', 'grace|nobody', 'com>$'], 2) : some(historyAuthors, 2),
    paths: some(historyPaths, 2),
    ...(random.below(3) === 0 && window),
    ...(random.below(4) === 0 && { revisions: [random.pick(['v1', 'v2~2', '*refs/heads/*', '*heads/topic'])] }),
  });
}

async function combining({ history }: Served): Promise<void> {
  const all = await hashes(history, commitRequest());
  const either = await hashes(history, commitRequest({ messages: ['flush', 'cursor'] }));
  const [first, second] = [
    await hashes(history, commitRequest({ messages: ['flush'] })),
    await hashes(history, commitRequest({ messages: ['cursor'] })),
  ];
  assert.deepEqual(new Set(either), new Set([...first, ...second]));
  const contents = await hashes(history, commitRequest({ contents: ['flush', 'cursor'] }));
  const both = await hashes(history, commitRequest({ messages: ['flush', 'cursor'], contents: ['flush', 'cursor'] }));
  assert.deepEqual(
    both,
    all.filter((hash) => either.includes(hash) && contents.includes(hash)),
  );
  assert.ok(both.length > 0 && both.length < either.length && either.length < all.length);
  const { results, isLimited, totalCount } = await history.commits(alice, commitRequest({ count: 2 }), signal);
  assert.deepEqual(
    results.map(({ commit }) => commit),
    all.slice(0, 2),
  );
  assert.ok(isLimited && totalCount >= 2);
}

async function hunks({ history, shop }: Served): Promise<void> {
  const { results } = await history.diffs(alice, diffRequest(), signal);
  const found = [...new Set(results.map(({ commit }) => commit))];
  assert.deepEqual(found.toSorted(), gitLog(shop.folder, commitRequest({ contents: ['parse'] })).toSorted());
  for (const result of results) {
    assert.ok(shownByGit(shop, result).includes(result.hunk), `${result.commit} ${result.path}\n${result.hunk}`);
    const lines = result.hunk.split('\n');
    assert.ok(result.matchRanges.length > 0);
    for (const { line, start, end } of result.matchRanges) {
      assert.equal(lines[line - 1]?.slice(start, end).toLowerCase(), 'parse');
      assert.match(lines[line - 1] ?? '', /^[+-]/);
    }
  }
  for (const [side, marker] of [
    ['added', '+'],
    ['removed', '-'],
  ] as const) {
    const oneSided = await history.diffs(alice, diffRequest({ sides: [side] }), signal);
    const wanted = results.filter(({ hunk }) =>
      hunk.split('\n').some((line) => line.startsWith(marker) && /parse/i.test(line)),
    );
    assert.deepEqual(
      oneSided.results.map(({ hunk }) => hunk),
      wanted.map(({ hunk }) => hunk),
    );
    assert.ok(
      oneSided.results.every(({ matchRanges, hunk }) =>
        matchRanges.every(({ line }) => hunk.split('\n')[line - 1]?.startsWith(marker)),
      ),
    );
  }
  const cut = await history.diffs(alice, diffRequest({ count: 3 }), signal);
  assert.deepEqual(cut.results, results.slice(0, 3));
  assert.ok(cut.isLimited);
}

const shownByGit = (shop: RepositoryBuilder, { commit, path }: FoundDiff): string =>
  shop.git('show', '--format=', '--no-renames', '-U3', commit, '--', `:(literal)${path}`);

async function oldestFirst({ history }: Served): Promise<void> {
  const random = new OracleRandom(7);
  for (let i = 0; i < 15; i += 1) {
    const request = randomRequest(random);
    const all = (await history.commits(alice, request, signal)).results.map(({ date }) => date).toSorted();
    const oldest = await history.commits(alice, { ...request, order: 'oldest', count: 3 }, signal);
    assert.deepEqual(
      oldest.results.map(({ date }) => date),
      all.slice(0, 3),
      JSON.stringify(request),
    );
    assert.equal(oldest.isLimited, all.length > 3);
  }
  const all = (await history.diffs(alice, diffRequest(), signal)).results.map(({ date }) => date).toSorted();
  const oldest = await history.diffs(alice, diffRequest({ order: 'oldest', count: 5 }), signal);
  assert.deepEqual(
    oldest.results.map(({ date }) => date),
    all.slice(0, 5),
  );
}

async function filesOfCommits({ history, shop }: Served): Promise<void> {
  const { results } = await history.commits(alice, commitRequest(), signal);
  assert.ok(results.length > 20);
  for (const { commit, files } of results) {
    const names = shop.git('diff-tree', '--root', '-r', '-z', '--name-only', '--no-commit-id', '--no-renames', commit);
    const paths = names.split('\0').filter((name) => name !== '');
    assert.deepEqual(files, { paths, total: paths.length }, commit);
  }
}

async function naming({ history }: Served): Promise<void> {
  const searched = async (...repositories: string[]): Promise<unknown> => {
    const { results, notes } = await history.commits(alice, commitRequest({ repositories, count: 1000 }), signal);
    return [
      [...new Set(results.map(({ repo }) => repo))].toSorted(),
      notes.filter((note) => !note.includes('shallow') && !note.includes('not in the index')),
    ];
  };
  assert.deepEqual(await searched('acme/shop'), [['acme/shop'], []]);
  assert.deepEqual(await searched('^acme/(shop|cut)$'), [['acme/cut', 'acme/shop'], []]);
  const note = '"shop" is the name of no repository; 1 with it in their names were searched.';
  assert.deepEqual(await searched('shop'), [['acme/shop'], [note]]);
  const diffs = await history.diffs(alice, diffRequest({ repositories: ['acme/shop'] }), signal);
  assert.ok(diffs.results.length > 0 && diffs.results.every(({ repo }) => repo === 'acme/shop'));
}

async function longHunks(serve: ServeHistory): Promise<void> {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'long.git'), isBare: true });
  const lines = Array.from({ length: 3000 }, (_, index) => `${index % 2 === 0 ? 'needle' : 'hay'} ${index}`);
  builder.commit({ files: { long: `${lines.join('\n')}\n` } });
  await using served = await serve({ folder: folder.path, repositories: { long: builder.folder }, hidden: [] });
  const request = diffRequest({ repositories: ['long'], pattern: 'needle' });
  const [cut] = (await served.history.diffs(alice, request, signal)).results;
  assert.match(cut?.hunk ?? '', /lines of this hunk are not shown/);
  const [whole] = (await served.history.diffs(alice, { ...request, isWhole: true }, signal)).results;
  assert.deepEqual(
    whole?.hunk.split('\n').slice(1),
    lines.map((line) => `+${line}`),
  );
  assert.equal(whole?.matchRanges.length, 1500);
}

async function byQuery({ history }: Served): Promise<void> {
  const random = new OracleRandom(9);
  const find = async (query: string, type: string): Promise<FoundHistory> => {
    const found = await history.find(alice, { ...parseQuery(query), limit: 15 }, signal);
    assert.equal(found.type, type, query);
    return found;
  };
  const assertSame = (query: string, found: HistoryResult<Commit>, wanted: HistoryResult<Commit>): void => {
    const told = [wanted, found].map(({ notes, missing, isLimited }) => ({ notes, missing, isLimited }));
    assert.deepEqual(changesIn(found), changesIn(wanted), `${query}: ${JSON.stringify(told)}`);
  };
  for (let i = 0; i < 25; i += 1) {
    const commits = await history.commits(alice, randomRequest(random), signal);
    const query = printQuery(commits.query);
    assertSame(query, await find(query, 'commit'), commits);
    const { authors, isRegex } = randomRequest(random);
    const pattern = isRegex ? 'pars[ei]|"' : random.pick(historyWords);
    const sides = random.pick<readonly DiffSide[]>([['added'], ['removed'], ['added', 'removed']]);
    const diffs = await history.diffs(alice, diffRequest({ pattern, authors, isRegex, sides, count: 50 }), signal);
    const diffQuery = printQuery(diffs.query);
    assertSame(diffQuery, await find(diffQuery, 'diff'), diffs);
  }
  const words = changesIn(await find('type:commit repo:shop$ flush -author:ada', 'commit'));
  const { results } = await history.commits(alice, commitRequest({ messages: ['flush'] }), signal);
  assert.deepEqual(
    words,
    results.filter(({ author }) => author.email !== 'ada@example.com').map(({ commit }) => `${commit} `),
  );
  assert.ok(words.length > 0 && words.length < results.length);
  const ofFiles = history.find(alice, { ...parseQuery('type:file parse'), limit: 15 }, signal);
  await assert.rejects(ofFiles, { code: 'invalid_argument' });
}

const changesIn = ({ results }: HistoryResult<Commit>): string[] =>
  results.map((each) => `${each.commit} ${'path' in each && typeof each.path === 'string' ? each.path : ''}`);

async function revisions({ history, shop }: Served): Promise<void> {
  const expectWalk = async (asked: readonly string[], ...git: readonly string[]): Promise<void> => {
    const wanted = shop.git('rev-list', ...git).split('\n');
    const { results } = await history.commits(alice, commitRequest({ revisions: asked }), signal);
    assert.deepEqual(
      results.map(({ commit }) => commit).toSorted(),
      wanted.filter((hash) => hash !== '').toSorted(),
      asked.join(' '),
    );
  };
  await expectWalk([], 'HEAD');
  await expectWalk(['v1'], 'v1');
  await expectWalk(['v2', '^v1'], 'v2', '^v1');
  await expectWalk(['^v1'], 'HEAD', '^v1');
  await expectWalk(['*refs/heads/*'], '--branches');
  await expectWalk(['*refs/heads/*', '*!refs/heads/topic/*'], '--exclude=refs/heads/topic/*', '--glob=refs/heads/*');
  await expectWalk(['*tags'], '--tags');
  await expectWalk(['v1..v2'], 'v1..v2');
  await expectWalk(['v1..'], 'v1..HEAD');
  await expectWalk(['refs/heads/topic/*'], '--glob=refs/heads/topic/*');
  await expectWalk(['topic/*'], '--branches=topic/*');
  await expectWalk(['v*', '*!refs/tags/v1'], '--exclude=refs/tags/v1', '--glob=refs/tags/v*');
  await assert.rejects(
    history.commits(alice, commitRequest({ revisions: ['nope'] }), signal),
    failure('not_found', /"nope"/),
  );
  const { results, notes } = await history
    .commits(alice, commitRequest({ revisions: ['v1', 'nope'], repositories: ['acme/shop', 'acme/cut'] }), signal)
    .catch((error: unknown) => {
      assert.ok(failure('not_found', /"nope"/)(error));
      return { results: [], notes: [] };
    });
  assert.deepEqual([results, notes], [[], []]);
}

async function contributions({ history, shop }: Served): Promise<void> {
  const lines = shop.git('shortlog', '-sne', '--no-merges', 'HEAD').split('\n');
  const countOf = (pattern: RegExp): number =>
    lines.filter((line) => pattern.test(line)).reduce((sum, line) => sum + Number.parseInt(line, 10), 0);
  const find = (authors: string[], request = {}): ReturnType<History['contributors']> =>
    history.contributors(alice, { authors, minCommits: 1, limit: 20, ...request }, signal);
  const ada = await find(['ada love']);
  assert.deepEqual(
    ada.contributions.map(({ repo }) => repo),
    ['acme/shop', 'acme/cut'],
  );
  assert.equal(ada.contributions[0]?.commits, countOf(/Ada Love/));
  const [newest] = await history
    .commits(alice, commitRequest({ authors: ['ada love'], paths: [], count: 100 }), signal)
    .then(({ results }) => results);
  assert.ok((newest?.date ?? '') >= (ada.contributions[0]?.latest ?? '?'));
  const graces = [await find(['grace@old']), await find(['Grace Hopper'])].map(
    ({ contributions: [first] }) => first?.commits,
  );
  assert.deepEqual(graces, [countOf(/Grace/), countOf(/Grace/)], 'as written and as the mailmap maps it');
  assert.equal((await find(['ada love', 'émile'])).contributions[0]?.commits, countOf(/Ada Love|mile/));
  assert.deepEqual((await find(['ada'], { minCommits: 10_000 })).contributions, []);
  const limited = await find(['example.com'], { limit: 1 });
  assert.deepEqual([limited.contributions.length, limited.isLimited], [1, true]);
}

async function hiding({ history }: Served): Promise<void> {
  const ask = (name: string, caller = alice): Promise<unknown> =>
    history.commits(caller, commitRequest({ repositories: ['acme/empty', name] }), signal).catch(String);
  const same = (answer: unknown): string => JSON.stringify(answer).replaceAll('vault', 'valut');
  assert.equal(same(await ask('acme/vault')), same(await ask('acme/valut')));
  assert.notEqual(same(await ask('acme/vault', root)), same(await ask('acme/valut', root)));
  const { results, notes } = await history.commits(
    alice,
    commitRequest({ repositories: ['acme/vault', 'acme/shop'] }),
    signal,
  );
  assert.ok(results.length > 0 && notes.some((note) => note.includes('"acme/vault" not found')));
  const gone = (repositories: string[]) => history.commits(alice, commitRequest({ repositories }), signal);
  await assert.rejects(gone(['acme/vault']), failure('not_found', /"acme\/vault" not found/));
  const diffs = await history.diffs(alice, diffRequest({ repositories: ['.'], pattern: 'the vault' }), signal);
  assert.deepEqual(diffs.results, []);
  await assert.rejects(
    history.find(alice, { ...parseQuery('type:commit repo:vault secrets'), limit: 15 }, signal),
    failure('not_found', /no repository matches repo:vault/),
  );
  await assert.rejects(
    history.diffs(alice, diffRequest({ repositories: ['vault'] }), signal),
    failure('not_found', /no repository matches "vault"/),
  );
  const byRoot = await history.diffs(root, diffRequest({ repositories: ['VAULT$'] }), signal);
  assert.deepEqual(
    byRoot.results.map(({ path }) => path),
    ['secret.ts'],
  );
  const contributors = await history.contributors(alice, { authors: ['Ada'], minCommits: 1, limit: 20 }, signal);
  assert.ok(!JSON.stringify(contributors).includes('vault'));
}

async function refusing({ history }: Served): Promise<void> {
  const commits = (request: Partial<CommitRequest>) => history.commits(alice, commitRequest(request), signal);
  const bad = failure('invalid_argument', /./);
  for (const request of [
    { after: 'garbage' },
    { before: '2026-02-30' },
    { after: '2026-01-02', before: '2026-01-01' },
    { isRegex: true, messages: ['a('] },
    { isRegex: true, authors: ['(?=a)'] },
    { paths: ['src/[a'] },
    { revisions: ['*refs/[a'] },
    { revisions: ['--all'] },
    { revisions: ['main...v1'] },
    { messages: ['two\nlines'] },
  ])
    await assert.rejects(commits(request), bad, JSON.stringify(request));
  await assert.rejects(history.diffs(alice, diffRequest({ repositories: ['a('] }), signal), bad);
  for (const query of [
    'type:diff',
    'type:diff a b',
    'type:diff lang:go a',
    'type:commit type:file a',
    'type:commit author:a( b',
    'type:commit (author:a OR message:b)',
    'type:commit -line:a',
    'type:commit after:garbage',
    'type:commit after:2026-01-01 after:2026-01-02',
    'type:commit repo:has.path(a) b',
    'type:commit (',
  ])
    await assert.rejects(async () => history.find(alice, { ...parseQuery(query), limit: 15 }, signal), bad, query);
  // One expression must not be able to close the group of another.
  await assert.rejects(commits({ isRegex: true, messages: ['a)|(b', 'c'] }), bad);
}

async function shallow({ history, shop, cutFolder }: Served): Promise<void> {
  const { notes } = await history.commits(alice, commitRequest({ repositories: ['acme/cut'] }), signal);
  const isTold = (each: readonly string[]): boolean =>
    each.some((note) => note.startsWith('The history of acme/cut is cut: it is a shallow clone. '));
  assert.ok(isTold(notes));
  const cut = { repositories: ['^acme/cut$'], pattern: '.', isRegex: true };
  const inCut = await history.diffs(alice, diffRequest(cut), signal);
  const inAll = await history.diffs(
    alice,
    diffRequest({ ...cut, repositories: ['^acme/shop$'], count: 100_000 }),
    signal,
  );
  const known = new Set(inAll.results.map((hunk) => JSON.stringify({ ...hunk, repo: '' })));
  assert.ok(isTold(inCut.notes));
  assert.ok(inCut.results.every((hunk) => known.has(JSON.stringify({ ...hunk, repo: '' }))));
  const counted = await history.contributors(alice, { authors: [...historyAuthors], minCommits: 1, limit: 20 }, signal);
  assert.match(counted.notes.join(), /shallow clones.*acme\/cut/);
  assert.equal(counted.isLimited, false);
  for (const revision of ['main~3', shop.git('rev-parse', 'main~3'), 'main~3..main~2']) {
    const older = commitRequest({ repositories: ['acme/cut'], revisions: [revision] });
    await assert.rejects(history.commits(alice, older, signal), failure('not_found', /so an older commit may exist/));
    const beside = await history.commits(alice, { ...older, repositories: ['acme/shop', 'acme/cut'] }, signal);
    assert.ok(isTold(beside.notes), revision);
  }

  const empty = await history.commits(alice, commitRequest({ repositories: ['acme/empty'] }), signal);
  assert.deepEqual([empty.results, empty.totalCount, empty.isLimited], [[], 0, false]);

  execFileSync('git', ['-C', cutFolder, 'fetch', '--quiet', '--unshallow']);
  const whole = await history.contributors(alice, { authors: [...historyAuthors], minCommits: 1, limit: 20 }, signal);
  const [one, other] = whole.contributions.map(({ commits: count }) => count);
  assert.deepEqual([whole.contributions.length, one, whole.notes], [2, other, []]);
}

async function aborting({ history }: Served): Promise<void> {
  const reason = new Error('gone');
  const gone = AbortSignal.abort(reason);
  await assert.rejects(history.commits(alice, commitRequest(), gone), reason);
  await assert.rejects(history.diffs(alice, diffRequest(), gone), reason);
}

async function damaged(serve: ServeHistory): Promise<void> {
  using folder = temporaryFolder();
  const { repositories, hidden, healthy, damaged: names, vanish } = damagedRepositories(folder.path);
  await using served = await serve({ folder: folder.path, repositories, hidden });
  vanish();
  const { history } = served;
  const all = commitRequest({ repositories: Object.keys(repositories) });
  const answers = [
    await history.commits(alice, { ...all, contents: ['needle'] }, signal),
    await history.diffs(alice, diffRequest({ repositories: ['.'], pattern: 'needle' }), signal),
    await history.find(alice, { ...parseQuery('type:diff needle'), limit: 50 }, signal),
  ];
  for (const answer of answers) {
    assert.equal(answer?.results.filter(({ repo }) => repo === healthy).length, 2);
    assertNamed(answer, names);
    const objects = answer.notes.filter((note) => /blobless.*git could not read object [0-9a-f]{40}/.test(note));
    assert.equal(objects.length, 1, answer.notes.join(' '));
  }
  const commits = await history.commits(alice, { ...all, messages: ['needle'] }, signal);
  assert.equal(commits.results.filter(({ repo }) => repo === healthy).length, 2);
  assertNamed(commits, ['commitless', 'gone']);
  const contributors = await history.contributors(alice, { authors: ['ada'], minCommits: 1, limit: 20 }, signal);
  assert.ok(contributors.contributions.some(({ repo, commits: count }) => repo === healthy && count === 2));
  assertNamed(contributors, ['commitless', 'gone']);
  await assert.rejects(
    history.commits(alice, commitRequest({ repositories: ['commitless'] }), signal),
    failure('unavailable', /commitless/),
  );
}

function assertNamed(answer: Pick<HistoryResult<unknown>, 'isLimited' | 'notes'>, names: readonly string[]): void {
  const notes = answer.notes
    .filter((note) => note.includes('not searched') || note.startsWith('Not searched'))
    .join(' ');
  for (const name of names) assert.ok(notes.includes(name), `${name} in ${notes}`);
  assert.ok(answer.isLimited, notes);
  assert.ok(!notes.includes(tmpdir()), notes);
  assert.ok(!answer.notes.some((note) => note.startsWith('Not searched') && note.includes('vault')));
}

const failure =
  (code: ErrorCode, message: RegExp) =>
  (error: unknown): boolean =>
    error instanceof Error && 'code' in error && error.code === code && message.test(error.message);
