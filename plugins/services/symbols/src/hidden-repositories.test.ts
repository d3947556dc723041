import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { Snapshots } from './snapshot/snapshot.ts';
import { startSymbols } from './testing/start-symbols.ts';
import type { StartedSymbols } from './testing/start-symbols.ts';

const { signal } = new AbortController();
const root = callerOf('root', { isSiteAdmin: true });

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols(
    {
      shop: {
        'a.ts':
          "import { deep, round } from '@acme/vault';\ndeep(round);\nnowhere();\nimport { ghost } from '@acme/ghost';\nghost();\n",
        'b.cs': 'using Acme.Vault;\n\nclass B { Key key; }\n',
        'c.c': '#include <vault/key.h>\n\nint main(void) { return turn(); }\n',
      },
      vault: {
        'package.json': '{ "name": "@acme/vault" }',
        'index.ts':
          "export { deep } from '@acme/lib';\nexport * from '@acme/lib/circle';\nfunction nowhere() {}\nnowhere();\n",
        'ghost/package.json': '{ "name": "@acme/ghost" }',
        'key.cs': 'namespace Acme.Vault;\n\npublic class Key {}\n',
        'include/vault/key.h': 'int turn(void);\n',
        'src/key.c': 'int turn(void) { return 1; }\n',
      },
      lib: {
        'package.json': '{ "name": "@acme/lib" }',
        'index.ts': 'export function deep() {}\n',
        'ghost/package.json': '{ "name": "@acme/ghost" }',
        'circle.ts': "export * from '@acme/vault';\n",
        'other/more.ts': 'export function deep() {}\n',
      },
    },
    { hidden: ['vault'] },
  );
  await served.untilReadAhead();
});
afterAll(() => served[Symbol.asyncDispose]());

let opened: string[] = [];
const { openOther } = Snapshots.prototype;
vi.spyOn(Snapshots.prototype, 'openOther').mockImplementation(function (this: Snapshots, repo, revision) {
  opened.push(repo);
  return openOther.call(this, repo, revision);
});
beforeEach(() => {
  opened = [];
});

const names = [
  ['of an import', 'a.ts', 'deep'],
  ['that nothing explains', 'a.ts', 'nowhere'],
  ['of a namespace', 'b.cs', 'Key'],
  ['of a header', 'c.c', 'turn'],
] as const;

it.each(names)(
  'a repository that the caller may not read is not opened for the definition of a name %s',
  async (_of, path, symbol) => {
    const found = await served.definition(`shop ${path}`, symbol);
    expect(found.filter((place) => place.startsWith('vault'))).toEqual([]);
  },
);

it.each(names)('nor for the uses of a name %s', async (_of, path, symbol) => {
  const found = await served.references(`shop ${path}`, symbol);
  expect(opened).not.toContain('vault');
  expect(found.filter((place) => place.startsWith('vault'))).toEqual([]);
});

const placesFor = async (path: string, symbol: string): Promise<string[]> => {
  const { files } = await served.symbols.findDefinition(root, { repo: 'shop', path, symbol }, signal);
  return files.map((file) => `${file.repo} ${file.path}`);
};

it('who may read it is led through it', async () => {
  expect(await placesFor('a.ts', 'deep')).toEqual(['lib index.ts']);
  expect(await placesFor('b.cs', 'Key')).toEqual(['vault key.cs']);
  expect(await placesFor('c.c', 'turn')).toEqual(['vault src/key.c']);
});

it('repositories that pass a name on to each other in a circle come to an end', async () => {
  expect(await placesFor('a.ts', 'round')).toEqual(['shop a.ts']);
});

it('repositories that say to be a package of which none has the file come to an end', async () => {
  expect(await placesFor('a.ts', 'ghost')).toEqual(['shop a.ts']);
});
