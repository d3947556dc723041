import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    shop: {
      'package.json': '{ "name": "@acme/shop" }',
      'tsconfig.json': '{ "compilerOptions": { "paths": { "~/*": ["./src/*"], } } }',
      'src/config.ts':
        'export interface Config { port: number }\nexport function parseConfig(text: string): Config {\n  return JSON.parse(text);\n}\nexport default class Store {\n  load() { return this.read(); }\n  read() {}\n}\n',
      'src/decoy.ts': 'export function parseConfig() {}\nexport class Other {\n  load() {}\n}\n',
      'src/index.ts':
        "export * from './config.js';\nexport { parseConfig as parse } from './config.ts';\nexport * from './circle';\n",
      'src/circle.ts': "export * from './index';\n",
      'src/use.ts':
        "import Shop, { type Config, parseConfig } from './config';\nconst config: Config = parseConfig('');\nconst shop = new Shop();\nshop.load();\nfunction inner(parseConfig: () => void) { parseConfig(); }\nexport { config, inner };\n",
      'src/renamed.ts': "import { parse as p } from '.';\np('');\n",
      'src/mapped.ts': "import * as all from '~/index';\nall.parseConfig('');\nall.missing();\n",
      'src/plain.js': "const { parseConfig } = require('./config');\nparseConfig('');\n",
      'src/local.tsx': 'export const View = ({ title }: { title: string }) => <b>{title}</b>;\n',
      'src/broken.ts': 'export function whole() {}\nexport function ( { {{\nwhole(;\n',
    },
    app: {
      'package.json': '{ "name": "app", "dependencies": { "@acme/shop": "*" } }',
      'main.ts': "import { parseConfig } from '@acme/shop';\nparseConfig('x');\n",
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

describe('a definition is found', () => {
  it.each([
    [
      'through an import, and the parameter of that name',
      'shop src/use.ts',
      'parseConfig',
      ['src/config.ts:2', 'src/use.ts:5'],
    ],
    ['of a type', 'shop src/use.ts', 'Config', ['src/config.ts:1']],
    ['of a default export under the name given to it', 'shop src/use.ts', 'Shop', ['src/config.ts:5']],
    ['through files that pass names on under another name', 'shop src/renamed.ts', 'p', ['src/config.ts:2']],
    ['through paths of tsconfig.json', 'shop src/mapped.ts', 'parseConfig', ['src/config.ts:2']],
    ['through require', 'shop src/plain.js', 'parseConfig', ['src/config.ts:2']],
    ['in the file itself', 'shop src/config.ts', 'parseConfig', ['src/config.ts:2']],
    ['of a member behind this', 'shop src/config.ts', 'read', ['src/config.ts:7']],
    ['of a member of what a variable was made of', 'shop src/use.ts', 'load', ['src/config.ts:6']],
    ['of a parameter', 'shop src/local.tsx', 'title', ['src/local.tsx:1']],
    ['in a file with errors', 'shop src/broken.ts', 'whole', ['src/broken.ts:1']],
    ['in another repository', 'app main.ts', 'parseConfig', ['shop src/config.ts:2']],
  ])('%s', async (_how, at, symbol, places) => {
    expect(await served.definition(at, symbol)).toEqual(places);
  });

  it('nowhere in a circle of files that pass names on', async () => {
    expect(await served.definition('shop src/mapped.ts', 'missing')).toEqual(['src/mapped.ts:2 text']);
  });
});

describe('references', () => {
  it('are found in every file that imports the name, and in other repositories, but not where another is meant', async () => {
    expect((await served.references('shop src/config.ts', 'parseConfig')).toSorted()).toEqual([
      'app main.ts:1',
      'app main.ts:2',
      'src/index.ts:2',
      'src/mapped.ts:2',
      'src/plain.js:1',
      'src/plain.js:2',
      'src/renamed.ts:1',
      'src/renamed.ts:2',
      'src/use.ts:1',
      'src/use.ts:2',
    ]);
  });

  it('are those of the definition when a file that uses it is named', async () => {
    const own = await served.references('shop src/config.ts', 'Config');
    expect(await served.references('shop src/use.ts', 'Config')).toEqual(own);
    expect(own).toEqual(['src/config.ts:2', 'src/use.ts:1', 'src/use.ts:2']);
  });

  it('of a default export are found under the names given to it', async () => {
    expect(await served.references('shop src/config.ts', 'Store')).toEqual(['src/use.ts:1', 'src/use.ts:3']);
  });

  it('of a member are found where its file is imported', async () => {
    expect(await served.references('shop src/config.ts', 'load')).toEqual(['src/use.ts:4']);
  });
});
