import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    shop: {
      'index.ts': "export * from './schemas';\nexport * from './parse';\n",
      'schemas.ts':
        "import * as parse from './parse';\nimport { helper } from './helper';\nimport { kept } from './helper';\nimport * as core from './helper';\nexport { kept, core as engine };\nexport default helper;\nparse; helper;\n",
      'parse.ts': 'export const parse = 1;\nexport const helper = 2;\n',
      'helper.ts': 'export const helper = 3;\nexport const kept = 4;\n',
      'use.ts':
        "import * as z from './index';\nimport first from './schemas';\nz.parse;\nz.helper;\nz.kept;\nz.engine;\nfirst;\n",
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

it.each([
  ['parse', ['parse.ts:1']],
  ['helper', ['parse.ts:2']],
  ['kept', ['helper.ts:2']],
  ['engine', ['helper.ts:1']],
  ['first', ['helper.ts:1']],
])('what a file imports it passes on where it says so only: %s', async (name, places) => {
  expect(await served.definition('shop use.ts', name)).toEqual(places);
});

it('uses behind a module are those of what it passes on', async () => {
  expect(await served.references('shop parse.ts', 'parse')).toEqual(['use.ts:3']);
});
