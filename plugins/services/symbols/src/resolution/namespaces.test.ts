import { afterAll, beforeAll, expect, it } from 'vitest';
import { alice, startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

// No path says where something is, and each name is defined in a second namespace, too, by a file that lies nearer.
let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    shop: {
      'cs/a.cs': 'namespace Acme.Goods {\n  public class Item { public static int Count() { return 1; } }\n}\n',
      'cs/b.cs': 'namespace Acme;\n\npublic class Price {}\n',
      'cs/App/decoy.cs': 'namespace Decoy;\n\nclass Item {}\nclass Price {}\nclass Tool {}\nclass Count {}\n',
      'cs/App/main.cs':
        'using Acme.Goods;\nusing Box = Acme.Goods.Item;\nusing Tools;\n\nnamespace Acme.App;\n\nclass Main { Item a; Box b; Price c; Tool d; }\n',
      'cs/App/inline.cs':
        'class Inline { Acme.Goods.Item a = new Acme.Goods.Item(); int b = Acme.Goods.Item.Count(); }\n',
      'composer.json': String.raw`{"autoload": {"psr-4": {"Acme\\Shop\\": "php/src/"}}}`,
      'php/src/Cart.php': '<?php\nnamespace Acme\\Shop;\n\nclass Cart { const LIMIT = 1; static function make() {} }\n',
      'php/old/Item.php': '<?php\nnamespace Acme\\Old;\n\nclass Item {}\nfunction price() {}\n',
      'php/web/decoy.php':
        '<?php\nnamespace Decoy;\n\nclass Cart {}\nclass Item {}\nfunction price() {}\nfunction make() {}\n',
      'php/web/main.php':
        '<?php\n\n$c = new \\Acme\\Shop\\Cart();\n\\Acme\\Shop\\Cart::make();\n\\Acme\\Old\\price(\\Acme\\Shop\\Cart::LIMIT);\nfunction f(\\Acme\\Old\\Item $i) {}\n',
      'php/web/Near.php': '<?php\nnamespace Acme\\Old;\n\nnew Item();\nprice();\n',
    },
    tools: {
      'src/any.cs': 'namespace Tools;\n\npublic class Tool {}\n',
      'src/other.cs': 'namespace Other;\n\nclass Item {}\nclass Use { Item a; }\n',
      'src/use.cs': 'using Acme.Goods;\n\nclass Use { Item a; }\n',
      'any/place/Text.kt': 'package com.acme.text\n\nclass Text\nfun trim() = 1\n',
      'src/main/java/com/acme/old/Old.java': 'package com.acme.old;\n\npublic class Old { public void run() {} }\n',
    },
    kit: {
      'Sources/ShopCore/Store.swift':
        'public class Store {\n    public init(size: Int) {}\n}\n\nextension Store { public func load() {} }\n',
      'Sources/Decoy/Store.swift': 'class Store { func load() {} }\n',
    },
    app: {
      'Sources/App/main.swift': 'import ShopCore\n\nlet store = Store(size: 1)\nstore.load()\nhelp()\n',
      'Sources/App/Help.swift': 'func help() {}\n',
      'Sources/Near/Help.swift': 'class Store { func load() {} }\nfunc help() {}\n',
      'src/main/kotlin/com/app/Main.kt':
        'package com.app\n\nimport com.acme.text.Text\nimport com.acme.text.*\nimport com.acme.old.Old\n\nfun main(t: Text) { trim(); Old() }\n',
      'src/main/kotlin/com/app/Decoy.kt': 'package com.decoy\n\nclass Text\nclass Old\nfun trim() = 1\n',
      'src/main/scala/Run.scala':
        'package com.app\n\nimport com.acme.text.{Text => Words}\n\nobject Run { val w = new Words() }\n',
      'src/main/java/com/far/Old.java': 'package com.far;\n\nclass Old { void run() {} }\n',
      'src/main/java/com/far/Far.java': 'package com.far;\n\nclass Far { void f() { Old.made().run(); } }\n',
      'src/main/java/com/app/App.java':
        'package com.app;\n\nimport com.acme.old.Old;\n\nclass App { void f(Old o) { o.run(); } }\n',
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

it.each([
  ['C#, of which all is used', 'shop cs/App/main.cs', 'Item', ['cs/a.cs:2']],
  ['C# under another name', 'shop cs/App/main.cs', 'Box', ['cs/a.cs:2']],
  ['C# around the own one', 'shop cs/App/main.cs', 'Price', ['cs/b.cs:3']],
  ['C# of another repository', 'shop cs/App/main.cs', 'Tool', ['tools src/any.cs:3']],
  ['C# that stands before the name', 'shop cs/App/inline.cs', 'Item', ['cs/a.cs:2']],
  ['C# that stands before the type', 'shop cs/App/inline.cs', 'Count', ['cs/a.cs:2']],
  ['PHP that stands before the name', 'shop php/web/main.php', 'Cart', ['php/src/Cart.php:4']],
  ['PHP that stands before the class', 'shop php/web/main.php', 'make', ['php/src/Cart.php:4']],
  ['PHP that stands before the class of a constant', 'shop php/web/main.php', 'LIMIT', ['php/src/Cart.php:4']],
  ['PHP that composer.json does not know', 'shop php/web/main.php', 'Item', ['php/old/Item.php:4']],
  ['PHP that stands before a function', 'shop php/web/main.php', 'price', ['php/old/Item.php:5']],
  ['PHP to which the file belongs', 'shop php/web/Near.php', 'Item', ['php/old/Item.php:4']],
  ['Kotlin of another repository', 'app src/main/kotlin/com/app/Main.kt', 'Text', ['tools any/place/Text.kt:3']],
  ['Kotlin, of which all is imported', 'app src/main/kotlin/com/app/Main.kt', 'trim', ['tools any/place/Text.kt:4']],
  ['Java from Kotlin', 'app src/main/kotlin/com/app/Main.kt', 'Old', ['tools src/main/java/com/acme/old/Old.java:3']],
  ['Kotlin from Scala', 'app src/main/scala/Run.scala', 'Words', ['tools any/place/Text.kt:3']],
  [
    'Java of another repository',
    'app src/main/java/com/app/App.java',
    'Old',
    ['tools src/main/java/com/acme/old/Old.java:3'],
  ],
  ['Java: a method', 'app src/main/java/com/app/App.java', 'run', ['tools src/main/java/com/acme/old/Old.java:3']],
  [
    'Swift: a module of another repository',
    'app Sources/App/main.swift',
    'Store',
    ['kit Sources/ShopCore/Store.swift:1'],
  ],
  ['Swift: a method of an extension', 'app Sources/App/main.swift', 'load', ['kit Sources/ShopCore/Store.swift:5']],
  ['Swift to which the file belongs', 'app Sources/App/main.swift', 'help', ['Sources/App/Help.swift:1']],
])('a definition is found by the namespace in %s', async (_which, at, symbol, places) => {
  expect(await served.definition(at, symbol)).toEqual(places);
});

it.each([
  [
    'C#',
    'shop cs/a.cs',
    'Item',
    [
      'cs/App/inline.cs:1',
      'cs/App/inline.cs:1',
      'cs/App/inline.cs:1',
      'cs/App/main.cs:2',
      'cs/App/main.cs:7',
      'cs/App/main.cs:7',
      'tools src/use.cs:3',
    ],
  ],
  ['PHP', 'shop php/old/Item.php', 'price', ['php/web/Near.php:5', 'php/web/main.php:5']],
  ['Java: members', 'tools src/main/java/com/acme/old/Old.java', 'run', ['app src/main/java/com/app/App.java:5']],
  [
    'Java',
    'tools src/main/java/com/acme/old/Old.java',
    'Old',
    [
      'app src/main/java/com/app/App.java:3',
      'app src/main/java/com/app/App.java:5',
      'app src/main/kotlin/com/app/Main.kt:5',
      'app src/main/kotlin/com/app/Main.kt:7',
    ],
  ],
  ['Swift: what makes a value', 'kit Sources/ShopCore/Store.swift', 'init', ['app Sources/App/main.swift:3']],
])('uses of a name in %s are those that see its namespace', async (_language, at, symbol, places) => {
  expect((await served.references(at, symbol)).toSorted()).toEqual(places);
});

it('what a file belongs to is in no outline', async () => {
  const file = { repo: 'shop', path: 'cs/b.cs' };
  const { definitions } = await served.symbols.outline(alice, file, new AbortController().signal);
  expect(definitions.map(({ name }) => name)).toEqual(['Price']);
});
