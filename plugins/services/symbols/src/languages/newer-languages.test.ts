import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

const kotlin = 'src/main/kotlin/com/acme';
let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    many: {
      [`${kotlin}/shop/Store.kt`]:
        'package com.acme.shop\n\ninterface Shelf\nclass Store(val size: Int) : Shelf {\n  fun load(depth: Int): Int {\n    val copy = depth\n    return copy\n  }\n}\nfun make() = Store(1)\n',
      [`${kotlin}/other/Store.kt`]: 'package com.acme.other\n\nclass Store\nfun make() = 1\n',
      [`${kotlin}/Main.kt`]:
        'package com.acme\n\nimport com.acme.shop.Store as Shop\nimport com.acme.shop.make\nimport com.acme.Old\n\nfun main() {\n  make()\n  val s = Shop(2)\n  s.load(s.size)\n  Old()\n}\n',
      'src/main/java/com/acme/Old.java': 'package com.acme;\n\npublic class Old {}\n',
      'app/com/acme/Basket.scala':
        'package com.acme\n\ntrait Holder { def hold(n: Int): Int }\ncase class Basket(items: Int) extends Holder {\n  val limit = 3\n  def hold(n: Int): Int = { val copy = n; copy }\n}\nobject Basket { def empty = Basket(0) }\n',
      'app/com/acme/far/Basket.scala': 'package com.acme.far\n\nclass Basket\n',
      'app/com/Run.scala':
        'package com\n\nimport com.acme.{Basket => Box, Holder}\n\nobject Run extends Holder {\n  val b = Box(1)\n  b.hold(b.limit)\n}\n',
      'lua/acme/util.lua':
        'local M = {}\nlocal secret = 1\nfunction M.size(depth) local copy = depth return copy end\nfunction M:flush() self.size(secret) end\nreturn M\n',
      'lua/acme/decoy.lua': 'local D = {}\nfunction D.size() end\nreturn D\n',
      'lua/gadget/init.lua': 'local G = {}\nfunction G.open() end\nreturn G\n',
      'lua/start.lua': "local gadget = require('gadget')\n\ngadget.open()\n",
      'lua/main.lua':
        'local util = require("acme.util")\nlocal u = require "acme.util"\nprint(util.size(1))\nu:flush()\n',
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

it.each([
  [`${kotlin}/Main.kt`, 'Shop', [`${kotlin}/shop/Store.kt:4`]],
  [`${kotlin}/Main.kt`, 'make', [`${kotlin}/shop/Store.kt:10`]],
  [`${kotlin}/Main.kt`, 'load', [`${kotlin}/shop/Store.kt:5`]],
  [`${kotlin}/Main.kt`, 'size', [`${kotlin}/shop/Store.kt:4`]],
  [`${kotlin}/Main.kt`, 'Old', ['src/main/java/com/acme/Old.java:3']],
  [`${kotlin}/shop/Store.kt`, 'depth', [`${kotlin}/shop/Store.kt:5`]],
  [`${kotlin}/shop/Store.kt`, 'copy', [`${kotlin}/shop/Store.kt:6`]],
  ['app/com/Run.scala', 'Box', ['app/com/acme/Basket.scala:4']],
  ['app/com/Run.scala', 'Holder', ['app/com/acme/Basket.scala:3']],
  ['app/com/Run.scala', 'limit', ['app/com/acme/Basket.scala:5']],
  ['app/com/acme/Basket.scala', 'items', ['app/com/acme/Basket.scala:4']],
  ['lua/main.lua', 'size', ['lua/acme/util.lua:3']],
  ['lua/main.lua', 'flush', ['lua/acme/util.lua:4']],
  ['lua/start.lua', 'open', ['lua/gadget/init.lua:2']],
  ['lua/acme/util.lua', 'secret', ['lua/acme/util.lua:2']],
  ['lua/acme/util.lua', 'copy', ['lua/acme/util.lua:3']],
])('in %s the definition of %s is found', async (path, symbol, places) => {
  const found = await served.definition(`many ${path}`, symbol);
  expect(found.slice(0, places.length)).toEqual(places);
});

it.each([
  [`${kotlin}/shop/Store.kt`, 'make', [`${kotlin}/Main.kt:4`, `${kotlin}/Main.kt:8`]],
  ['app/com/acme/Basket.scala', 'hold', ['app/com/Run.scala:7']],
  ['lua/acme/util.lua', 'size', ['lua/acme/util.lua:4', 'lua/main.lua:3']],
])('uses of what %s defines as %s are found', async (path, symbol, places) => {
  expect((await served.references(`many ${path}`, symbol)).toSorted()).toEqual(places);
});
