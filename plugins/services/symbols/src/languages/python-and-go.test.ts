import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alice, startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    snake: {
      'src/shop/__init__.py': 'from .config import Config, parse_config as parse\nfrom . import prices\n',
      'src/shop/config.py':
        'class Config:\n    port = 1\n\n    def load(self):\n        self.cache = self.port\n        return self.load()\n\n\ndef parse_config(text):\n    return Config()\n',
      'src/shop/prices.py':
        'from shop.config import *\n\n\ndef price():\n    config = parse_config("")\n    return config.load()\n',
      'tests/test_shop.py':
        'import shop.prices\nfrom shop import parse, Config, prices\n\nshop.prices.price()\nparse("")\nConfig.load\nprices.price()\n',
      'src/shop/quoted.py':
        'import typing as t\n\n\ndef use(\n    a: "Till",\n    b: t.List["Till"],\n    c: "t.Optional[quoted.Till]" = None,\n    d: t.Literal["Till"] = "Till",\n):\n    pass\n\n\nif t.TYPE_CHECKING:\n    from .till import Till\n    from . import till as quoted\n',
      'src/shop/till.py':
        'shut = 1\n\n\nclass Till:\n    def fail(self):\n        return shut\n\n    __add__ = __mul__ = fail\n    shut = fail\n\n    def free(self):\n        return fail\n',
      'tests/decoy.py': 'def price():\n    pass\n\n\nclass Decoy:\n    def load(self):\n        pass\n',
    },
    gopher: {
      'go.mod': 'module example.com/gopher\n',
      'far.go':
        'package main\n\nimport (\n\t"errors"\n\t"example.org/kept"\n\t"example.com/gopher/store"\n)\n\nfunc far() { errors.New(); kept.Keep(); for _, store := range all() { store.Sell() } }\n',
      'vendor/example.org/kept/kept.go': 'package kept\n\nfunc Keep() {}\n',
      'other/new.go': 'package other\n\nfunc New() {}\nfunc Keep() {}\ntype Till struct{}\n\nfunc (t Till) Sell() {}\n',
      'store/store.go':
        'package store\n\ntype Store struct{ Size int }\n\nfunc Open(path string) *Store { return &Store{} }\n\nfunc (s *Store) Close() error { return nil }\n',
      'store/more.go': 'package store\n\nfunc again() *Store { return Open("again") }\n',
      'other/other.go': 'package other\n\nfunc Open() {}\n',
      'main.go':
        'package main\n\nimport "example.com/gopher/store"\n\nfunc main() {\n\ts := store.Open("x")\n\tdefer s.Close()\n\tvar t store.Store\n\t_ = t\n}\n',
    },
    user: {
      'go.mod': 'module example.com/user\n',
      'main.go': 'package main\n\nimport db "example.com/gopher/store"\n\nfunc main() { db.Open("y") }\n',
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

describe('a definition in Python is found', () => {
  it.each([
    ['through a package that passes it on', 'tests/test_shop.py', 'parse', ['src/shop/config.py:9']],
    ['through an import of every name', 'src/shop/prices.py', 'parse_config', ['src/shop/config.py:9']],
    ['behind the module', 'tests/test_shop.py', 'price', ['src/shop/prices.py:4']],
    ['of a module', 'tests/test_shop.py', 'prices', ['src/shop/prices.py:1']],
    ['of a method behind its class', 'tests/test_shop.py', 'load', ['src/shop/config.py:4']],
    ['of an attribute', 'src/shop/config.py', 'port', ['src/shop/config.py:2']],
    [
      'of a local name that is that of a module too',
      'src/shop/prices.py',
      'config',
      ['src/shop/config.py:1', 'src/shop/prices.py:5'],
    ],
  ])('%s', async (_how, path, symbol, places) => {
    expect(await served.definition(`snake ${path}`, symbol)).toEqual(places);
  });
});

describe('a definition in Go is found', () => {
  it.each([
    ['in an imported package', 'gopher main.go', 'Open', ['store/store.go:5']],
    ['of a type behind its package', 'gopher main.go', 'Store', ['store/store.go:3']],
    ['of a method', 'gopher main.go', 'Close', ['store/store.go:7']],
    ['in another file of the package', 'gopher store/more.go', 'Open', ['store/store.go:5']],
    ['in a package that is kept in the repository', 'gopher far.go', 'Keep', ['vendor/example.org/kept/kept.go:3']],
    ['nowhere but in the package before it', 'gopher far.go', 'New', ['far.go:8 text', 'other/new.go:2 text']],
    ['behind what hides a package', 'gopher far.go', 'Sell', ['other/new.go:7']],
    ['in a module of another repository', 'user main.go', 'Open', ['gopher store/store.go:5']],
  ])('%s', async (_how, at, symbol, places) => {
    expect(await served.definition(at, symbol)).toEqual(places);
  });
});

describe('references', () => {
  it('of a function in Python are found under its other names too', async () => {
    expect(await served.references('snake src/shop/config.py', 'parse_config')).toEqual([
      'src/shop/__init__.py:1',
      'src/shop/prices.py:5',
      'tests/test_shop.py:2',
      'tests/test_shop.py:5',
    ]);
  });

  it('of a class in Python are found in annotations that are texts', async () => {
    expect(await served.references('snake src/shop/till.py', 'Till')).toEqual([
      'src/shop/quoted.py:5',
      'src/shop/quoted.py:6',
      'src/shop/quoted.py:7',
      'src/shop/quoted.py:14',
    ]);
    const request = { repo: 'snake', path: 'src/shop/quoted.py', symbol: 'Till', line: 5 };
    const { files, notes } = await served.symbols.findDefinition(alice, request, new AbortController().signal);
    expect(files.map(({ path }) => path)).toEqual(['src/shop/till.py']);
    expect(notes).toBeUndefined();
  });

  it('of a method in Python are found in the body of its class, outside of other methods', async () => {
    expect(await served.references('snake src/shop/till.py', 'fail')).toEqual([
      'src/shop/till.py:8',
      'src/shop/till.py:9',
    ]);
  });

  it('of a function in Go are found in its package, behind its package, and in other modules', async () => {
    expect(await served.references('gopher store/store.go', 'Open')).toEqual([
      'store/more.go:3',
      'main.go:6',
      'user main.go:5',
    ]);
  });
});
