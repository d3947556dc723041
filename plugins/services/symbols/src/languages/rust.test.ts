import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

// Each name is defined in a second file too, which lies nearer.
const decoy = 'pub struct Store;\npub struct Shelf;\npub struct Basket;\npub fn open() {}\npub fn price() {}\n';
let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    shop: {
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n',
      'crates/core/Cargo.toml': '[package]\nname = "shop-core"\nversion = "1.0.0"\n\n[dependencies]\nname = "decoy"\n',
      'crates/core/src/lib.rs': 'pub mod store;\nmod goods;\npub use goods::basket::Basket;\n',
      'crates/core/src/store.rs': 'pub struct Store;\n\npub fn open() {}\n',
      'crates/core/src/goods/mod.rs': 'pub mod basket;\npub mod decoy;\n\npub struct Shelf;\n',
      'crates/core/src/goods/basket.rs':
        'use super::Shelf;\nuse crate::store::{self, Store as Shop};\n\npub struct Basket;\n\nfn fill(a: Shelf, b: Shop) { store::open() }\n',
      'crates/core/src/goods/decoy.rs': decoy,
      'crates/app/Cargo.toml': '[package]\nname = "app"\n',
      'crates/app/src/main.rs':
        'mod prices;\nuse shop_core::{store::{Store, open}, Basket};\nuse self::prices::*;\n\nfn main(a: Store, b: Basket) { open(); price() }\n',
      'crates/app/src/prices.rs': 'pub fn price() {}\n',
      'crates/app/src/decoy.rs': decoy,
      'crates/app/tests/shelves.rs': 'mod common;\nuse common::shelves;\n\nfn test() { shelves() }\n',
      'crates/app/tests/common.rs': 'pub fn shelves() {}\n',
      'crates/core/tests/common.rs': 'pub fn shelves() {}\n',
    },
    other: {
      'Cargo.toml': '[package]\nname = "other"\n',
      'src/lib.rs': 'mod decoy;\nuse shop_core::{Basket, store::open as begin};\n\nfn run(b: Basket) { begin() }\n',
      'src/decoy.rs': decoy,
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

it.each([
  ['behind super', 'shop crates/core/src/goods/basket.rs', 'Shelf', ['crates/core/src/goods/mod.rs:4']],
  ['behind crate, under another name', 'shop crates/core/src/goods/basket.rs', 'Shop', ['crates/core/src/store.rs:1']],
  ['behind a module', 'shop crates/core/src/goods/basket.rs', 'open', ['crates/core/src/store.rs:3']],
  ['of a module', 'shop crates/core/src/lib.rs', 'store', ['crates/core/src/store.rs:1']],
  ['in another crate of the workspace', 'shop crates/app/src/main.rs', 'Store', ['crates/core/src/store.rs:1']],
  ['that a crate passes on', 'shop crates/app/src/main.rs', 'Basket', ['crates/core/src/goods/basket.rs:4']],
  ['through an import of every name', 'shop crates/app/src/main.rs', 'price', ['crates/app/src/prices.rs:1']],
  ['beside a root of tests', 'shop crates/app/tests/shelves.rs', 'shelves', ['crates/app/tests/common.rs:1']],
  ['in another repository', 'other src/lib.rs', 'Basket', ['shop crates/core/src/goods/basket.rs:4']],
  ['of another name there', 'other src/lib.rs', 'begin', ['shop crates/core/src/store.rs:3']],
])('a definition in Rust is found %s', async (_how, at, symbol, places) => {
  expect(await served.definition(at, symbol)).toEqual(places);
});

it('uses of a function in Rust are found in other crates and repositories', async () => {
  expect(await served.references('shop crates/core/src/store.rs', 'open')).toEqual([
    'crates/core/src/goods/basket.rs:6',
    'crates/app/src/main.rs:2',
    'crates/app/src/main.rs:5',
    'other src/lib.rs:2',
    'other src/lib.rs:4',
  ]);
});
