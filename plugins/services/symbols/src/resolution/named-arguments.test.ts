import { afterAll, beforeAll, expect, it } from 'vitest';
import { alice, startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

const library = `from dataclasses import dataclass

def open_store(path, size=1):
    def inner(size):
        return size
    return inner(size=size)

class Store:
    def __init__(self, owner, size=0):
        self.size = size
    def load(self, key):
        return key

class Shop(Store):
    pass

@dataclass
class Item:
    price: int
`;
const use = `import outside
from library import Item, Shop, Store, open_store

open_store("a", size=2)
Store(owner="me")
Shop(owner="me").load(key=1)
Item(price=1)
outside.call(price=2)
open_store(missing=1)
class Other(Store, metaclass=outside.Meta):
    pass
`;

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({ shop: { 'library.py': library, 'use.py': use } });
});
afterAll(() => served[Symbol.asyncDispose]());

it.each([
  ['use.py', 'size', 4, ['library.py:3']],
  ['use.py', 'owner', 5, ['library.py:9']],
  ['use.py', 'owner', 6, ['library.py:9']],
  ['use.py', 'key', 6, ['library.py:11']],
  ['use.py', 'price', 7, ['library.py:19']],
])('the name of an argument in %s is that of a parameter: %s in line %d', async (path, symbol, line, places) => {
  const { signal } = new AbortController();
  const found = await served.symbols.findDefinition(alice, { repo: 'shop', path, symbol, line }, signal);
  expect(found.files.flatMap((file) => file.places.map((place) => `${file.path}:${place.line}`))).toEqual(places);
});

it('what a function does not take is not guessed, nor what comes from elsewhere', async () => {
  expect(await served.definition('shop use.py', 'missing')).toEqual(['use.py:8 text']);
});

it('a property is not used by an argument of its name', async () => {
  expect(await served.references('shop library.py', 'price')).toEqual(['use.py:7']);
});
