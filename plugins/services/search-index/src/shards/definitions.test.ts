import {
  Arena,
  documentsDefining,
  memorySource,
  ResidentContent,
  Shard,
  ShardBuilder,
  Workspace,
} from '@sextant/library-block-index';
import { definitionWeight, definitionWords } from '@sextant/library-ranking';
import { expect, test } from 'vitest';
import { Random } from '../testing/random.ts';

/** So much that no two documents share a block. */
const filler = '- - - -\n'.repeat(800);

/** By the index alone, for each name, the lines that may define it. */
function linesDefining(lines: readonly string[], names: readonly string[]): Map<string, Set<string>> {
  const builder = new ShardBuilder({ definitions: definitionWords });
  const texts = lines.map((line) => Buffer.from(`${line}\n${filler}`));
  for (const text of texts) builder.add(text);
  const workspace = new Workspace(Arena.create(128 << 20));
  const shard = Shard.load(workspace, builder.finish());
  const content = Buffer.concat(texts);
  const place = {
    workspace,
    shard,
    content: ResidentContent.load(workspace, shard, memorySource(content)),
  };
  return new Map(
    names.map((name) => {
      const documents = documentsDefining(place, name).flatMap((some) => [...some]);
      return [name, new Set(documents.map((document) => lines[document] ?? ''))];
    }),
  );
}

const definitions = [
  'class Cart {',
  'export default class cart extends Shop {',
  'func (s *Shop) Cart(item Item) error {',
  '#define CART 1',
  '  public static Cart cart(Item item) {',
  'static int *cart(const char *name)',
  'Shop::cart(int count)',
  'cart = (item) => item;',
  '  cart: function (item) {',
  'shop.cart = async (item) => item;',
  'export cart = function () {',
  'cart :: Item -> Cart',
  'let _cart_ = 1;',
];
const uses = [
  '  return cart(item);',
  '  if (cart) pay(cart);',
  'pay(now, cart, item);',
  'import { cart } from "./cart";',
  '  const price = cart.price;',
  'what the cart has',
  'class Shop { carts: number }',
  'class ShopCart {',
];

test('the index tells which lines may define a name, in any case and without underscores', () => {
  const found = linesDefining([...definitions, ...uses], ['cart', 'Cart', 'c_art', 'shopcart', 'absent']);
  expect([...(found.get('cart') ?? [])]).toEqual(definitions);
  expect([found.get('Cart'), found.get('c_art')]).toEqual([found.get('cart'), found.get('cart')]);
  expect([...(found.get('shopcart') ?? [])]).toEqual(['class ShopCart {']);
  expect(found.get('absent')).toEqual(new Set());
});

test('a line that is cut into slices may define any name', () => {
  const long = `const a = [${'1, '.repeat(4000)}];`;
  expect(linesDefining([long, 'nothing'], ['cart']).get('cart')).toEqual(new Set([long]));
});

const others =
  'export return new if Shop macro_rules! #define @Test über x1 _ ( ) () <T> { } : :: = == => , ; . * & ! // "'.split(
    ' ',
  );
const pieces = [...definitionWords.keywords, ...definitionWords.modifiers, ...others, '# define', '= (', '(int a)'];
const spaces = ['', '', ' ', ' ', ' ', '\t', '  ', '\u00a0', ' \u2003 '];
const names = ['cart', 'Cart', 'price', 'type', 'get', 'x1'];

test('no line defines a name that the index does not tell', () => {
  const random = new Random(31);
  const piece = (): string => random.pick(random.below(3) === 0 ? names : pieces) + random.pick(spaces);
  const lines = Array.from(
    { length: 4000 },
    () => random.pick(spaces) + Array.from({ length: 1 + random.below(7) }, piece).join(''),
  );
  const found = linesDefining(lines, names);
  let defined = 0;
  for (const line of lines)
    for (const { 0: word, index } of line.matchAll(/[\w\u0080-\uffff]+/g)) {
      const name = names.find((each) => each.toLowerCase() === word.toLowerCase());
      if (name === undefined || definitionWeight(line, index, index + word.length) === 0) continue;
      defined += 1;
      expect(found.get(name)?.has(line), line).toBe(true);
    }
  expect(defined).toBeGreaterThan(400);
});
