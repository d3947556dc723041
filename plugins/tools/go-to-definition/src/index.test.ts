import type { Symbols } from '@sextant/contracts';
import { runTool } from '@sextant/core/testing';
import { expect, test, vi } from 'vitest';
import { goToDefinition } from './index.ts';

const findDefinition = vi.fn<Symbols['findDefinition']>();
const links = { file: ({ path, startLine }: { path: string; startLine?: number }): string => `${path}?L${startLine}` };
const services = { symbols: { findDefinition }, links };
const input = { repo: 'shop', path: 'a.ts', symbol: 'f' };
const file = {
  repo: 'shop',
  path: 'b.ts',
  chunks: [{ startLine: 2, endLine: 3, lines: ['', 'function f() {}'] }],
  places: [{ line: 3, kind: 'function' }],
};

test('the answer has a block for each file, with numbered lines and a link to the name', async () => {
  findDefinition.mockResolvedValue({ files: [file, { ...file, revision: 'v1' }], precision: 'syntactic' });
  const { structured, text } = await runTool(goToDefinition, { input: { ...input, revision: 'v1' }, services });
  const block = { type: 'file', repo: 'shop', file: 'b.ts', url: 'b.ts?L3' };
  const chunks = [{ startLine: 2, endLine: 3, content: '2: \n3: function f() {}' }];
  const fileBlocks = [
    { ...block, chunks },
    { ...block, rev: 'v1', chunks },
  ];
  expect(structured).toEqual({ fileBlocks, precision: 'syntactic' });
  expect(text).toBe('# shop – b.ts\n2: \n3: function f() {}\n\n# shop@v1 – b.ts\n2: \n3: function f() {}');
  expect(findDefinition.mock.lastCall?.[1]).toEqual({ ...input, revision: 'v1' });
});

test('a reader is told when only the text was looked at, and when nothing was found', async () => {
  findDefinition.mockResolvedValue({ files: [file], precision: 'text' });
  expect((await runTool(goToDefinition, { input, services })).text).toMatch(/^No definition is known/);
  findDefinition.mockResolvedValue({ files: [], precision: 'text' });
  expect((await runTool(goToDefinition, { input, services })).text).toBe('No definition found.');
});

test.each([
  [{ precision: 'syntactic', isByNameOnly: true }, { byNameOnly: true }, /^By name only: .*\n\n# shop – b\.ts\n/],
  [
    { precision: 'text', outside: { module: 'node:fs' } },
    { outside: 'node:fs' },
    /^Defined outside of the repositories: it comes from node:fs\. Some uses:\n\n# shop/,
  ],
  [
    { precision: 'text', outside: {} },
    { outside: 'the language or a library' },
    /^Defined outside of the repositories: it comes from the language or a library/,
  ],
] as const)('%j is said before the files', async (how, said, beginning) => {
  findDefinition.mockResolvedValue({ files: [file], ...how });
  const { structured, text } = await runTool(goToDefinition, { input: { ...input, line: 7 }, services });
  expect(structured).toMatchObject({ precision: how.precision, ...said });
  expect(text).toMatch(beginning);
  expect(findDefinition.mock.lastCall?.[1]).toEqual({ ...input, line: 7 });
});

test.each([0, 1.5])('a line of %s is an error', async (line) => {
  await expect(runTool(goToDefinition, { input: { ...input, line }, services })).rejects.toMatchObject({
    code: 'invalid_argument',
  });
});

test.each(['repo', 'path', 'symbol'])('%s is required', async (name) => {
  await expect(runTool(goToDefinition, { input: { ...input, [name]: undefined }, services })).rejects.toMatchObject({
    code: 'invalid_argument',
  });
});
