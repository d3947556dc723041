import { PreciseIndex } from '@sextant/contracts';
import type { PrecisePlace } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { Files, StartedSymbols } from '../testing/start-symbols.ts';

const shop: Files = {
  'package.json': '{ "name": "@acme/shop" }',
  'store.ts': 'export class Store {\n  load() {}\n}\n',
  'main.ts': 'import { Store } from "./store";\nconst s = new Store();\ns.load();\ns.load();\n',
  'new.ts': 'import { Store } from "./store";\nnew Store().load();\n',
};
const app: Files = { 'app.ts': 'import { Store } from "@acme/shop/store";\nnew Store().load();\n' };

/** What an index says of every name: where it is defined and used, `path:line`, and the lines that it knows. */
let index: { definition: string; use: string; known: Readonly<Record<string, readonly number[]>> };
const placesOf = (text: string): PrecisePlace[] => {
  const [path = '', line] = text.split(':');
  return [{ repo: 'shop', path, line: Number(line) }];
};
const compiler = definePlugin({
  name: 'index-of-a-compiler',
  provides: { precise: PreciseIndex },
  start: async () => ({
    precise: {
      value: {
        findDefinition: async () => placesOf(index.definition),
        findReferences: async () => ({
          places: placesOf(index.use),
          isCut: false,
          definitions: placesOf(index.definition),
          linesOf:
            async ({ repo, path }) =>
            (line) =>
              repo === 'shop' && index.known[path]?.includes(line) === true,
        }),
        upload: () => Promise.reject(new Error('nothing is sent')),
      },
    },
  }),
});

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({ shop, app }, { plugins: [compiler] });
});
afterAll(() => served[Symbol.asyncDispose]());

const expectUses = async (...places: string[]): Promise<void> =>
  expect(await served.references('shop store.ts', 'load')).toEqual(places);

it('lines and files that an index has not seen, and other repositories, are answered from syntax beside it', async () => {
  index = { definition: 'store.ts:2', use: 'main.ts:4', known: { 'store.ts': [1, 2, 3], 'main.ts': [1, 2, 4] } };
  await expectUses('main.ts:4 precise', 'main.ts:3 precise', 'new.ts:2 precise', 'app app.ts:2 precise');
});

it('of lines that it knows an index has the last word', async () => {
  const known = { 'store.ts': [1, 2, 3], 'main.ts': [1, 2, 3, 4], 'new.ts': [1, 2] };
  index = { definition: 'store.ts:2', use: 'main.ts:4', known };
  await expectUses('main.ts:4 precise', 'app app.ts:2 precise');
});

it('an index knows what a name meant before, not what the file defines by now', async () => {
  index = { definition: 'old.ts:1', use: 'main.ts:1', known: { 'store.ts': [1, 3] } };
  await expectUses('main.ts:3', 'main.ts:4', 'new.ts:2', 'app app.ts:2');
});

it('where syntax takes a name for something else than the index, the index has the last word', async () => {
  index = { definition: 'old.ts:1', use: 'main.ts:1', known: { 'store.ts': [1, 2, 3] } };
  await expectUses('main.ts:1 precise');
});
