import { afterAll, beforeAll, expect, it } from 'vitest';
import { alice, startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    shop: {
      'far.js': 'export function far() {}\nexport function near() {}\nexport function unused() {}\n',
      'table.js': 'const far = load();\ntable["far"]();\nnearly();\n',
      'one.js': '// see near\n',
      'local.js': 'function f(only) {}\nconst text = "only";\n',
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

it.each([
  [
    'some',
    'far.js',
    'far',
    [
      '2 other lines of the repository also have this name, but could not be resolved to it; keyword_search finds them.',
    ],
  ],
  [
    'one',
    'far.js',
    'near',
    ['1 other line of the repository also has this name, but could not be resolved to it; keyword_search finds it.'],
  ],
  ['none', 'far.js', 'unused', undefined],
  ['none that can mean it', 'local.js', 'only', undefined],
])('where no use is found, other lines with the name are counted: %s', async (_what, path, symbol, notes) => {
  const request = { repo: 'shop', path, symbol, limit: 10 };
  const found = await served.symbols.findReferences(alice, request, new AbortController().signal);
  expect(found.totalCount).toBe(0);
  expect(found.notes).toEqual(notes);
});
