import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

// Each name is defined in a second file, too, which lies nearer.
let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    tool: {
      'lib/text.sh': '#!/bin/bash\ntrim() { :; }\n',
      'lib/more/log.sh': 'warn() { :; }\n',
      'bin/decoy.sh': 'trim() { :; }\nwarn() { :; }\n',
      'bin/run.sh': 'source "$(dirname "$0")/../lib/text.sh"\n. "$DIR/more/log.sh"\ntrim\nwarn "x"\n',
      'bin/beside.sh': 'source ./decoy.sh\ntrim\n',
      'src/main.c':
        '#include <shop/cart.h>\n#include "own.h"\n\nint main(void) { struct cart c; return cart_total(&c) + own(); }\n',
      'src/own.h': 'int own(void);\n',
      'src/own.c': 'int own(void) { return 1; }\n',
      'src/usage.c': '#include "usage.h"\n\nvoid NORETURN die(const char *err) { exit(1); }\n',
      'src/usage.h': 'NORETURN void die(const char *err);\n',
      'src/broken.c': '#include "usage.h"\n\nint broken(void) { die("broken"); return 1; }\n',
      'src/decoy.c': '#include <string.h>\nstatic int own(void) { return 2; }\nint twice(void) { return own(); }\n',
    },
    shop: {
      'include/shop/cart.h': 'struct cart { int size; };\nint cart_total(struct cart *c);\n',
      'src/cart.c': '#include "shop/cart.h"\n\nint cart_total(struct cart *c) { return c->size; }\n',
    },
    decoy: {
      'cart.c':
        'struct cart { int other; };\nint cart_total(struct cart *c) { return 0; }\nint use(void) { return cart_total(0); }\n',
    },
    crates: {
      'Cargo.toml': '[package]\nname = "crates"\n',
      'src/lib.rs':
        'mod goods;\nmod decoy;\n\nfn run() { crate::goods::basket::open(); goods::basket::Basket::make(); goods::close() }\n',
      'src/far.rs': 'fn far(b: crate::goods::basket::Basket) { self::near(); super::goods::close(); }\nfn near() {}\n',
      'src/decoy.rs':
        'pub fn open() {}\npub fn close() {}\npub fn near() {}\npub struct Basket;\nimpl Basket { pub fn make() {} }\n',
      'src/goods/mod.rs': 'pub mod basket;\n\npub fn close() {}\n',
      'src/goods/basket.rs': 'pub struct Basket;\n\npub fn open() {}\n\nimpl Basket { pub fn make() {} }\n',
    },
    user: {
      'Cargo.toml': '[package]\nname = "user"\n',
      'src/main.rs': 'mod decoy;\nfn main() { crates::goods::basket::open(); }\n',
      'src/decoy.rs': 'pub fn open() {}\n',
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

it.each([
  ['Bash, behind an expansion', 'tool bin/run.sh', 'trim', ['lib/text.sh:2']],
  ['Bash, of which only the end is known', 'tool bin/run.sh', 'warn', ['lib/more/log.sh:1']],
  ['Bash, beside it', 'tool bin/beside.sh', 'trim', ['bin/decoy.sh:1']],
  ['C, of which a header declares it', 'tool src/main.c', 'own', ['src/own.c:1']],
  ['C, of another repository', 'tool src/main.c', 'cart', ['shop include/shop/cart.h:1']],
  ['C, whose functions lie in another file', 'tool src/main.c', 'cart_total', ['shop src/cart.c:3']],
])('a definition is found in what a file includes in %s', async (_which, at, symbol, places) => {
  expect(await served.definition(at, symbol)).toEqual(places);
});

it.each([
  ['crate', 'crates src/lib.rs', 'open', ['src/goods/basket.rs:3']],
  ['a module', 'crates src/lib.rs', 'close', ['src/goods/mod.rs:3']],
  ['a type of a module', 'crates src/lib.rs', 'make', ['src/goods/basket.rs:5']],
  ['crate: a type', 'crates src/far.rs', 'Basket', ['src/goods/basket.rs:1']],
  ['super', 'crates src/far.rs', 'close', ['src/goods/mod.rs:3']],
  ['self', 'crates src/far.rs', 'near', ['src/far.rs:2']],
  ['a crate of another repository', 'user src/main.rs', 'open', ['crates src/goods/basket.rs:3']],
])('a definition in Rust is found behind %s, without an import', async (_what, at, symbol, places) => {
  expect(await served.definition(at, symbol)).toEqual(places);
});

it.each([
  ['C, with a macro between the type and the name', 'tool src/usage.c', 'die', ['src/broken.c:3', 'src/usage.h:1']],
  [
    'C: other repositories that include its header',
    'shop src/cart.c',
    'cart_total',
    ['include/shop/cart.h:2', 'tool src/main.c:4'],
  ],
  ['C: less those of another of its name', 'tool src/own.c', 'own', ['src/main.c:4', 'src/own.h:1']],
  ['Bash: less those of another of its name', 'tool lib/text.sh', 'trim', ['bin/run.sh:3']],
  ['Rust: behind their path', 'crates src/goods/basket.rs', 'open', ['src/lib.rs:4', 'user src/main.rs:2']],
])('uses are found in %s', async (_which, at, symbol, places) => {
  expect((await served.references(at, symbol)).toSorted()).toEqual(places);
});
