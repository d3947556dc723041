import { join } from 'node:path';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { expect, test } from 'vitest';
import { startSearch } from './testing/start-search.ts';
import type { StartedSearch } from './testing/start-search.ts';

const { signal } = new AbortController();

const filler = 'what fills a block with text that nobody looks for in a search\n'.repeat(64);

/** Names of the files that are found, best first. */
async function ranked(started: StartedSearch, query: string): Promise<string[]> {
  const { files } = await found(started, `${query} select:file`);
  return files.map(({ repo, path }) => `${repo} ${path}`);
}

const found = async ({ search }: StartedSearch, query: string, characters = 200_000): Promise<SearchResult> =>
  search.find(
    callerOf('alice'),
    { ...parseQuery(query), mode: 'keyword', limits: { ...defaultSearchLimits, characters } },
    signal,
  );

test('of a file that is shown all lines are counted, also where fewer tell how good it is', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  const other = (i: number): [string, string] => [`test/${i}.ts`, `${'pay(now);\n'.repeat(70)}${filler.repeat(9)}`];
  const many = ['pay.ts', 'pay(soon);\n'.repeat(2000) + filler + 'pay(late);\n'.repeat(300)] as const;
  builder.commit({ files: Object.fromEntries([many, ...Array.from({ length: 14 }, (_, i) => other(i))]) });
  await using started = await startSearch({ folder: folder.path, repositories: { shop: builder.folder } });
  const { files, ...counts } = await found(started, 'pay(');
  expect(files.map(({ matchCount }) => matchCount)).toEqual([2300, ...Array(14).fill(70)]);
  expect(counts).toMatchObject({ fileCount: 15, matchCount: 2300 + 14 * 70, limitHit: false });
  expect((await found(started, 'pay( count:5')).files[0]).toEqual(files[0]);
  const all = await found(started, 'pay( count:all');
  expect(all.files.map(({ matches }) => matches.length)).toEqual([2000, ...Array(14).fill(70)]);
  // What is larger than an answer is shown in part.
  const [part, ...others] = (await found(started, 'pay( count:all', 3000)).files;
  expect(others).toEqual([]);
  expect(part?.matches.length).toBeGreaterThan(20);
  expect(part?.matches).toEqual(all.files[0]?.matches.slice(0, part?.matches.length));
});

test('where two words stand side by side, however far below, comes before where both are used often', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  const uses = 'def other(echo):\n    return echo\n'.repeat(40);
  builder.commit({
    files: {
      'src/echo.py': uses,
      'src/uses.py': `class echo: echo = [echo, echo]\n${uses}`,
      'src/utils.py': `${uses}def echo(text):\n${uses}`,
    },
  });
  await using started = await startSearch({ folder: folder.path, repositories: { shop: builder.folder } });
  const { files } = await found(started, 'def echo');
  expect(files[0]?.path).toBe('src/utils.py');
  expect(files[0]?.chunks[0]?.lines).toContain('def echo(text):');
});

test('who searches the words of a name finds where it is defined, before its uses and what defines one of the words', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  const uses = 'const config = read(file), text = parse( config );\n'.repeat(30);
  builder.commit({
    files: {
      'src/a.ts': `${uses}const file = 1;\n`,
      'src/b.ts': `${uses}parseConfigFile(name);\n`,
      'src/c.py': `# parse it: config or file\n${'x = 1\n'.repeat(9)}def parse_config_file(name):\n    pass\n`,
      'src/d.ts': 'function parseConfigFileOf(name) {}\n',
    },
  });
  await using started = await startSearch({ folder: folder.path, repositories: { shop: builder.folder } });
  const paths = async (query: string): Promise<string[]> =>
    (await found(started, query)).files.map(({ path }) => path.slice(4));
  expect(await paths('parse config file')).toEqual(['c.py', 'b.ts', 'd.ts', 'a.ts']);
  const { files } = await found(started, 'parse config file');
  expect(files[0]?.chunks[0]?.lines).toContain('def parse_config_file(name):');
});

test('the file with a message as it stands there comes before those that have its words, and shows it', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  const words = '// in a cart, a shop is not allowed; where blocking\nfunction drop(a, runtime) {}\n'.repeat(30);
  builder.commit({
    files: {
      'src/drop.ts': `${words}// cannot drop a context\n`,
      'src/shutdown.ts': `${words}throw Error("Cannot drop a runtime in a context where blocking is not allowed.");\n`,
    },
  });
  await using started = await startSearch({ folder: folder.path, repositories: { shop: builder.folder } });
  const query = 'Cannot drop a runtime in a context where blocking is not allowed';
  const { files } = await found(started, query);
  expect(files.map(({ path }) => path)).toEqual(['src/shutdown.ts', 'src/drop.ts']);
  expect(files[0]?.chunks[0]?.lines.join('\n')).toContain(query);
});

test('a word that the path has, too, is rated and shown where the text has it', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  const uses = 'the class of a session, its session class and others\n'.repeat(30);
  builder.commit({
    files: {
      'src/a.py': `class Other: session = Session()\n${uses}`,
      'src/sessions.py': `${'class of things\n'.repeat(30)}class Session:\n    pass\n`,
      'src/session_uses.py': 'class Other:\n    session = 1\n',
    },
  });
  await using started = await startSearch({ folder: folder.path, repositories: { shop: builder.folder } });
  for (const suffix of ['', ' count:all']) {
    const { files, fileCount } = await found(started, `class session${suffix}`);
    expect(files[0]?.path).toBe('src/sessions.py');
    expect(files[0]?.chunks[0]?.lines).toContain('class Session:');
    expect([files.length, fileCount]).toEqual([3, 3]);
  }
});

test('what defines a longer name, and has the word besides, comes after what defines the word', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  builder.commit({
    files: {
      'src/a.js': 'function renderAll(render) {\n  render();\n  render();\n}\n',
      'src/b.js': 'function render(page) {}\n',
    },
  });
  await using started = await startSearch({ folder: folder.path, repositories: { shop: builder.folder } });
  expect(await ranked(started, 'render')).toEqual(['shop src/b.js', 'shop src/a.js']);
});

test('what defines a type comes before what uses or only declares it, and speaks of it, however often', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  const uses = 'static struct node *first;\nint of(const struct node *node, struct node* next);\nconst node *last;\n';
  builder.commit({
    files: {
      'src/a.c': uses.repeat(9),
      'src/b.c': '// the type node\nprintf("a record node");\n'.repeat(9),
      'src/c.h': 'struct node;\n',
      'src/z.h': 'struct node {\n  int value;\n};\n',
    },
  });
  await using started = await startSearch({ folder: folder.path, repositories: { shop: builder.folder } });
  const files = await ranked(started, '"node" case:yes');
  expect(files.slice(0, 2)).toEqual(['shop src/z.h', 'shop src/c.h']);
});

test.each(['src', 'test'])('a letter counts beside other words only as a word of its own: in %s', async (folder) => {
  using repositories = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(repositories.path, 'shop.git'), isBare: true });
  builder.commit({
    files: {
      [`${folder}/a.go`]: 'type InputStruct int\nvar inputStruct InputStruct\n',
      [`${folder}/b.go`]: 'x := struct{}{}\nfor t := range x {\n',
      [`${folder}/c.go`]: 'no tStructs\n',
    },
  });
  await using started = await startSearch({ folder: repositories.path, repositories: { shop: builder.folder } });
  const expected = ['b', 'a', 'c'].map((name) => `shop ${folder}/${name}.go`);
  expect(await ranked(started, 't struct')).toEqual(expected);
  expect((await found(started, 't struct count:all')).files.map(({ path }) => path)).toEqual(
    expected.map((file) => file.replace('shop ', '')),
  );
  const [, input] = (await found(started, 't struct')).files;
  // What is shown has all that is searched.
  expect(input?.matches.map(({ line }) => line)).toEqual([1, 2]);
  expect(input?.matchCount).toBe(2);
});

test.each([
  ['order', 'order'],
  ['parcel', 'parcel'],
  ['parcel', '/parce[l]/'],
])(
  'a line with several of the texts comes before more lines with one of them, wherever it is: %s as %s',
  async (word, searched) => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
    const apart = `the basket is paid\none ${word} is open\n`.repeat(30);
    builder.commit({
      files: {
        'src/a.ts': apart,
        'src/b.ts': `${apart}the basket of one ${word}\n`,
        'src/c.ts': `the basket basket basket basket is open\none ${word}\n`,
      },
    });
    await using started = await startSearch({ folder: folder.path, repositories: { shop: builder.folder } });
    expect((await ranked(started, `basket ${searched}`))[0]).toBe('shop src/b.ts');
    const [{ chunks } = { chunks: [] }] = (await found(started, `basket ${searched}`)).files;
    expect(chunks[0]?.lines).toContain(`the basket of one ${word}`);
    expect(await ranked(started, `${searched} basket`)).toEqual(['b', 'a', 'c'].map((name) => `shop src/${name}.ts`));
  },
);

test('who types the name of a file with its ending finds that file first where it is in no folder, whatever kind of file it is; deeper ones come after what speaks of it', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  builder.commit({
    files: {
      'shop.conf': 'port 80\n',
      'test/fixtures/deep/shop.conf': 'port 81\n',
      'src/config.c': '// what is in shop.conf\nread("shop.conf");\n'.repeat(9),
      'src/shop_conf.c': 'int shop;\n',
    },
  });
  await using started = await startSearch({ folder: folder.path, repositories: { shop: builder.folder } });
  const expected = ['shop.conf', 'src/config.c', 'test/fixtures/deep/shop.conf'].map((path) => `shop ${path}`);
  expect(await ranked(started, 'shop.conf')).toEqual(expected);
  expect(await ranked(started, 'Shop.Conf')).toEqual(expected);
  expect((await ranked(started, 'port shop.conf'))[0]).toBe('shop shop.conf');
  expect((await ranked(started, 'deep/shop.conf'))[0]).toBe('shop test/fixtures/deep/shop.conf');
});
