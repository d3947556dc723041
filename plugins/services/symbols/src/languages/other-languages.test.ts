import { afterAll, beforeAll, expect, it } from 'vitest';
import { alice, startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    many: {
      'src/main/java/a/b/Store.java':
        'package a.b;\n\npublic class Store {\n  int size;\n  void load(int depth) { int copy = depth; }\n}\n',
      'src/main/java/a/b/Near.java': 'package a.b;\n\nclass Near { Store store; }\n',
      'src/main/java/a/b/Shop.java':
        'package a.b;\n\nclass Shop extends Store { int twice() { return 2 * size; } String name() { return ""; } }\n',
      'src/main/java/a/b/Crate.java':
        'package a.b;\n\nclass Crate {\n  Crate(int size) {}\n  static Crate of() { return new Crate(1); }\n  Crate same() { return this; }\n}\n',
      'src/main/java/a/far/Names.java': 'package a.far;\n\nclass Names { int size; String String() { return ""; } }\n',
      'src/main/java/a/c/Store.java': 'package a.c;\n\npublic class Store {}\n',
      'src/main/java/a/Main.java':
        'package a;\n\nimport a.b.Store;\n\nclass Main { void run(Store s) { s.load(1); } }\n',
      'c/list.h': '#define LIMIT 10\nstruct list { int length; };\nint list_size(struct list *l);\n',
      'c/list.c': '#include "list.h"\n\nint list_size(struct list *l)\n{\n  return l->length > LIMIT;\n}\n',
      'cpp/shape.cpp':
        'class Shape { public: void draw(int depth); };\n\nvoid Shape::draw(int depth) { int copy = depth; }\n\nvoid paint(Shape s) { s.draw(1); }\n',
      'cs/Store.cs':
        'namespace Shop {\n  public class Store {\n    public int Size { get; set; }\n    public void Load(int depth) {}\n  }\n}\n',
      'cs/Main.cs': 'using Shop;\n\nclass Main { void Run(Store store) { store.Load(store.Size); } }\n',
      'rs/store.rs':
        'pub struct Store { size: i32 }\n\nimpl Store {\n    pub fn open(depth: i32) -> Self { let copy = depth; todo!() }\n}\n',
      'rs/wrapped.rs': 'pub struct Wrapped;\n\nfn wrap(w: Wrapped) { w.size_of_all(); }\n',
      'rs/inner.rs': 'pub struct Inner;\n\nimpl Inner { pub fn size_of_all(&self) {} }\n',
      'rs/main.rs': 'use crate::store::Store;\n\nfn main() { let s = Store::open(1); }\n',
      'rb/store.rb':
        'module Shop\n  class Store\n    LIMIT = 10\n    def load(depth)\n      copy = depth\n    end\n  end\nend\n',
      'rb/main.rb': "require_relative 'store'\n\nShop::Store.new.load(Shop::Store::LIMIT)\n",
      'php/Store.php':
        '<?php\nnamespace Shop;\n\nclass Store {\n  const LIMIT = 1;\n  function load(int $depth) {}\n}\n\nfunction helper() {}\n',
      'php/main.php': '<?php\nuse Shop\\Store;\n\n$s = new Store();\n$s->load(Store::LIMIT);\nhelper();\n',
      'sh/lib.sh': 'LIMIT=1\ngreet() {\n  local name=$1\n  echo "$name"\n}\n',
      'sh/main.sh': '. lib.sh\ngreet $LIMIT\n',
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

it.each([
  ['src/main/java/a/Main.java', 'Store', ['src/main/java/a/b/Store.java:3']],
  ['src/main/java/a/b/Near.java', 'Store', ['src/main/java/a/b/Store.java:3']],
  ['src/main/java/a/Main.java', 'load', ['src/main/java/a/b/Store.java:5']],
  ['src/main/java/a/b/Shop.java', 'size', ['src/main/java/a/b/Store.java:4']],
  ['src/main/java/a/b/Shop.java', 'String', ['src/main/java/a/b/Shop.java:2 text']],
  ['src/main/java/a/b/Store.java', 'depth', ['src/main/java/a/b/Store.java:5']],
  ['c/list.c', 'LIMIT', ['c/list.h:1']],
  ['c/list.c', 'list', ['c/list.h:2']],
  ['c/list.c', 'length', ['c/list.h:2']],
  ['c/list.h', 'list_size', ['c/list.c:3']],
  ['cpp/shape.cpp', 'draw', ['cpp/shape.cpp:1', 'cpp/shape.cpp:3']],
  ['cs/Main.cs', 'Store', ['cs/Store.cs:2']],
  ['cs/Main.cs', 'Load', ['cs/Store.cs:4']],
  ['cs/Main.cs', 'Size', ['cs/Store.cs:3']],
  ['rs/main.rs', 'open', ['rs/store.rs:4']],
  ['rs/main.rs', 'Store', ['rs/store.rs:1']],
  ['rb/main.rb', 'load', ['rb/store.rb:4']],
  ['rb/main.rb', 'LIMIT', ['rb/store.rb:3']],
  ['php/main.php', 'load', ['php/Store.php:6']],
  ['php/main.php', 'helper', ['php/Store.php:9']],
  ['sh/main.sh', 'greet', ['sh/lib.sh:2']],
  ['sh/main.sh', 'LIMIT', ['sh/lib.sh:1']],
])('in %s the definition of %s is found', async (path, symbol, places) => {
  const found = await served.definition(`many ${path}`, symbol);
  expect(found.slice(0, places.length).toSorted()).toEqual(places.toSorted());
});

it.each([
  [
    'src/main/java/a/b/Store.java',
    'Store',
    [
      'src/main/java/a/Main.java:3',
      'src/main/java/a/Main.java:5',
      'src/main/java/a/b/Near.java:3',
      'src/main/java/a/b/Shop.java:3',
    ],
  ],
  ['c/list.c', 'list_size', ['c/list.h:3']],
  ['rs/inner.rs', 'size_of_all', ['rs/wrapped.rs:3']],
  ['rb/store.rb', 'Store', ['rb/main.rb:3', 'rb/main.rb:3']],
  ['sh/lib.sh', 'greet', ['sh/main.sh:2']],
  ['php/Store.php', 'helper', ['php/main.php:6']],
])('uses of what %s defines as %s are found', async (path, symbol, places) => {
  expect((await served.references(`many ${path}`, symbol)).toSorted()).toEqual(places);
});

it('uses of a constructor in Java are where values are made', async () => {
  const crate = { repo: 'many', path: 'src/main/java/a/b/Crate.java', symbol: 'Crate', line: 4, limit: 10 };
  const { files } = await served.symbols.findReferences(alice, crate, new AbortController().signal);
  expect(files.flatMap(({ places }) => places)).toEqual([{ line: 5, kind: 'call' }]);
});
