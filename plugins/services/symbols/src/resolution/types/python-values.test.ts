import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alice, startSymbols } from '../../testing/start-symbols.ts';
import type { StartedSymbols } from '../../testing/start-symbols.ts';

const { signal } = new AbortController();
let served: StartedSymbols;

const models = `import typing as t


class Row:
    name: str

    def __init__(self, name):
        self.name = name
        self.parent = None
        self.parent = Row("")

    def save(self):
        pass

    @classmethod
    def empty(cls) -> "Row":
        return cls("")

    @property
    def next(self) -> t.Optional["Row"]:
        return None

    def copy(self):
        return Row(self.name)


class Table(t.Generic[t.Any]):
    def __init__(self, rows: list[Row]):
        self.rows = rows
        self.by_name: dict[str, Row] = {}


class Other:
    def save(self):
        pass


def make(name=None) -> Row:
    return Row(name)


class Maker(t.Protocol):
    def __call__(self) -> Row: ...


def pair() -> tuple[Row, int]:
    return make(), 1
`;

const uses = [
  'Row("a").save()',
  'r = Row("a"); r.save()',
  'r = make(); r.save()',
  'r, n = pair(); r.save()',
  'Row.empty().save()',
  'make().next.save()',
  'make().copy().save()',
  'make().parent.save()',
  'table.rows[0].save()',
  'table.rows[1:][0].save()',
  'table.by_name["a"].save()',
  'table.by_name.get("a").save()',
  '[r.save() for r in table.rows]',
  'for r in table.rows: r.save()',
  'for k, r in table.by_name.items(): r.save()',
  'with make() as r: r.save()',
  'if (r := make()): r.save()',
  'r = table or make(); r.save()',
  'r = make() if table else None; r.save()',
  'shop.models.make().save()',
  'm.make().save()',
];
const head =
  'import shop.models\nimport os.path\nimport shop.models as m\nfrom shop.models import *\ntable = Table([])\n';
const typed = `from __future__ import annotations
from .models import Maker, Row, Table, Other
import os


def first(row: Row, other: "Other", rows: list[Row] | None = None, *rest: int):
    row.save()
    other.save()
    rows[0].save()
    os.path.save()


def called(one: t.Callable[[int], Row], other: "Maker"):
    one().save()
    other().save()


def again(row):
    row = row.save()
    for row, _ in row:
        print(row)


class Sub(Table):
    def load(self) -> type[Row]:
        super().__init__([])
        return self.rows[0].save()
`;

beforeAll(async () => {
  served = await startSymbols({
    snake: {
      'src/shop/__init__.py': '',
      'src/shop/models.py': models,
      'src/shop/typed.py': typed,
      'use.py': `${head}${uses.map((use, index) => `def f${index}():\n    ${use}\n`).join('')}`,
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

const define = async (path: string, line: number, symbol: string): Promise<string[]> => {
  const { files } = await served.symbols.findDefinition(alice, { repo: 'snake', path, symbol, line }, signal);
  return files.flatMap((file) => file.places.map((place) => `${file.path}:${place.line}`));
};

describe('a method in Python is that of the type that a value has from', () => {
  it.each(uses.map((use, index) => [use, 2 * index + 7] as const))('%s', async (_use, line) => {
    expect(await define('use.py', line, 'save')).toEqual(['src/shop/models.py:12']);
  });
});

describe('a name in Python is', () => {
  it.each([
    ['a method of what a parameter is said to be', 7, 'save', 12],
    ['a method of another that one is said to be in quotes', 8, 'save', 34],
    ['a method of the elements of a parameter', 9, 'save', 12],
    ['a method of what a function gives that was handed over', 14, 'save', 12],
    ['a method of what calling a value gives', 15, 'save', 12],
    ['an attribute of what is extended', 27, 'rows', 29],
  ])('%s', async (_what, line, symbol, place) => {
    expect(await define('src/shop/typed.py', line, symbol)).toEqual([`src/shop/models.py:${place}`]);
  });

  it('defined by the first that gives it a value: an attribute by its class, a variable by the parameter', async () => {
    expect(await define('src/shop/models.py', 8, 'name')).toEqual(['src/shop/models.py:5', 'src/shop/models.py:7']);
    expect(await define('src/shop/typed.py', 21, 'row')).toEqual(['src/shop/typed.py:18']);
  });
});

describe('uses in Python', () => {
  it('are found behind all of these, and none behind another type or what comes from elsewhere', async () => {
    const { files } = await served.symbols.findReferences(
      alice,
      { repo: 'snake', path: 'src/shop/models.py', symbol: 'save', line: 12, limit: 100 },
      signal,
    );
    const found = files.map(({ path, places }) => [path, places.map(({ line }) => line)]);
    expect(found).toEqual([
      ['src/shop/typed.py', [7, 9, 14, 15, 27]],
      ['use.py', uses.map((_use, index) => 2 * index + 7)],
    ]);
  });

  it('of a constructor are the calls of its class and those that are written', async () => {
    expect(await served.references('snake src/shop/models.py', '__init__')).toEqual([
      'src/shop/models.py:10',
      'src/shop/models.py:24',
      'src/shop/models.py:39',
      'src/shop/typed.py:26',
      'use.py:5',
      'use.py:7',
      'use.py:9',
    ]);
  });
});
