import assert from 'node:assert/strict';
import { join } from 'node:path';
import { callerOf } from '@sextant/core/testing';
import type { Caller, ErrorCode } from '@sextant/core';
import type { Search, SearchLimits, SearchResult } from '../code/search/search.ts';
import { parseQuery } from '../query/parse.ts';
import { defaultSearchLimits } from '../code/search/answer-limits.ts';
import { damagedRepositories } from './damaged-repositories.ts';
import { submodule, symlink } from './fast-import.ts';
import { RepositoryBuilder } from './repository-builder.ts';
import { OracleRandom, isFound, printOracle } from './search-oracle.ts';
import type { OracleFile } from './search-oracle.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Serves the repositories of a folder for a test; the hidden ones only administrators may read. */
export type ServeSearch = (options: {
  readonly folder: string;
  readonly repositories: Readonly<Record<string, string>>;
  readonly hidden: readonly string[];
}) => Promise<{ readonly search: Search } & AsyncDisposable>;

export interface SearchConformanceCase {
  /** A sentence about behaviour. */
  readonly name: string;
  run(serve: ServeSearch): Promise<void>;
}

const { signal } = new AbortController();
const alice = callerOf('alice');
const root = callerOf('root', { isSiteAdmin: true });

/** What every implementation of `Search` must do in the mode `keyword`; run each case as a test of its own. */
export const searchConformance: readonly SearchConformanceCase[] = [
  { name: 'finds exactly the files that a plain scan finds', run: (serve) => withServed(serve, scanning) },
  { name: 'filters by language, and shows files alone', run: (serve) => withServed(serve, filtering) },
  { name: 'counts the lines that match', run: (serve) => withServed(serve, counting) },
  {
    name: 'shows the best lines first, with their numbers, within the limits',
    run: (serve) => withServed(serve, showing),
  },
  { name: 'gives every line to who asks for all', run: (serve) => withServed(serve, exhausting) },
  { name: 'answers for a hidden repository as for a missing one', run: (serve) => withServed(serve, hiding) },
  { name: 'searches any revision', run: (serve) => withServed(serve, revisions) },
  { name: 'finds paths and repositories', run: (serve) => withServed(serve, types) },
  { name: 'refuses what does not parse, and says where', run: (serve) => withServed(serve, refusing) },
  { name: 'finds binary, odd and special files by their names only', run: (serve) => withServed(serve, special) },
  { name: 'stops when the signal aborts', run: (serve) => withServed(serve, aborting) },
  { name: 'answers for the others where a repository cannot be read, and names it', run: damaged },
];

interface Served {
  readonly search: Search;
  readonly files: readonly OracleFile[];
  readonly builder: RepositoryBuilder;
}

async function withServed(serve: ServeSearch, check: (served: Served) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const files = corpus(new OracleRandom(7));
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  builder.commit({ files: { ...textsOf(files, 'acme/shop'), 'old.ts': 'gone since v1\n' } });
  builder.tag({ name: 'v1', message: 'one' });
  builder.commit({ files: { 'old.ts': null } });
  builder.commit({
    branch: 'topic',
    parents: [builder.git('rev-parse', 'main')],
    files: { 'new.ts': 'only on topic\n' },
  });
  const lib = new RepositoryBuilder({ folder: join(folder.path, 'lib.git'), isBare: true });
  lib.commit({ files: textsOf(files, 'acme/lib') });
  const vault = new RepositoryBuilder({ folder: join(folder.path, 'vault.git'), isBare: true });
  vault.commit({ files: { 'src/secret.ts': 'parseConfig of the vault\n' } });
  const empty = new RepositoryBuilder({ folder: join(folder.path, 'empty.git'), isBare: true });
  const repositories = {
    'acme/shop': builder.folder,
    'acme/lib': lib.folder,
    'acme/vault': vault.folder,
    'acme/empty': empty.folder,
  };
  await using served = await serve({ folder: folder.path, repositories, hidden: ['acme/vault'] });
  await check({ search: served.search, files, builder });
}

function corpus(random: OracleRandom): OracleFile[] {
  return Array.from({ length: 90 }, (_, index) => {
    const folder = random.pick(['src', 'src/a/b', 'docs', 'test', 'vendor', '']);
    const name = `${random.pick(['foo', 'bar', 'parse-config', 'x y', 'ü'])}${index}.${random.pick(['ts', 'md', 'go', 'txt'])}`;
    const repo = random.pick(['acme/shop', 'acme/lib']);
    return {
      repo,
      path: folder === '' ? name : `${folder}/${name}`,
      text: index % 10 === 3 ? 'foo twin\n' : random.text(),
    };
  });
}

const textsOf = (files: readonly OracleFile[], repo: string): Record<string, string> =>
  Object.fromEntries(files.filter((file) => file.repo === repo).map(({ path, text }) => [path, text]));

const find = async (search: Search, query: string, caller: Caller = alice): Promise<SearchResult> =>
  search.find(caller, { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits }, signal);

const namesIn = ({ files }: SearchResult): string[] => files.map(({ repo, path }) => `${repo} ${path}`);

async function scanning({ search, files }: Served): Promise<void> {
  const random = new OracleRandom(11);
  const rounds = Array.from({ length: 300 }, (_, round) => ({
    query: random.query(),
    isCaseSensitive: round % 4 === 3,
  }));
  const check = async ({ query, isCaseSensitive }: (typeof rounds)[number]): Promise<void> => {
    const text = isCaseSensitive ? `(${printOracle(query)}) case:yes` : printOracle(query);
    const wanted = files
      .filter((file) => isFound(query, file, isCaseSensitive))
      .map(({ repo, path }) => `${repo} ${path}`);
    const result = await find(search, `${text} count:all`);
    assert.deepEqual(namesIn(result).sort(), wanted.sort(), text);
    assert.equal(result.fileCount, wanted.length, text);
    assert.equal(result.limitHit, false, text);
  };
  // Several at once, as callers are: it takes half the time, and shows that they do not disturb each other.
  for (let at = 0; at < rounds.length; at += 10) await Promise.all(rounds.slice(at, at + 10).map(check));
}

async function filtering({ search, files }: Served): Promise<void> {
  const named = (ending: RegExp): string[] =>
    files
      .filter(({ path, text }) => ending.test(path) && `${path}\n${text}`.toLowerCase().includes('foo'))
      .map(({ repo, path }) => `${repo} ${path}`)
      .sort();
  assert.deepEqual(namesIn(await find(search, 'foo lang:typescript count:all')).sort(), named(/\.ts$/));
  assert.deepEqual(namesIn(await find(search, 'foo lang:ts OR (foo lang:Go) count:all')).sort(), named(/\.(ts|go)$/));
  assert.deepEqual(namesIn(await find(search, 'foo -lang:markdown count:all')).sort(), named(/\.(ts|go|txt)$/));
  const selected = await find(search, 'foo lang:go select:file count:all');
  assert.equal(selected.type, 'path');
  assert.deepEqual(namesIn(selected).sort(), named(/\.go$/));
  assert.ok(selected.files.every(({ chunks }) => chunks.length === 0));
}

async function counting({ search, files }: Served): Promise<void> {
  for (const word of ['foo', 'parse', 'error', 'über', '42']) {
    const result = await find(search, `${word} count:all`);
    for (const { repo, path, matchCount, chunks, matches } of result.files) {
      const { text = '' } = files.find((file) => file.repo === repo && file.path === path) ?? {};
      const lines = text.split('\n').filter((line) => line.toLowerCase().includes(word));
      assert.equal(matchCount, lines.length, `${word} in ${path}`);
      assert.equal(chunks.length > 0, lines.length > 0, path);
      for (const match of matches) {
        assert.equal(match.text, text.split('\n')[match.line - 1]?.replace(/\r$/, ''), path);
        for (const [start, end] of match.ranges) assert.equal(match.text.slice(start, end).toLowerCase(), word, path);
      }
    }
  }
}

async function showing({ search, files }: Served): Promise<void> {
  const result = await find(search, 'foo');
  assert.equal(result.files.length, 15);
  assert.equal(result.limitHit, true);
  for (const { repo, path, chunks } of result.files) {
    assert.ok(chunks.length <= 3);
    const lines = files.find((file) => file.repo === repo && file.path === path)?.text.split('\n') ?? [];
    for (const { startLine, endLine, lines: shown } of chunks) {
      assert.equal(shown.length, endLine - startLine + 1);
      assert.ok(shown.join('\n').length <= 1024);
      assert.deepEqual(
        [...shown],
        lines.slice(startLine - 1, endLine).map((line) => line.replace(/\r$/, '')),
      );
    }
  }
  assert.deepEqual(await find(search, 'foo'), result);
  assert.equal((await find(search, 'foo count:3')).files.length, 3);
  const limitsOf = (characters: number): SearchLimits => ({ ...defaultSearchLimits, files: 10_000, characters });
  const most = (characters: number): Promise<SearchResult> =>
    search.find(alice, { ...parseQuery('foo'), mode: 'keyword', limits: limitsOf(characters) }, signal);
  const [all, few] = [await most(10_000_000), await most(1000)];
  assert.deepEqual([all.files.length, all.limitHit], [all.fileCount, false]);
  assert.deepEqual([few.files.length < all.fileCount, few.limitHit], [true, true]);
}

async function exhausting({ search, builder }: Served): Promise<void> {
  builder.commit({ branch: 'many', files: { 'many.txt': 'a needle\n\n\n\n'.repeat(300) } });
  const limits = { ...defaultSearchLimits, chunksPerFile: 1000, chunkCharacters: 1_000_000, characters: 1_000_000 };
  const { files } = await search.find(alice, { ...parseQuery('needle rev:many'), mode: 'keyword', limits }, signal);
  const lines = files.map(({ matchCount, matches }) => [matchCount, matches.length, matches.at(-1)?.line]);
  assert.deepEqual(lines, [[300, 300, 1197]]);
}

async function hiding({ search }: Served): Promise<void> {
  assert.deepEqual(namesIn(await find(search, '"of the vault"')), []);
  assert.deepEqual(namesIn(await find(search, '"of the vault"', root)), ['acme/vault src/secret.ts']);
  for (const query of [
    'repo:acme/NAME parse',
    'repo:^acme/NAME$',
    'type:repo NAME',
    'repo:NAME@main x',
    'rev:NAME x',
  ]) {
    const answers = await Promise.all(['vault', 'voult'].map((name) => outcome(search, query.replace('NAME', name))));
    assert.equal(answers[0]?.replaceAll('vault', 'voult'), answers[1], query);
  }
}

const outcome = (search: Search, query: string): Promise<string> =>
  find(search, query).then(JSON.stringify, (error: unknown) => String(error));

async function revisions({ search, builder }: Served): Promise<void> {
  const first = builder.git('rev-parse', 'v1^{commit}');
  assert.deepEqual(namesIn(await find(search, '"gone since"')), []);
  for (const revision of ['v1', first, first.slice(0, 10), 'main~1', 'refs/tags/v1']) {
    const { files } = await find(search, `"gone since" rev:${revision}`);
    assert.deepEqual(
      files.map((file) => [file.path, file.revision, file.commit]),
      [['old.ts', revision, first]],
      revision,
    );
  }
  assert.deepEqual(namesIn(await find(search, 'repo:acme/shop@topic "only on"')), ['acme/shop new.ts']);
  const several = await find(search, '("gone since" OR "only on") rev:v1:topic');
  assert.deepEqual(several.files.map(({ path, revision }) => `${path}@${revision}`).sort(), [
    'new.ts@topic',
    'old.ts@v1',
  ]);
  assert.deepEqual(namesIn(await find(search, '"only on" rev:*refs/heads/top*')), ['acme/shop new.ts']);
  const twice = await find(search, `"gone since" rev:v1:${first}`);
  assert.deepEqual(twice.files.map(({ revision }) => revision).sort(), [first, 'v1'].sort());
  const overlapping = await find(search, '"only on" rev:topic:top*:t*');
  assert.deepEqual(
    overlapping.files.map(({ path, revision }) => `${path}@${revision}`),
    ['new.ts@topic'],
  );
  assert.deepEqual(namesIn(await find(search, '(rev:top* "only on") OR (rev:topic~0 "gone since")')), [
    'acme/shop new.ts',
  ]);
  await refused(find(search, 'x rev:none'), 'not_found');
  await refused(find(search, 'x rev:topik repo:acme/shop'), 'not_found', /Did you mean "topic"/);
  await refused(find(search, 'x rev:--all'), 'invalid_argument');
}

async function types({ search, files }: Served): Promise<void> {
  const paths = await find(search, 'type:path foo count:all');
  assert.equal(paths.type, 'path');
  assert.deepEqual(
    namesIn(paths).sort(),
    files
      .filter(({ path }) => path.includes('foo'))
      .map(({ repo, path }) => `${repo} ${path}`)
      .sort(),
  );
  const others = await find(search, 'type:path -foo count:all');
  assert.deepEqual(
    namesIn(others).sort(),
    files
      .filter(({ path }) => !path.includes('foo'))
      .map(({ repo, path }) => `${repo} ${path}`)
      .sort(),
  );
  const repositories = await find(search, 'type:repo acme/');
  assert.equal(repositories.type, 'repo');
  assert.deepEqual(
    repositories.files.map(({ repo }) => repo),
    ['acme/empty', 'acme/lib', 'acme/shop'],
  );
  const selected = await find(search, 'foo select:repo');
  assert.deepEqual(selected.files.map(({ repo, path }) => [repo, path]).sort(), [
    ['acme/lib', ''],
    ['acme/shop', ''],
  ]);
  assert.deepEqual([selected.fileCount, selected.limitHit], [2, false]);
  const one = await find(search, 'foo select:repo count:1');
  assert.deepEqual(one, { ...selected, files: selected.files.slice(0, 1), limitHit: true });
  assert.deepEqual(namesIn(await find(search, 'repo:has.path(^new\\.ts$) foo')), []);
}

async function refused(call: Promise<unknown>, code: ErrorCode, text = /./): Promise<void> {
  await assert.rejects(call, (error: Error & { code?: unknown }) => error.code === code && text.test(error.message));
}

async function refusing({ search }: Served): Promise<void> {
  await refused(find(search, 'foo ('), 'invalid_argument', /character \d+/);
  await refused(find(search, '/(/'), 'invalid_argument');
  await refused(find(search, '/a(?=b)/'), 'invalid_argument');
  await refused(find(search, 'lang:klingon x'), 'invalid_argument', /klingon/);
  await refused(find(search, 'x '.repeat(5000)), 'invalid_argument');
  const none = await find(search, 'repo:nothing foo');
  assert.deepEqual([none.files, none.matchCount, none.limitHit], [[], 0, false]);
  assert.match(none.notes.join(), /repo:nothing/);
  for (const filters of [
    'archived:only',
    'repo:acme archived:only',
    'repo:acme/shop -repo:shop',
    '-repo:.',
    'repo:has.topic(x)',
    'visibility:public visibility:private',
  ]) {
    const { notes } = await find(search, `${filters} foo`);
    assert.match(notes.join(), /fulfils all filters on repositories/, filters);
  }
}

async function special({ search, builder }: Served): Promise<void> {
  const hash = '4d'.repeat(32);
  builder.commit({
    branch: 'odd',
    files: {
      'logo.bin': Buffer.from('needle\0needle'),
      'model.txt': `version https://git-lfs.github.com/spec/v1\noid sha256:${hash}\nsize 12345\n`,
      'late-nul.txt': Buffer.concat([Buffer.alloc(9000, 'a'), Buffer.from('needle\0')]),
      'utf16.txt': Buffer.from('\ufeffa needle in utf-16\n', 'utf16le'),
      'latin1.txt': Buffer.from('a needle caf\u00e9\n', 'latin1'),
      'long.txt': `${'x'.repeat(20_000)}needle${'y'.repeat(20_000)}`,
      'big.txt': `${'x\n'.repeat(600_000)}needle\n`,
      link: symlink('needle'),
      lib: submodule('1'.repeat(40)),
    },
  });
  const { files } = await find(search, 'needle rev:odd count:all');
  assert.deepEqual(files.map(({ path }) => path).sort(), ['big.txt', 'latin1.txt', 'long.txt', 'utf16.txt']);
  const long = files.find(({ path }) => path === 'long.txt')?.matches[0];
  assert.ok((long?.text.length ?? 0) <= 256 && long?.text.includes('needle'));
  assert.deepEqual(
    (await find(search, 'café rev:odd')).files.map(({ path }) => path),
    ['latin1.txt'],
  );
  for (const [name, path] of [
    ['logo', 'logo.bin'],
    ['model', 'model.txt'],
  ])
    assert.deepEqual(
      (await find(search, `${name} rev:odd`)).files.map((file) => [file.path, file.matchCount]),
      [[path, 0]],
    );
  assert.deepEqual((await find(search, `${hash} rev:odd`)).files, []);
}

async function aborting({ search }: Served): Promise<void> {
  const controller = new AbortController();
  const reason = new Error('enough');
  const running = search.find(
    alice,
    { ...parseQuery('foo'), mode: 'keyword', limits: defaultSearchLimits },
    controller.signal,
  );
  controller.abort(reason);
  await assert.rejects(running, reason);
  assert.ok((await find(search, 'foo')).files.length > 0);
}

/** Of a file whose blob is missing there is nothing to search: its repository is searched without it. */
async function damaged(serve: ServeSearch): Promise<void> {
  using folder = temporaryFolder();
  const { repositories, hidden, healthy, vanish } = damagedRepositories(folder.path);
  await using served = await serve({ folder: folder.path, repositories, hidden });
  vanish();
  for (const query of ['needle', 'needle count:all', 'nowhere']) {
    const { files, limitHit, notes } = await find(served.search, query);
    const found = new Set(files.map(({ repo }) => repo));
    assert.deepEqual(found, new Set(query === 'nowhere' ? [] : [healthy]), query);
    assert.ok(limitHit, query);
    for (const name of ['commitless', 'gone', 'treeless'])
      assert.ok(
        notes.some((note) => note.startsWith('Not searched: ') && note.includes(name)),
        `${name} in ${notes}`,
      );
    assert.ok(!JSON.stringify({ files, notes }).includes('vault'), query);
  }
  await refused(find(served.search, 'needle repo:treeless'), 'unavailable');
}
