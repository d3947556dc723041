import { parseQuery } from '@sextant/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alice, startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

const { signal } = new AbortController();
let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols(
    {
      shop: {
        'src/cart.ts':
          '// parseCart is explained here\nexport class Cart {\n  parseLine(): void {}\n}\nexport function parseCart(cartText: string): Cart {\n  const parseLocal = cartText;\n  return parseLocal;\n}\n',
        'src/use.ts': "import { parseCart } from './cart';\nparseCart('');\n",
        'test/cart.test.ts': 'function parseCart() {}\n',
        'py/cart.py': 'def parse_cart():\n    pass\n\nclass ParseCartError(Exception):\n    pass\n',
        'notes.txt': 'parseCart\n',
        'tax/Tax.hs': 'computeTax :: Int -> Int\n',
        'many.ts':
          'export const a1 = 1;\nlet x;\nexport const a2 = 1;\nlet y;\nexport const a3 = 1;\nlet z;\nexport const a4 = 1;\n',
      },
      vault: { 'a.ts': 'export function parseCart() {}\n' },
    },
    { hidden: ['vault'] },
  );
});
afterAll(() => served[Symbol.asyncDispose]());

it('a query that says nothing of names looks at some files, and says so', async () => {
  const files = Object.fromEntries(Array.from({ length: 310 }, (_, index) => [`f${index}.sh`, 'a() { :; }\n']));
  await using many = await startSymbols({ many: files });
  await many.untilReadAhead();
  const found = await many.symbols.search(alice, { ...parseQuery('type:symbol'), limit: 5 }, signal);
  expect(found).toMatchObject({ matchCount: 300, limitHit: true });
  expect(found.notes).toEqual([
    'Only 300 files were looked at, as the query says nothing of names: add a part of one, repo: or file:.',
  ]);
});

/** `path:line kind` of each definition. */
async function find(query: string): Promise<string[]> {
  const { files } = await served.symbols.search(alice, { ...parseQuery(query), limit: 15 }, signal);
  return files.flatMap((file) => file.places.map(({ line, kind }) => `${file.path}:${line} ${kind}`));
}

describe('type:symbol finds definitions by their names', () => {
  it.each([
    [
      'a word is part of the name, any case: whole names first, tests after, no uses, comments, local names or parameters',
      'type:symbol parsecart',
      ['src/cart.ts:5 function', 'test/cart.test.ts:1 function', 'py/cart.py:4 class'],
    ],
    ['case:yes', 'type:symbol case:yes ParseCart', ['py/cart.py:4 class']],
    ['all words', 'type:symbol parse line', ['src/cart.ts:3 method']],
    ['a kind before a name', 'type:symbol class cart', ['src/cart.ts:2 class', 'py/cart.py:4 class']],
    ['another kind', 'type:symbol def parse_cart', ['py/cart.py:1 function']],
    ['OR', 'type:symbol parse_cart OR parseLine', ['py/cart.py:1 function', 'src/cart.ts:3 method']],
    ['NOT is said of the name, not of the file', 'type:symbol cart -parse', ['src/cart.ts:2 class']],
    [
      'a regular expression from end to end',
      'type:symbol /^parse[A-Z]\\w+$/ case:yes -file:test',
      ['src/cart.ts:3 method', 'src/cart.ts:5 function'],
    ],
    ['lang:', 'type:symbol lang:python cart', ['py/cart.py:1 function', 'py/cart.py:4 class']],
    [
      'file: alone',
      'type:symbol file:^src/',
      ['src/cart.ts:2 class', 'src/cart.ts:5 function', 'src/cart.ts:3 method'],
    ],
    ['nothing', 'type:symbol nowhereAtAll', []],
  ])('%s', async (_what, query, places) => {
    expect((await find(query)).toSorted()).toEqual(places.toSorted());
  });

  it('whole names come before parts of names', async () => {
    expect((await find('type:symbol parsecart'))[0]).toBe('src/cart.ts:5 function');
  });

  it('at a revision', async () => {
    const shop = served.builders['shop'];
    shop?.commit({ branch: 'old', parents: [], files: { 'old.ts': 'export function parseOld() {}\n' } });
    expect(await find('type:symbol repo:shop rev:old parse')).toEqual(['old.ts:1 function']);
  });
});

it('the place of a definition has the range of its name in the line', async () => {
  const { files } = await served.symbols.search(alice, { ...parseQuery('type:symbol /^a\\d$/'), limit: 15 }, signal);
  const names = files.flatMap(({ chunks, places }) =>
    places.map(({ line, range }) => {
      const chunk = chunks.find(({ startLine, endLine }) => startLine <= line && line <= endLine);
      return chunk?.lines[line - chunk.startLine]?.slice(...(range ?? [0, 0]));
    }),
  );
  expect(names).toHaveLength(3);
  expect(names.every((name) => /^a\d$/.test(name ?? ''))).toBe(true);
});

it('three definitions of a file are shown unless count: asks for more, and the answer says how many there are', async () => {
  const query = 'type:symbol /^a\\d$/';
  const found = await served.symbols.search(alice, { ...parseQuery(query), limit: 15 }, signal);
  expect(found).toMatchObject({
    matchCount: 4,
    limitHit: true,
    files: [{ places: { length: 3 }, chunks: { length: 3 }, matchCount: 4 }],
  });
  const all = await served.symbols.search(alice, { ...parseQuery(`${query} count:all`), limit: 15 }, signal);
  expect(all).toMatchObject({ matchCount: 4, limitHit: false, files: [{ places: { length: 4 } }] });
  const one = await served.symbols.search(alice, { ...parseQuery('type:symbol cart count:1'), limit: 15 }, signal);
  expect(one).toMatchObject({ limitHit: true, files: { length: 1 } });
});

it.each([
  ['type:symbol explained', /without type:symbol they are shown/],
  ['type:symbol computeTax', /\(the syntax of \.hs is not known here\)/],
  ['type:symbol parseKart', /Did you mean "parseCart"/],
  ['type:symbol parseCart file:nowhere', /Nothing matches file:"nowhere" by itself/],
])('of %s it is said why nothing is found', async (query, reason) => {
  const found = await served.symbols.search(alice, { ...parseQuery(query), limit: 15 }, signal);
  expect(found).toMatchObject({ files: [], notes: [expect.stringMatching(reason)] });
});

it.each([
  ['type:symbol Cart::parseLine', '"parseLine" in place of "Cart::parseLine"'],
  ['type:symbol shop Cart#addLine(text)', '"addLine" in place of "Cart#addLine(text)"'],
])('of %s it is said first that names are simple', async (query, names) => {
  const found = await served.symbols.search(alice, { ...parseQuery(query), limit: 15 }, signal);
  expect(found.notes[0]).toBe(`Symbols are found by their simple names: ${names}.`);
});

it.each(['parseCart', 'type:file parseCart'])('%s, a query for something else, is an error', async (query) => {
  await expect(find(query)).rejects.toMatchObject({ code: 'invalid_argument' });
});

it.each([
  ['that does not parse', 'type:symbol (a'],
  ['with a regular expression that cannot be used', 'type:symbol /(a/'],
])('a query %s is an error', async (_what, query) => {
  await expect(find(query)).rejects.toMatchObject({ code: 'invalid_argument' });
});

it('a regular expression takes time linear in the names', async () => {
  expect(await find('type:symbol /^(a+)+$/')).toEqual([]);
});
