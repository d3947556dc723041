import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

const use = 'export function stock(store: Store) {\n  store.restock();\n}\n';
let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    shop: {
      'package.json': '{ "name": "@acme/shop-store", "main": "store.ts" }\n',
      'store.ts': 'export class Store {\n  restock() {}\n}\n',
    },
    customer: { 'a.ts': `import { Store } from '@acme/shop-store';\n${use}` },
    stranger: { 'b.ts': use },
  });
  await served.untilReadAhead();
});
afterAll(() => served[Symbol.asyncDispose]());

it('uses in other repositories count where some file of them imports the package', async () => {
  expect(await served.references('shop store.ts', 'restock')).toEqual(['customer a.ts:3']);
});

it('what a repository imports since its last commit counts', async () => {
  served.builders['stranger']?.commit({
    files: { 'b.ts': `import { Store } from '@acme/shop-store';\n${use}` },
  });
  await expect
    .poll(() => served.references('shop store.ts', 'restock'))
    .toEqual(['customer a.ts:3', 'stranger b.ts:3']);
});
