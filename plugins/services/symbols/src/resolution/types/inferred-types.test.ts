import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alice, startSymbols } from '../../testing/start-symbols.ts';
import type { StartedSymbols } from '../../testing/start-symbols.ts';

const { signal } = new AbortController();
let served: StartedSymbols;

/** The same member of two types, so that only the type tells which is meant. */
const types = `export class Row { name = ''; save() {} }
class Table<T = Row> {
  rows: T[] = []
  first: T
  get last() { return new Row(); }
  async load(): Promise<Row> { return new Row(); }
  each(take: (row: Row, index: number) => void) {}
}
class Decoy { name = ''; save() {} last = 1; }
interface Options { row: Row; nested: { name: string } }
type Either = Decoy | { row: Row };
type Make = (options: Options) => Row;
interface Route {
  (path: string): void
  <T extends Row>(path: string, handler: (row: T) => void): void
}
const make = () => new Row();
const all = { rows: [new Row()], make };
function pair(): [Decoy, Row] { return [new Decoy(), new Row()]; }
function guess() { if (all) return null; return { row: make() }; }
`;

const uses = [
  'const a = new Row(); a.save();',
  'const b = make(); b.save();',
  'const c = await table.load(); c.save();',
  'table.rows.map((d) => d.save());',
  'for (const e of table.rows) e.save();',
  'const { row: f } = options; f.save();',
  'const [, g] = pair(); g.save();',
  'table.each((h) => h.save());',
  'const i = guess(); i.row.save();',
  '(x as Row).save();',
  'table.rows.filter(Boolean)[0]!.save();',
  'function j({ row }: Options) { row.save(); }',
  'const k: Make = make; k(options).save();',
  'route("/", (l) => l.save());',
  'all.rows[0].save();',
  'all.make().save();',
  'table.last.save();',
  'const m = x ?? new Row(); m.save();',
  'function n<T extends Row>(it: T) { it.save(); }',
  'new Table<Row>().first.save();',
];

beforeAll(async () => {
  const head =
    "import { Row, Table, Route, Make, Options, Either, all, guess, make, pair } from './types';\nconst table = new Table();\nlet options: Options, x: any, route: Route;\n";
  const literals = `const given: Options = { row: make(), nested: { name: '' } };\nfunction take({ nested }: Options) { nested.name; }\nconst own = { save() {}, depth: 1 };\nown.depth;\nclass One { save() {} }\nfunction inner() { class One { save() {} } new One().save(); }\n`;
  served = await startSymbols({
    shop: { 'types.ts': types, 'use.ts': `${head}${uses.join('\n')}\n`, 'literals.ts': `${head}${literals}` },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

const define = async (path: string, line: number, symbol: string): Promise<string[]> => {
  const { files } = await served.symbols.findDefinition(alice, { repo: 'shop', path, symbol, line }, signal);
  return files.flatMap((file) => file.places.map((place) => `${file.path}:${place.line}`));
};

describe('a member is that of the type that a value has from', () => {
  it.each(uses.map((use, index) => [use, index + 4] as const))('%s', async (_use, line) => {
    expect(await define('use.ts', line, 'save')).toEqual(['types.ts:1']);
  });
});

it('the uses behind all of these are found', async () => {
  const found = await served.references('shop types.ts', 'save');
  expect(found).toEqual(uses.map((_use, index) => `use.ts:${index + 4}`));
});

describe('a key of a literal', () => {
  it('is that of the type that the literal is said to have', async () => {
    expect(await define('literals.ts', 4, 'row')).toEqual(['types.ts:10']);
    expect(await define('literals.ts', 5, 'nested')).toContain('types.ts:10');
    expect(await define('literals.ts', 5, 'name')).toEqual(['types.ts:10']);
  });

  it('is defined there where it is said to have none, and is no symbol of its file', async () => {
    expect(await define('literals.ts', 7, 'depth')).toEqual(['literals.ts:6']);
    const { definitions } = await served.symbols.outline(alice, { repo: 'shop', path: 'literals.ts' }, signal);
    expect(definitions.map(({ name }) => name)).not.toContain('depth');
  });
});

it('of two types of one name in a file each has its own members', async () => {
  expect(await define('literals.ts', 9, 'save')).toEqual(['literals.ts:9']);
});

it('what made a value is a use of its constructor', async () => {
  await using other = await startSymbols({
    one: {
      'a.ts': 'export class A {\n  constructor() {}\n}\nexport const b: A = new A();\n',
      'c.ts': "import { A } from './a';\nnew A();\n",
    },
  });
  expect(await other.references('one a.ts', 'constructor')).toEqual(['a.ts:4', 'c.ts:2']);
});

it('types that lead to each other come to an end', async () => {
  await using other = await startSymbols({
    one: {
      'a.ts': 'type A = B["x"];\ntype B = A["x"];\nconst c = d.e();\nconst d = c.f;\nlet a: A;\na.wanted;\nd.wanted;\n',
    },
  });
  expect(await other.definition('one a.ts', 'wanted')).toEqual([expect.stringContaining(' text')]);
});
