import { afterAll, beforeAll, expect, it } from 'vitest';
import { alice, startSymbols } from '../../testing/start-symbols.ts';
import type { Files, StartedSymbols } from '../../testing/start-symbols.ts';

const { signal } = new AbortController();
let served: StartedSymbols;

const java: Files = {
  'shop/goods/Item.java': `package shop.goods;
import java.util.List;
public class Item {
  public static final int MAX = 1;
  public int price() { return 1; }
  public int price(int tax) { return 2; }
  public static Item make() { return new Item(); }
  public Part part() { return new Part(); }
  public static class Part { public void fit() {} public enum Size { SMALL } }
  public static class Builder { public Builder with(int x) { return this; } public Item build() { return new Item(); } }
  public List<Part> parts;
}
class Holder<T> { T value; T get() { return value; } }
class HolderUse { void x(Holder<Item> h) { h.get().part(); h.value.part(); } }
class Decoy { void part() {} }
`,
  'shop/use/Use.java': `package shop.use;
import static shop.goods.Item.MAX;
import static shop.goods.Item.make;
import shop.goods.Item;
import shop.goods.Item.Part;
public class Use {
  private final Item item = make();
  void go(Part given) {
    item.price(MAX);
    given.fit();
    item.part().fit();
    Item.Part other = new Item.Part();
    other.fit();
    new Item.Builder().with(1).build().price();
    for (Part p : item.parts) p.fit();
    var v = Item.make();
    v.part().fit();
    Part.Size s = Part.Size.SMALL;
    this.item.price();
  }
  static class Part2 { void fit() {} int price() { return 1; } }
}
`,
};

const kt: Files = {
  'Item.kt': `package store.goods
data class Item(val price: Int, val lid: Lid) {
  companion object {
    fun make() = Item(1, Lid())
  }
}
class Lid {
  fun lift() {}
}
fun Item.doubled(): Int = price * 2
val Lid.heavy: Boolean get() = true
object Registry {
  fun find(): Item = Item.make()
}
`,
  'Use.kt': `package store.use
import store.goods.Item
import store.goods.Registry
import store.goods.doubled
import store.goods.heavy
fun main(given: Item) {
  given.doubled()
  given.lid.lift()
  val made = Item.make()
  made.price
  made.lid.heavy
  Registry.find().lid.lift()
  val (price, lid) = given
  given.let { it.lid.lift() }
}
`,
  'other/Other.kt': `package store.other
class Lid {
  fun lift() {}
  fun doubled() {}
}
`,
};

const cs: Files = {
  'Item.cs': `namespace Shop.Goods;
public partial class Item { public int Price { get; set; } public Lid Lid() => new Lid(); }
public class Lid { public void Lift() {} }
public static class ItemTools { public static int Doubled(this Item item) => item.Price * 2; }
`,
  'Item2.cs': `namespace Shop.Goods;
public partial class Item { public void Open() { Price = 3; Lid().Lift(); } }
`,
  'Use.cs': `using Shop.Goods;
namespace Shop.Uses;
public class Decoy { public int Doubled() => 1; public void Lift() {} public void Open() {} }
public class Use {
  private readonly Item _item;
  public void Go(Item given) {
    given.Open();
    given.Doubled();
    given.Lid().Lift();
    _item.Open();
    var made = new Item();
    made.Price = 2;
    Item other = new();
    other.Open();
  }
}
`,
};

const rs: Files = {
  'Cargo.toml': `[package]
name = "shop"
`,
  'src/goods.rs': `pub trait Priced { fn price(&self) -> u32; fn twice(&self) -> u32 { self.price() * 2 } }
pub struct Item { pub cost: u32, pub lid: Lid }
pub struct Lid;
impl Lid { pub fn lift(&self) {} }
impl Priced for Item { fn price(&self) -> u32 { self.cost } }
impl Item { pub fn new() -> Self { Item { cost: 1, lid: Lid } } pub fn lid(&self) -> &Lid { &self.lid } }
pub struct Other;
impl Other { pub fn lift(&self) {} pub fn price(&self) {} pub fn new() -> Other { Other } }
`,
  'src/hidden.rs': `pub struct Secret;
impl Secret { pub fn tell(&self) {} }
pub mod deep { pub struct Inner; impl Inner { pub fn tell(&self) {} } }
`,
  'src/lib.rs': `pub mod goods;
mod hidden;
pub use hidden::{Secret, deep::Inner as Renamed};
pub use goods::*;
`,
  'src/main.rs': `use shop::{Item, Renamed, Secret, goods::{self, Priced}};
fn main() {
    let item = Item::new();
    item.price();
    item.twice();
    item.lid().lift();
    item.lid.lift();
    let s: Secret = Secret;
    s.tell();
    let r = Renamed;
    let o = goods::Other::new();
    o.lift();
    for one in vec![Item::new()] { one.price(); }
    if let Some(found) = find() { found.lift(); }
}
fn find() -> Option<goods::Lid> { None }
`,
};

beforeAll(async () => {
  served = await startSymbols({ java, kt, cs, rs });
});
afterAll(() => served[Symbol.asyncDispose]());

/** A file, a name in it, and the line of the use where the name means several things. */
const meant: [repo: string, path: string, symbol: string, line: number | undefined, definitions: string[]][] = [
  ['java', 'shop/use/Use.java', 'MAX', undefined, ['shop/goods/Item.java:4']],
  ['java', 'shop/use/Use.java', 'make', 7, ['shop/goods/Item.java:7']],
  ['java', 'shop/use/Use.java', 'price', 9, ['shop/goods/Item.java:5', 'shop/goods/Item.java:6']],
  ['java', 'shop/use/Use.java', 'fit', 10, ['shop/goods/Item.java:9']],
  ['java', 'shop/use/Use.java', 'fit', 11, ['shop/goods/Item.java:9']],
  ['java', 'shop/use/Use.java', 'fit', 13, ['shop/goods/Item.java:9']],
  ['java', 'shop/use/Use.java', 'price', 14, ['shop/goods/Item.java:5', 'shop/goods/Item.java:6']],
  ['java', 'shop/use/Use.java', 'fit', 15, ['shop/goods/Item.java:9']],
  ['java', 'shop/use/Use.java', 'fit', 17, ['shop/goods/Item.java:9']],
  ['java', 'shop/use/Use.java', 'SMALL', undefined, ['shop/goods/Item.java:9']],
  ['java', 'shop/use/Use.java', 'Builder', undefined, ['shop/goods/Item.java:10']],
  ['java', 'shop/use/Use.java', 'price', 19, ['shop/goods/Item.java:5', 'shop/goods/Item.java:6']],
  ['java', 'shop/goods/Item.java', 'part', 14, ['shop/goods/Item.java:8']],
  ['kt', 'Use.kt', 'doubled', 7, ['Item.kt:10']],
  ['kt', 'Use.kt', 'lift', 8, ['Item.kt:8']],
  ['kt', 'Use.kt', 'price', 10, ['Item.kt:2']],
  ['kt', 'Use.kt', 'heavy', undefined, ['Item.kt:11']],
  ['kt', 'Use.kt', 'lift', 12, ['Item.kt:8']],
  ['kt', 'Use.kt', 'make', undefined, ['Item.kt:4']],
  ['cs', 'Use.cs', 'Item', undefined, ['Item.cs:2', 'Item2.cs:2']],
  ['cs', 'Use.cs', 'Open', 7, ['Item2.cs:2']],
  ['cs', 'Use.cs', 'Doubled', 8, ['Item.cs:4']],
  ['cs', 'Use.cs', 'Lift', 9, ['Item.cs:3']],
  ['cs', 'Use.cs', 'Open', 10, ['Item2.cs:2']],
  ['cs', 'Use.cs', 'Price', undefined, ['Item.cs:2']],
  ['cs', 'Use.cs', 'Open', 14, ['Item2.cs:2']],
  ['cs', 'Item2.cs', 'Price', undefined, ['Item.cs:2']],
  ['cs', 'Item2.cs', 'Lift', undefined, ['Item.cs:3']],
  ['rs', 'src/main.rs', 'Item', undefined, ['src/goods.rs:2']],
  ['rs', 'src/main.rs', 'Secret', undefined, ['src/hidden.rs:1']],
  ['rs', 'src/main.rs', 'Renamed', undefined, ['src/hidden.rs:3']],
  ['rs', 'src/main.rs', 'new', 3, ['src/goods.rs:6']],
  ['rs', 'src/main.rs', 'price', 4, ['src/goods.rs:5']],
  ['rs', 'src/main.rs', 'twice', undefined, ['src/goods.rs:1']],
  ['rs', 'src/main.rs', 'lift', 6, ['src/goods.rs:4']],
  ['rs', 'src/main.rs', 'lift', 7, ['src/goods.rs:4']],
  ['rs', 'src/main.rs', 'tell', 9, ['src/hidden.rs:2']],
  ['rs', 'src/main.rs', 'lift', 12, ['src/goods.rs:8']],
  ['rs', 'src/main.rs', 'lift', 14, ['src/goods.rs:4']],
  ['rs', 'src/main.rs', 'new', 11, ['src/goods.rs:8']],
  ['rs', 'src/main.rs', 'Priced', undefined, ['src/goods.rs:1']],
];
it.each(meant)('what a member is of is told by values: %s %s %s %s', async (repo, path, symbol, line, definitions) => {
  const request = { repo, path, symbol, ...(line !== undefined && { line }) };
  const { files, precision } = await served.symbols.findDefinition(alice, request, signal);
  expect(precision).toBe('syntactic');
  expect(files.flatMap((file) => file.places.map((place) => `${file.path}:${place.line}`))).toEqual(definitions);
});

it.each([['kt Item.kt', 'doubled', ['Use.kt:4', 'Use.kt:7']]])(
  'and what uses it: %s %s',
  async (file, symbol, uses) => {
    expect(await served.references(file, symbol)).toEqual(uses);
  },
);
