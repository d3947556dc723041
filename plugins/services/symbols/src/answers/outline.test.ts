import { Turn } from '@sextant/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Definition } from '../parse/file-symbols.ts';
import { alice, startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';
import { outlineOf } from './outline.ts';

const { signal } = new AbortController();
const many = Array.from({ length: 5001 }, (_, index) => `export const c${index} = 1;\n`).join('');

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols(
    {
      shop: {
        'store.ts':
          '/** Holds goods. */\nexport class Store {\n  load(id: string) {\n    const local = id;\n    return local;\n  }\n}\nexport const size = 1;\n',
        'many.ts': many,
        'blanks.ts': `//${' '.repeat(400_000)}x\nexport function f() {}\n`,
        'signs.ts': `export let f = '${'='.repeat(400_000)}x';\n`,
        'notes.txt': 'load\n',
      },
      vault: { 'a.ts': 'export const key = 1;\n' },
    },
    { hidden: ['vault'] },
  );
});
afterAll(() => served[Symbol.asyncDispose]());

const outline = (path: string, repo = 'shop', revision = 'main'): ReturnType<StartedSymbols['symbols']['outline']> =>
  served.symbols.outline(alice, { repo, path, revision }, signal);

it('lists what a file defines in its order, without local names and parameters', async () => {
  expect(await outline('store.ts')).toEqual({
    limitHit: false,
    definitions: [
      { name: 'Store', kind: 'class', line: 2, endLine: 7, signature: 'export class Store', docs: 'Holds goods.' },
      { name: 'load', kind: 'method', line: 3, endLine: 6, container: 'Store', signature: 'load(id: string)' },
      { name: 'size', kind: 'variable', line: 8, endLine: 8, signature: 'export const size = 1' },
    ],
  });
});

it('lists only what overlaps the parts of the file that are asked for', async () => {
  const of = async (startLine: number, endLine: number): Promise<string[]> => {
    const file = { repo: 'shop', path: 'store.ts', parts: [{ startLine, endLine }] };
    return (await served.symbols.outline(alice, file, signal)).definitions.map(({ name }) => name);
  };
  expect([await of(5, 5), await of(7, 8), await of(1, 1)]).toEqual([['Store', 'load'], ['Store', 'size'], []]);
});

it('is cut at 5000 definitions and says so', async () => {
  const { definitions, limitHit } = await outline('many.ts');
  expect([definitions.length, limitHit]).toEqual([5000, true]);
});

it.each([
  ['blanks.ts', 'export function f()'],
  ['signs.ts', 'export let f'],
])('%s is written to take long, and costs no more than other files', async (path, signature) => {
  const { definitions } = await outline(path);
  expect(definitions[0]?.signature).toMatch(signature);
});

it('leaves the event loop to others while a long one is put together', async () => {
  const definitions = Array.from({ length: 5000 }, (_, index): Definition => {
    const at = 8 * index;
    return { name: 'f', kind: 'method', line: 1, column: at, at, startLine: 1, endLine: 1, isMember: true };
  });
  const turn = new Turn(0);
  const order: string[] = [];
  const outlined = outlineOf(definitions, 'f() {}, '.repeat(5000), () => turn.share()).then(() =>
    order.push('outline'),
  );
  for (let others = 0; others < 100; others += 1) await new Promise((resolve) => setImmediate(resolve));
  order.push('another');
  await outlined;
  expect(order).toEqual(['another', 'outline']);
});

it('is empty for a file whose syntax is not known', async () => {
  expect(await outline('notes.txt')).toEqual({ definitions: [], limitHit: false });
});

it.each([
  ['a file', 'gone.ts', 'shop', 'main'],
  ['a revision', 'store.ts', 'shop', 'nowhere'],
  ['a repository that the caller may not read', 'a.ts', 'vault', 'main'],
])('says that %s is not there', async (_what, path, repo, revision) => {
  await expect(outline(path, repo, revision)).rejects.toMatchObject({ code: 'not_found' });
});
