import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    shop: {
      'cart/open.ts': 'export function openCart() {}\n',
      'cart/close.ts': 'export function closeCart() {}\n',
      'desk/open.ts': 'export function openCart() {}\n',
      'desk/local.ts': 'export function price() {\n  const perPiece = 1;\n  return perPiece;\n}\n',
    },
    bakery: { 'oven.ts': 'export function bake() {}\n' },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

it.for([
  ['openCart', 'cart/close.ts has no symbol "openCart". It is defined in cart/open.ts and desk/open.ts.'],
  ['closeCar', 'cart/close.ts has no symbol "closeCar". Did you mean "closeCart"?'],
  [
    'perPiece',
    'cart/close.ts has no symbol "perPiece". keyword_search finds names in all files, with type:symbol what defines them.',
  ],
  [
    'bake',
    'cart/close.ts has no symbol "bake". keyword_search finds names in all files, with type:symbol what defines them.',
  ],
] as const)(
  '%s: says which files of the repository define it for all, or else what is like it',
  async ([symbol, message]) => {
    for (const ask of [served.definition, served.references])
      await expect(ask('shop cart/close.ts', symbol)).rejects.toMatchObject({ code: 'not_found', message });
  },
);

it('once everything was read ahead, too', async () => {
  await served.untilReadAhead();
  await expect(served.definition('shop cart/close.ts', 'openCart')).rejects.toThrow(
    'defined in cart/open.ts and desk/',
  );
});
