import { afterAll, beforeAll, expect, it } from 'vitest';
import { alice, startSymbols } from '../testing/start-symbols.ts';
import type { Files, StartedSymbols } from '../testing/start-symbols.ts';

const { signal } = new AbortController();
let served: StartedSymbols;

const rb: Files = {
  'store.rb': `module Shop
  module Priced
    attr_accessor :price, :tax
    def total; price + tax; end
  end
  class Store
    include Priced
    extend Enumerable
    attr_reader :name
    attr_writer "owner"
    define_method(:open) { |x| x }
    alias_method :unlock, :open
    alias shut total
    MAX = 3
    scope :recent, -> { 1 }
    def self.build(name) = new(name)
    def initialize(name) = @name = name
  end
end
`,
  'use.rb': `store = Shop::Store.build("a")
store.name
store.price
store.open(1)
store.unlock
store.total
Shop::Store::MAX
other = Shop::Store.new("b")
other.owner = 3
other.shut
`,
};

const scala: Files = {
  'a.scala': `package com.shop
package goods

class Item { def price = 1 }
object Item { def make() = new Item }
`,
  'b.scala': `package com.shop.goods.sub

class Box { val item: Item = Item.make(); item.price }
`,
  'other/c.scala': `package com.other
import com.shop.goods.{Item => Thing}
class Item { def price = 2 }
class Use { val t = new Thing; t.price; val i = new Item; i.price }
package inner { class Deep; object Use2 { val d: Deep = ??? } }
`,
};

const cpp: Files = {
  'store.cpp': `#include "store.h"
namespace shop {
Item::Item(int price) : price_(price) {}
int Item::price() const { return price_; }
Item Item::make() { return Item(1); }
bool Item::operator==(const Item& other) const { return price_ == other.price_; }
int total(const std::vector<Item>& all) { return 1; }
}
`,
  'store.h': `#pragma once
#include <vector>
namespace shop {
template <typename T> class Box {
 public:
  void put(const T& item);
  T first() const;
  T value_;
};
class Item {
 public:
  Item(int price);
  int price() const;
  static Item make();
  bool operator==(const Item& other) const;
 private:
  int price_;
};
class Other { public: int price() const { return 2; } void put(int x); };
template <typename T> void Box<T>::put(const T& item) { value_ = item; }
int total(const std::vector<Item>& all);
}
`,
  'use.cpp': `#include "store.h"
using namespace shop;
int main() {
  Box<Item> box;
  box.put(Item::make());
  box.first().price();
  Item item(3);
  item.price();
  shop::total({});
  Item* pointer = &item;
  pointer->price();
  auto other = new Item(2);
  other->price();
  std::unique_ptr<Item> owned;
  owned->price();
  for (const auto& one : all) one.price();
}
`,
};

const swift: Files = {
  'Sources/Shop/Item.swift': `public protocol Priced { var price: Int { get }; func open() }
public struct Item: Priced { public var price: Int; public func open() {}; let lid = Lid() }
public class Lid { func lift() {} }
extension Item { func doubled() -> Int { price * 2 }; static func make() -> Item { Item(price: 1) } }
extension Priced { func pay() {} }
class Decoy { func pay() {}; func doubled() {}; func lift() {}; func open() {} }
`,
  'Sources/Shop/Use.swift': `func go(given: Item) {
  given.doubled()
  given.pay()
  given.lid.lift()
  let made = Item.make()
  made.open()
  Item(price: 2).open()
  if let found = given as? Item { found.doubled() }
}
`,
};

const php: Files = {
  'Item.php': `<?php
namespace App\\Models;
class Item { public function price() {} const MAX = 1; public static function make(): self { return new self(); } }
`,
  'Lid.php': `<?php
namespace App\\Models\\Parts;
class Lid { public function lift() {} }
`,
  'OtherItem.php': `<?php
namespace App\\Other;
class Item { public function price() {} const MAX = 2; }
class Lid { public function lift() {} }
`,
  'Store.php': `<?php
namespace App\\Models;

class Store {
    private Item $first;
    public function open(): Parts\\Lid { return new Parts\\Lid(); }
    public function add(Item $item) { $item->price(); $this->first->price(); }
}
`,
  'use.php': `<?php
namespace App\\Http;
use App\\Models\\Store;
use App\\Models\\Item as Thing;
class Page {
    public function __construct(private Store $store) {}
    public function show() {
        $this->store->open()->lift();
        $thing = new Thing();
        $thing->price();
        Thing::make()->price();
        echo Thing::MAX;
        \\App\\Other\\Item::MAX;
    }
}
`,
};

beforeAll(async () => {
  served = await startSymbols({ rb, scala, cpp, swift, php });
});
afterAll(() => served[Symbol.asyncDispose]());

/** A file, a name in it, and the line of the use where the name means several things. */
const meant: [repo: string, path: string, symbol: string, line: number | undefined, definitions: string[]][] = [
  ['rb', 'use.rb', 'name', undefined, ['store.rb:9']],
  ['rb', 'use.rb', 'price', undefined, ['store.rb:3']],
  ['rb', 'use.rb', 'open', undefined, ['store.rb:11']],
  ['rb', 'use.rb', 'unlock', undefined, ['store.rb:12']],
  ['rb', 'use.rb', 'total', undefined, ['store.rb:4']],
  ['rb', 'use.rb', 'owner', undefined, ['store.rb:10']],
  ['rb', 'use.rb', 'shut', undefined, ['store.rb:13']],
  ['rb', 'use.rb', 'MAX', undefined, ['store.rb:14']],
  ['rb', 'use.rb', 'build', undefined, ['store.rb:16']],
  ['scala', 'b.scala', 'Item', undefined, ['a.scala:4', 'a.scala:5']],
  ['scala', 'b.scala', 'make', undefined, ['a.scala:5']],
  ['scala', 'b.scala', 'price', undefined, ['a.scala:4']],
  ['scala', 'other/c.scala', 'Thing', undefined, ['a.scala:4', 'a.scala:5']],
  ['scala', 'other/c.scala', 'Item', 4, ['other/c.scala:3']],
  ['scala', 'other/c.scala', 'Deep', undefined, ['other/c.scala:5']],
  ['cpp', 'use.cpp', 'put', undefined, ['store.h:20', 'store.h:6']],
  ['cpp', 'use.cpp', 'price', 8, ['store.cpp:4', 'store.h:13']],
  ['cpp', 'use.cpp', 'price', 6, ['store.cpp:4', 'store.h:13']],
  ['cpp', 'use.cpp', 'price', 11, ['store.cpp:4', 'store.h:13']],
  ['cpp', 'use.cpp', 'price', 13, ['store.cpp:4', 'store.h:13']],
  ['cpp', 'use.cpp', 'price', 15, ['store.cpp:4', 'store.h:13']],
  ['cpp', 'use.cpp', 'make', undefined, ['store.cpp:5', 'store.h:14']],
  ['cpp', 'use.cpp', 'Item', undefined, ['store.h:10']],
  ['cpp', 'store.cpp', 'price_', undefined, ['store.h:17']],
  ['cpp', 'store.h', 'T', 7, ['store.h:4']],
  ['swift', 'Sources/Shop/Use.swift', 'doubled', 2, ['Sources/Shop/Item.swift:4']],
  ['swift', 'Sources/Shop/Use.swift', 'pay', undefined, ['Sources/Shop/Item.swift:5']],
  ['swift', 'Sources/Shop/Use.swift', 'lift', undefined, ['Sources/Shop/Item.swift:3']],
  ['swift', 'Sources/Shop/Use.swift', 'open', 6, ['Sources/Shop/Item.swift:2']],
  ['swift', 'Sources/Shop/Use.swift', 'open', 7, ['Sources/Shop/Item.swift:2']],
  ['swift', 'Sources/Shop/Use.swift', 'make', undefined, ['Sources/Shop/Item.swift:4']],
  ['php', 'Store.php', 'Item', undefined, ['Item.php:3']],
  ['php', 'Store.php', 'Lid', undefined, ['Lid.php:3']],
  ['php', 'Store.php', 'price', undefined, ['Item.php:3']],
  ['php', 'use.php', 'lift', undefined, ['Lid.php:3']],
  ['php', 'use.php', 'price', 10, ['Item.php:3']],
  ['php', 'use.php', 'price', 11, ['Item.php:3']],
  ['php', 'use.php', 'MAX', 12, ['Item.php:3']],
  ['php', 'use.php', 'MAX', 13, ['OtherItem.php:3']],
];
it.each(meant)('what a member is of is told by values: %s %s %s %s', async (repo, path, symbol, line, definitions) => {
  const request = { repo, path, symbol, ...(line !== undefined && { line }) };
  const { files, precision } = await served.symbols.findDefinition(alice, request, signal);
  expect(precision).toBe('syntactic');
  expect(files.flatMap((file) => file.places.map((place) => `${file.path}:${place.line}`))).toEqual(definitions);
});

it.each([['rb store.rb', 'price', ['store.rb:4', 'use.rb:3']]])(
  'and what uses it: %s %s',
  async (file, symbol, uses) => {
    expect(await served.references(file, symbol)).toEqual(uses);
  },
);
