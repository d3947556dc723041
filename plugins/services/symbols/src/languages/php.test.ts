import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

// Each name is defined in a second file too, which lies nearer.
const decoy = '<?php\nclass Store {}\nclass Item {}\nclass Cart {}\nfunction price() {}\n';
let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    shop: {
      'composer.json': String.raw`{"autoload": {"psr-4": {"Acme\\Shop\\": "src/"}, "files": ["lib/functions.php"]}}`,
      'src/Store.php': '<?php\nnamespace Acme\\Shop;\n\nclass Store {}\n',
      'src/Goods/Item.php': '<?php\nnamespace Acme\\Shop\\Goods;\n\nclass Item {}\n',
      'src/Goods/Cart.php': '<?php\nnamespace Acme\\Shop\\Goods;\n\nclass Cart {}\n',
      'lib/functions.php': '<?php\nnamespace Acme\\Shop;\n\nfunction price() {}\n',
      'web/main.php':
        '<?php\nuse Acme\\Shop\\Store as Shop;\nuse Acme\\Shop\\{Goods\\Item, Goods\\Cart as Basket};\nuse function Acme\\Shop\\price;\n\nnew Shop(); new Item(); new Basket(); price();\n',
      'web/parts.php':
        '<?php\nfunction parts() {\n  list($a, $b) = load();\n  [$c, $d] = load();\n  return $b . $d;\n}\n',
      'web/decoy.php': decoy,
    },
    other: {
      'index.php': '<?php\nuse Acme\\Shop\\Goods\\Item;\n\nnew Item();\n',
      'decoy.php': decoy,
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

it.each([
  ['under another name', 'shop web/main.php', 'Shop', ['src/Store.php:4']],
  ['in a group', 'shop web/main.php', 'Item', ['src/Goods/Item.php:4']],
  ['in a group under another name', 'shop web/main.php', 'Basket', ['src/Goods/Cart.php:4']],
  ['in a file that is always loaded', 'shop web/main.php', 'price', ['lib/functions.php:4']],
  ['in another repository', 'other index.php', 'Item', ['shop src/Goods/Item.php:4']],
])('an imported definition in PHP is found %s', async (_how, at, symbol, places) => {
  expect(await served.definition(at, symbol)).toEqual(places);
});

it('uses of a class in PHP are found in other repositories', async () => {
  expect(await served.references('shop src/Goods/Item.php', 'Item')).toEqual([
    'web/main.php:3',
    'web/main.php:6',
    'other index.php:2',
    'other index.php:4',
  ]);
});

it.each([
  ['b', ['web/parts.php:3']],
  ['d', ['web/parts.php:4']],
])('a part of a list in PHP is a variable: %s', async (name, places) => {
  expect(await served.definition('shop web/parts.php', name)).toEqual(places);
});
