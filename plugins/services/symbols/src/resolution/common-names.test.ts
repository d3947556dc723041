import { afterAll, beforeAll, expect, it } from 'vitest';
import { alice, startSymbols } from '../testing/start-symbols.ts';
import type { Files, StartedSymbols } from '../testing/start-symbols.ts';

/** Values that nobody can tell the type of, more than are followed for one answer. */
const manyFiles = 40;
const valuesOfEach = 20;
const unknownValues = Array.from({ length: valuesOfEach }, (_, at) => `make${at}().load();\n`).join('');
const many: Files = Object.fromEntries(
  Array.from({ length: manyFiles }, (_, at): [string, string] => [`a/${at}.ts`, unknownValues]),
);

const go: Files = {
  'go.mod': 'module example.com/shop\n',
  'stock/stock.go': 'package stock\n\ntype Item struct{ URL string }\n\nfunc (i *Item) Get() {}\n\nfunc Get() {}\n',
  'web/page.go':
    'package web\n\nimport "example.com/shop/stock"\n\ntype Page struct{}\n\nfunc (p *Page) Get() {}\n\nfunc f(p *Page) {\n\tp.Get()\n\tstock.Get()\n}\n',
  'web/list.go':
    'package web\n\nimport "example.com/shop/stock"\n\nfunc g() {\n\tx := unknown()\n\tx.Get()\n\tvar i stock.Item\n\ti.Get()\n}\n',
  'api/api.go': 'package api\n\ntype Item int\n\nfunc f(item Item) {\n\tr := unknown()\n\tr.URL = ""\n}\n',
  'vendor/example.com/x/x.go': 'package x\n\nfunc f() {\n\tItem.URL = ""\n\tunknown().URL = ""\n}\n',
};

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    shop: {
      ...many,
      'store.ts': 'export class Store {\n  load() {}\n}\n',
      'list.ts':
        'class Box {\n  items: string[] = [];\n  find() {\n    return this.items.find(Boolean);\n  }\n  go() {\n    this.find();\n  }\n}\n',
      'z/far.ts': 'import { Store } from "../store";\nnew Store().load();\n',
    },
    go,
  });
  await served.untilReadAhead();
});
afterAll(() => served[Symbol.asyncDispose]());

it('files that name the type of a member come first; where following values takes too long there is more, which is said', async () => {
  const request = { repo: 'shop', path: 'store.ts', symbol: 'load', limit: 10 };
  const found = await served.symbols.findReferences(alice, request, new AbortController().signal);
  expect(found.files.map(({ path }) => path)).toEqual(['z/far.ts']);
  expect(found).toMatchObject({ totalCount: 1, limitHit: true });
});

it('a method is not used behind a package or a value of a type that has one of its own', async () => {
  expect(await served.references('go web/page.go', 'Get')).toEqual(['web/page.go:10', 'web/list.go:7']);
  const request = { repo: 'go', path: 'stock/stock.go', symbol: 'Get', line: 5, limit: 10 };
  const found = await served.symbols.findReferences(alice, request, new AbortController().signal);
  expect(found.files.flatMap(({ path, places }) => places.map(({ line }) => `${path}:${line}`))).toEqual([
    'web/list.go:7',
    'web/list.go:9',
  ]);
});

it('a file of another package that names a type of the same name does not know the member, nor does what is vendored', async () => {
  expect(await served.references('go stock/stock.go', 'URL')).toEqual([]);
});

it('what a list or a promise of the language has is no member of a class', async () => {
  expect(await served.references('shop list.ts', 'find')).toEqual(['list.ts:7']);
});

it('who asks for one thing is answered before another who asks for uses of a common name again and again', async () => {
  const { signal } = new AbortController();
  const order: string[] = [];
  const request = { repo: 'shop', path: 'store.ts', symbol: 'load', limit: 1000 };
  const heavy = Array.from({ length: 16 }, () =>
    served.symbols.findReferences(alice, request, signal).then(() => order.push('heavy')),
  );
  const bob = { ...alice, user: { ...alice.user, id: alice.user.id + 1 } };
  const small = served.symbols
    .findDefinition(bob, { repo: 'shop', path: 'list.ts', symbol: 'Box' }, signal)
    .then(() => order.push('small'));
  await Promise.all([...heavy, small]);
  expect(order.indexOf('small')).toBeLessThan(heavy.length);
});
