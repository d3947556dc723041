import type { SymbolAnswer, SymbolRequest } from '@sextant/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alice, startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

const { signal } = new AbortController();
let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    other: { 'far.ts': 'export class Far {\n  onlyFar() {}\n}\n' },
    shop: {
      'rs/Cargo.toml': '[package]\nname = "till"\n',
      'rs/src/lib.rs':
        'pub mod log;\nuse std::io;\nfn ask() {\n    io::stdin().read_line();\n    io::stdout();\n}\npub enum Size {\n    Small(u8),\n}\nmacro_rules! sizes { () => {} }\nsizes!(("x", Size::Small(1)));\n',
      'rs/src/log.rs':
        'pub struct Log {\n    pages: u8,\n}\nimpl Log {\n    pub fn read_line(&self) {}\n    pub fn pages(&self) -> u8 {\n        self.pages\n    }\n}\n',
      'kt/Order.kt':
        'package kt\nfun place() = Result.failure<Int>(Exception())\n@Fast\nclass Order\nannotation class Fast\n',
      'kt/OrderTest.kt': 'package kt\nclass OrderTest {\n  fun failure() {}\n}\n',
      'py/errors.py':
        'import unittest\nclass StockError(Exception):\n    def __init__(self, item):\n        super().__init__(item)\nclass StockTest(unittest.TestCase):\n    def test(self):\n        self.assertEqual(1, 1)\n',
      'py/compare.py': 'class Comparer:\n    def assertEqual(self):\n        pass\n',
      'py/goods/__init__.py': "from .items import *\nfrom .shelf import Shelf as Shelf\n__all__ = ['Item', 'Shelf']\n",
      'py/goods/items.py': "class Item:\n    pass\n__all__ = [\n    'Item',\n]\n",
      'py/goods/shelf.py': 'class Shelf:\n    def fill(self):\n        pass\n',
      'py/use.py': 'import goods\nfrom goods import Item, Shelf\nItem()\ngoods.Shelf()\n',
      'ts/page.ts':
        "import { test, expect } from 'ava';\nimport { Basket } from './basket';\ntest('x', () => expect(1));\nexport function f(value: any, basket: Basket) {\n  value.pay();\n  value.onlyFar();\n  basket.pay();\n  value.text.trim().concat('');\n}\n",
      'ts/basket.ts': 'export class Basket {\n  pay() {}\n}\nexport class Card {\n  pay() {}\n}\nfunction test() {}\n',
      'ts/draw.ts': 'export const draw = (value: any) => value.draw({ pay: 1 });\n',
      'rb/store.rb': 'module Acme\n  class Store\n    def sell; end\n  end\nend\n',
      'rb/acme.rb': "require_relative 'store'\nmodule Acme\n  def self.open; end\nend\n",
      'rb/main.rb': "require_relative 'acme'\nAcme.open\nAcme::Store.new\n",
      'c/a/list.h':
        '#define GROW(list) do { grow_by(list, step_of(list)); } while (0)\nint grow_by(int list, int step);\n',
      'c/a/list.c':
        '#include "list.h"\nint grow_by(int list, int step) { return list; }\nint step_of(int list) { return 1; }\nvoid g(void) { init(); GROW(1); }\n',
      'c/a/near.c': 'static void init(void) {}\nvoid n(void) { init(); }\n',
      'c/b/init.c': 'void init(void) {}\n',
      'js/parser.js':
        'class Base {\n  constructor() {\n    this.rules = new Map();\n  }\n  run() {\n    this.rules.clear();\n  }\n}\nfunction Old() {\n  this.table = {};\n}\nOld.limits = [];\nOld.prototype.go = function () {\n  this.table.x;\n  Old.limits.pop();\n};\n',
      'php/Store.php':
        '<?php\nclass Shelf {\n  function reset() {}\n}\nclass Store extends Shelf {\n  function reset() {\n    parent::reset();\n  }\n}\n',
      'cpp/sink.h': 'class ACME_API sink {\npublic:\n  void log(int x);\n};\nACME_API sink *default_sink();\n',
      'cpp/main.cpp':
        '#include "sink.h"\nACME_INLINE sink *default_sink() { return 0; }\nvoid f() { default_sink()->log(1); }\n',
      'cs/Log.cs':
        'namespace Acme;\npublic interface ILog\n{\n    void Add(string text)\n#if DEFAULTS\n    { }\n#else\n    ;\n#endif\n}\npublic class Page\n{\n    void F(TextWriter output, ILog log) { output.Write("x"); log.Add("x"); }\n}\n',
      'cs/Book.cs': 'namespace Acme;\npublic class Book { public void Write(string text) { } }\n',
    },
  });
  await served.untilReadAhead();
});
afterAll(() => served[Symbol.asyncDispose]());

async function ask(at: string, symbol: string): Promise<SymbolAnswer> {
  const [path = '', line] = at.split(':');
  const request: SymbolRequest = { repo: 'shop', path, symbol, ...(line !== undefined && { line: Number(line) }) };
  return served.symbols.findDefinition(alice, request, signal);
}

const placesOf = ({ files }: SymbolAnswer): string[] =>
  files.flatMap(({ path, places }) => places.map(({ line }) => `${path}:${line}`));

describe('what is defined outside is named with its import, and is no stranger of the same name', () => {
  it.each([
    ['a member that a type inherits', 'py/errors.py:7', 'assertEqual', { module: 'unittest' }],
    ['the constructor of a class of the language', 'py/errors.py:4', '__init__', {}],
    ['a member of a type of the language', 'kt/Order.kt:2', 'failure', {}],
    ['a value of a type that nobody defines', 'cs/Log.cs:13', 'Write', {}],
    ['an imported name', 'ts/page.ts:3', 'test', { module: 'ava' }],
    ['a function of an imported module', 'rs/src/lib.rs:5', 'stdout', { module: 'std::io' }],
  ])('%s', async (_what, at, symbol, outside) => {
    const answer = await ask(at, symbol);
    expect(answer).toMatchObject({ precision: 'text', outside });
    expect(placesOf(answer)).toEqual([]);
    expect(answer.files.flatMap(({ chunks }) => chunks).length).toBeLessThanOrEqual(3);
  });
});

describe('where only the name fits, that is said', () => {
  it.each([
    ['behind the result of a foreign function', 'rs/src/lib.rs:4', 'read_line', ['rs/src/log.rs:5']],
    ['behind any value', 'ts/page.ts:5', 'pay', ['ts/basket.ts:2', 'ts/basket.ts:5']],
    ['a key of a literal for any function', 'ts/draw.ts:1', 'pay', ['ts/basket.ts:2', 'ts/basket.ts:5']],
  ])('%s', async (_what, at, symbol, places) => {
    const answer = await ask(at, symbol);
    expect(answer).toMatchObject({ precision: 'syntactic', isByNameOnly: true });
    expect(placesOf(answer)).toEqual(places);
  });

  it('uses of something of that name are said to be that', async () => {
    const request = { repo: 'shop', path: 'ts/page.ts', symbol: 'pay', line: 5, limit: 10 };
    expect(await served.symbols.findReferences(alice, request, signal)).toMatchObject({ isByNameOnly: true });
  });

  it('other repositories are not looked at', async () => {
    expect(placesOf(await ask('ts/page.ts:6', 'onlyFar'))).toEqual([]);
  });
});

describe('a name is followed', () => {
  it.each([
    ['behind a value of a known type', 'ts/page.ts:7', 'pay', ['ts/basket.ts:2']],
    ['to a field, which is not called', 'rs/src/log.rs:7', 'pages', ['rs/src/log.rs:2']],
    ['in the body of a Rust macro', 'rs/src/lib.rs:11', 'Small', ['rs/src/lib.rs:8']],
    ['in the body of a C macro', 'c/a/list.h:1', 'step_of', ['c/a/list.c:3']],
    ['to an annotation class', 'kt/Order.kt:3', 'Fast', ['kt/Order.kt:5']],
    ['in __all__', 'py/goods/items.py:4', 'Item', ['py/goods/items.py:1']],
    ['in __all__ of a package that passes it on', 'py/goods/__init__.py:3', 'Shelf', ['py/goods/shelf.py:1']],
    ['through a package that passes on everything', 'py/use.py:3', 'Item', ['py/goods/items.py:1']],
    ['behind a package that passes it on', 'py/use.py:4', 'Shelf', ['py/goods/shelf.py:1']],
    ['to all parts of a module that is reopened', 'rb/main.rb:2', 'Acme', ['rb/acme.rb:2', 'rb/store.rb:1']],
    ['to a member of a module that is reopened', 'rb/main.rb:2', 'open', ['rb/acme.rb:3']],
    ['past a static function of another file', 'c/a/list.c:4', 'init', ['c/b/init.c:1']],
    ['to a static function of the file', 'c/a/near.c:2', 'init', ['c/a/near.c:1']],
    ['through macros around a class and a function', 'cpp/main.cpp:3', 'log', ['cpp/sink.h:3']],
    ['to what a constructor assigns', 'js/parser.js:6', 'rules', ['js/parser.js:3']],
    ['to what a function assigns to this', 'js/parser.js:14', 'table', ['js/parser.js:10']],
    ['to what is assigned to a part of a function', 'js/parser.js:15', 'limits', ['js/parser.js:12']],
    ['behind parent', 'php/Store.php:7', 'reset', ['php/Store.php:3']],
    ['past lines for the preprocessor of C#', 'cs/Log.cs:13', 'Add', ['cs/Log.cs:4']],
  ])('%s', async (_what, at, symbol, places) => {
    const answer = await ask(at, symbol);
    expect(placesOf(answer)).toEqual(places);
    expect(answer).toMatchObject({ precision: 'syntactic' });
    expect(answer.isByNameOnly).toBeUndefined();
  });
});

describe('a name behind its type', () => {
  it.each([
    ['ts/basket.ts', 'Card.pay', ['ts/basket.ts:5']],
    ['ts/page.ts', 'Basket#pay', ['ts/basket.ts:2']],
    ['py/use.py', 'Shelf.fill', ['py/goods/shelf.py:2']],
    ['rb/main.rb', 'Acme::Store', ['rb/store.rb:2']],
  ])('in %s, %s', async (path, symbol, places) => {
    expect(placesOf(await ask(path, symbol))).toEqual(places);
  });

  it('means its uses as well', async () => {
    const request = { repo: 'shop', path: 'ts/basket.ts', symbol: 'Basket.pay', limit: 10 };
    const found = await served.symbols.findReferences(alice, request, signal);
    expect(placesOf(found)).toEqual(['ts/page.ts:7']);
  });
});

it('a line that does not have the name is said, and any use of the file is taken', async () => {
  const answer = await ask('py/use.py:1', 'Item');
  expect(placesOf(answer)).toEqual(['py/goods/items.py:1']);
  expect(answer.notes).toEqual(['Line 1 does not have "Item"; any use of it in the file was taken.']);
});

it('a static function is used in its file alone', async () => {
  expect(await served.references('shop c/a/near.c', 'init')).toEqual(['c/a/near.c:2']);
});
