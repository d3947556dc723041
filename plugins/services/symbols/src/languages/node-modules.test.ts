import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

const conf = (value: object): string => JSON.stringify(value, null, 2);
const open = 'export function open() {}\n';

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    library: {
      'packages/core/package.json': conf({
        name: '@acme/core',
        exports: {
          '.': { types: './dist/main.d.ts', default: './dist/main.js' },
          './text': { '@acme/source': './source/text.ts', default: './dist/text.js' },
          './features/*': './source/features/*.ts',
        },
        imports: { '#inner': './source/inner.ts', '#lib/*': { default: './source/lib/*.js' } },
      }),
      'packages/core/src/main.ts': open,
      'packages/core/source/text.ts':
        "import { open as own } from '#inner';\nimport { open } from '#lib/a';\nexport function parse() { own(); open(); }\n",
      'packages/core/source/inner.ts': open,
      'packages/core/source/lib/a.ts': `\n${open}`,
      'packages/core/source/features/deep/one.ts': 'export const one = 1;\n',
      'packages/app/package.json': conf({ name: 'app' }),
      'packages/app/main.ts':
        "import { open } from '@acme/core';\nimport { parse } from '@acme/core/text';\nimport { one } from '@acme/core/features/deep/one';\nopen(parse(one));\n",
      'tsconfigs/package.json': conf({ name: '@acme/tsconfigs' }),
      'tsconfigs/base.json': '{ // shared\n "compilerOptions": { "paths": { "~/*": ["../web/source/*"] }, } }',
      'web/tsconfig.json': conf({ extends: './tsconfig.dev.json' }),
      'web/tsconfig.dev.json': conf({
        extends: ['@acme/tsconfigs/base.json'],
        compilerOptions: { rootDirs: ['source', 'made'] },
      }),
      'web/source/a.ts': open,
      'web/made/b.ts': 'export const made = 1;\n',
      'web/source/use.ts': "import { open } from '~/a';\nimport { made } from './b';\nopen(made);\n",
      'based/tsconfig.json': conf({ compilerOptions: { baseUrl: 'src' } }),
      'based/src/tools/c.ts': 'export const tool = 1;\n',
      'based/src/use.ts': "import { tool } from 'tools/c';\ntool;\n",
      'broken/tsconfig.json': '{ "extends": "./tsconfig.json", ',
      'broken/use.ts': "import { gone } from 'nowhere';\ngone;\n",
    },
    user: {
      'package.json': conf({ name: 'user', dependencies: { '@acme/core': '*' } }),
      'main.ts':
        "import { open } from '@acme/core';\nimport { parse } from '@acme/core/text';\nimport { one } from '@acme/core/features/deep/one';\nopen(parse(one));\n",
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

describe('an import leads by package.json', () => {
  it.each([
    ['`exports` to the source of what is built', 'library packages/app/main.ts', 'open', 'packages/core/src/main.ts:1'],
    ['a subpath and its conditions', 'library packages/app/main.ts', 'parse', 'packages/core/source/text.ts:3'],
    ['a pattern', 'library packages/app/main.ts', 'one', 'packages/core/source/features/deep/one.ts:1'],
    ['`imports` of its own package', 'library packages/core/source/text.ts', 'own', 'packages/core/source/inner.ts:1'],
    ['a pattern of `imports`', 'library packages/core/source/text.ts', 'open', 'packages/core/source/lib/a.ts:2'],
    ['`exports` of a package of another repository', 'user main.ts', 'open', 'library packages/core/src/main.ts:1'],
    ['a subpath of one', 'user main.ts', 'parse', 'library packages/core/source/text.ts:3'],
    ['a pattern of one', 'user main.ts', 'one', 'library packages/core/source/features/deep/one.ts:1'],
  ])('%s', async (_how, at, symbol, place) => {
    expect(await served.definition(at, symbol)).toEqual([place]);
  });
});

describe('an import leads by tsconfig.json', () => {
  it.each([
    [
      '`paths` of a file of a package that one extends that it extends',
      'web/source/use.ts',
      'open',
      'web/source/a.ts:1',
    ],
    ['`rootDirs`', 'web/source/use.ts', 'made', 'web/made/b.ts:1'],
    ['`baseUrl`', 'based/src/use.ts', 'tool', 'based/src/tools/c.ts:1'],
  ])('%s', async (_how, path, symbol, place) => {
    expect(await served.definition(`library ${path}`, symbol)).toEqual([place]);
  });

  it('unless it cannot be read', async () => {
    expect(await served.definition('library broken/use.ts', 'gone')).toEqual(['broken/use.ts:1 text']);
  });
});
