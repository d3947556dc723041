import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

// Each name is defined in a second file too, which lies nearer.
const decoy = 'class Store\nend\n\nclass Item\nend\n\nclass Tax\nend\n';
let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    shop: {
      'acme-shop.gemspec': 'Gem::Specification.new { |s| s.name = "acme-shop" }\n',
      'lib/acme/shop.rb': "require 'acme/shop/store'\nrequire_relative 'shop/goods/item'\n",
      'lib/acme/shop/store.rb': 'class Store\nend\n',
      'lib/acme/shop/goods/item.rb': "require_relative '../../tax'\n\nclass Item\n  def cost = Tax.new\nend\n",
      'lib/acme/shop/goods/decoy.rb': decoy,
      'lib/acme/tax.rb': 'class Tax\nend\n',
      'bin/main.rb': "require('acme/shop/store')\n\nStore.new\n",
      'bin/decoy.rb': decoy,
    },
    other: {
      'main.rb': "require 'json'\nrequire 'acme/shop'\n\nItem.new\n",
      'decoy.rb': decoy,
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

it.each([
  ['below lib', 'shop bin/main.rb', 'Store', ['lib/acme/shop/store.rb:1']],
  ['relative to the file', 'shop lib/acme/shop/goods/item.rb', 'Tax', ['lib/acme/tax.rb:1']],
  [
    'through a file that requires others, in another repository',
    'other main.rb',
    'Item',
    ['shop lib/acme/shop/goods/item.rb:3'],
  ],
])('a required definition in Ruby is found %s', async (_how, at, symbol, places) => {
  expect(await served.definition(at, symbol)).toEqual(places);
});

it('uses of a class in Ruby are found in other repositories', async () => {
  expect(await served.references('shop lib/acme/shop/goods/item.rb', 'Item')).toEqual(['other main.rb:4']);
});
