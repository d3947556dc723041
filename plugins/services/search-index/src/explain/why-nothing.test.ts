import { join } from 'node:path';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startSearch } from '../testing/start-search.ts';
import type { StartedSearch } from '../testing/start-search.ts';

const folder = temporaryFolder();
let started: StartedSearch;

beforeAll(async () => {
  const shop = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  shop.commit({
    files: {
      'src/cart/parse.ts': 'build_many_carts(a);\nparseCart(text)\nemptyCart()\n',
      'b.go': 'other\n',
      'lease.go': 'fail("No lease of %s is left")\n',
      'words.md': 'warning:\nno\n\n\nx9\n\n\nlease\n\n\nis\n\n\nof\n\n\nleft\n',
    },
  });
  const vault = new RepositoryBuilder({ folder: join(folder.path, 'vault.git'), isBare: true });
  vault.commit({ files: { 'src/secrets/vault.ts': 'openVault()\n' } });
  const others = Array.from({ length: 8 }, (_, i) => [
    `other${i}`,
    new RepositoryBuilder({ folder: join(folder.path, `${i}.git`) }).folder,
  ]);
  const repositories = { shop: shop.folder, vault: vault.folder, ...Object.fromEntries(others) };
  started = await startSearch({ folder: folder.path, repositories, hidden: ['vault'] });
  await started.ready();
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

test.each([
  ['parseCrat repo:sh', 'Did you mean "parseCart"?'],
  ['parseCrat', 'Try a part of the word, or name the repository with repo: to be told of words that are like it.'],
  ['PARSECARD repo:.', 'Did you mean "parseCart"?'],
  ['pareCart repo:shop', 'Did you mean "parseCart"?'],
  ['parssCart repo:shop', 'Did you mean "parseCart"?'],
  ['parsCeart repo:shop', 'Did you mean "parseCart"?'],
  ['parsecart case:yes', 'Did you mean "parseCart"?'],
  ['buildManyCarts repo:shop', 'Did you mean "build_many_carts"?'],
  ['other emptyCarts', 'Nothing matches "emptyCarts" by itself; the other parts do. Did you mean "emptyCart"?'],
  [
    'other Object.<anonymous> parse.ts:2',
    'Nothing matches "Object.<anonymous>", "parse.ts:2" by itself; the other parts do. Lines are not found by their numbers; read_file shows line 2 of "src/cart/parse.ts".',
  ],
  [
    'a message of more words than are looked for one by one: openVault',
    'No file matches all parts of the query; leave some out, or join some with OR.',
  ],
  [
    'error 42: no lease of v1.2 is left (is it?)',
    'No file matches all parts of the query; leave some out, or join some with OR. If it is a message: "no lease of" stands in shop – lease.go.',
  ],
  ['no lease of shop is left', 'Nothing matches "shop" by itself; the other parts do.'],
  ['"no lease of 42 is left"', 'If it is a message: "no lease of" stands in shop – lease.go.'],
  ['type:path prase', undefined],
  ['type:path secrest', undefined],
  ['openVualt repo:.', undefined],
  [String.raw`parseCart\(text`, String.raw`A backslash is looked for as it stands; did you mean "parseCart(text"?`],
  ['"other cart"', 'Without quotes the words may stand anywhere in a file.'],
  ['file:lib/parse.ts$', 'Did you mean "src/cart/parse.ts"?'],
  ['other file:lib/vault.ts', 'Nothing matches file:"lib/vault.ts" by itself; the other parts do.'],
  ['cart/parse.ts:3', 'Lines are not found by their numbers; read_file shows line 3 of "src/cart/parse.ts".'],
  [
    'other (/home/ada/shop/src/cart/parse.ts:1:20)',
    'Nothing matches "/home/ada/shop/src/cart/parse.ts:1:20" by itself; the other parts do. Lines are not found by their numbers; read_file shows line 1 of "src/cart/parse.ts".',
  ],
  [
    String.raw`src\cart\parse.ts:2:`,
    'Lines are not found by their numbers; read_file shows line 2 of "src/cart/parse.ts".',
  ],
  ['type:path *.ts', String.raw`"*.ts" was looked for as it stands; write file:\.ts$ for paths like it.`],
  [
    'src/**/pars*.ts',
    String.raw`"src/**/pars*.ts" was looked for as it stands; write file:src/(.*/)?pars[^/]*\.ts$ for paths like it.`,
  ],
  ['secrets/*.ts', undefined],
  ['Cart::parseCart(text)', '"Cart" and "parseCart" both stand in shop – src/cart/parse.ts; search for them apart.'],
  [
    'other shop.cart.Text.emptyCart',
    'Nothing matches "shop.cart.Text.emptyCart" by itself; the other parts do. "Text" and "emptyCart" both stand in shop – src/cart/parse.ts; search for them apart.',
  ],
  ['Vault.openVault', undefined],
  ['lease.go', undefined],
  ['secrets/vault.ts:1', undefined],
  ['/absent[a-z]/', undefined],
  ['-a', undefined],
])('%s', async (query, note) => {
  const request = { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits } as const;
  const notesOf = async (): Promise<readonly string[]> =>
    (await started.search.find(callerOf('alice'), request, new AbortController().signal)).notes;
  if (note === undefined) expect((await notesOf()).join('')).not.toMatch(/Did you mean|read_file|write|apart/);
  // What a busy machine does not find out in time is found out later.
  else await vi.waitFor(async () => expect(await notesOf()).toEqual([note]), 60_000);
});

test('of a message that is too long to be looked for the other pieces are', async () => {
  const request = {
    ...parseQuery(`no lease of 42 ${'long '.repeat(300)}`),
    mode: 'keyword',
    limits: defaultSearchLimits,
  } as const;
  await vi.waitFor(async () => {
    const { notes } = await started.search.find(callerOf('alice'), request, new AbortController().signal);
    expect(notes.join('')).toContain('"no lease of" stands in shop – lease.go');
  }, 60_000);
});

test.each([
  [
    'warning: no lease of x9 is left',
    ['words.md'],
    ['The words stand apart in these files. If it is a message: "no lease of" stands in shop – lease.go.'],
  ],
  ['no lease of s is left', ['lease.go'], []],
  ['lease no left of x9 is', ['words.md'], []],
  ['no lease of x9', ['words.md'], []],
])('where the words of a message stand apart it is said where some stand together: %s', async (query, paths, said) => {
  const request = { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits } as const;
  await vi.waitFor(async () => {
    const { files, notes } = await started.search.find(callerOf('alice'), request, new AbortController().signal);
    expect(files.map(({ path }) => path).filter((path) => paths.includes(path))).toEqual(paths);
    expect(notes).toEqual(said);
  }, 60_000);
});
