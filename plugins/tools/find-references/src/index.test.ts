import type { Symbols } from '@sextant/contracts';
import { runTool } from '@sextant/core/testing';
import { expect, test, vi } from 'vitest';
import { findReferences } from './index.ts';

const find = vi.fn<Symbols['findReferences']>();
const services = { symbols: { findReferences: find }, links: { file: (): string => 'link' } };
const input = { repo: 'shop', path: 'a.ts', symbol: 'f' };
const chunks = [{ startLine: 3, endLine: 3, lines: ['f();'] }];
const file = { repo: 'shop', path: 'b.ts', chunks, places: [{ line: 3, kind: 'call' }] };

test('the answer has a block for each file and says how many uses there are', async () => {
  find.mockResolvedValue({ files: [file], precision: 'syntactic', totalCount: 1, limitHit: false });
  const { structured, text } = await runTool(findReferences, { input, services });
  const block = { type: 'file', repo: 'shop', file: 'b.ts', url: 'link' };
  const numbered = [{ startLine: 3, endLine: 3, content: '3: f();' }];
  expect(structured).toEqual({
    fileBlocks: [{ ...block, chunks: numbered }],
    precision: 'syntactic',
    totalCount: 1,
    limitHit: false,
  });
  expect(text).toBe('1 reference.\n\n# shop – b.ts\n3: f();');
});

test('ten uses are shown unless asked for more, and a cut answer says how to get the rest', async () => {
  find.mockResolvedValue({ files: [file], precision: 'text', totalCount: 12, limitHit: true });
  const { text } = await runTool(findReferences, { input, services });
  expect(text).toMatch(/^12 lines with the name; a higher limit shows more\./);
  expect(find.mock.lastCall?.[1]).toEqual({ ...input, limit: 10 });
  find.mockResolvedValue({ files: [], precision: 'syntactic', totalCount: 0, limitHit: false });
  expect((await runTool(findReferences, { input: { ...input, limit: 1000 }, services })).text).toBe(
    'No references found.',
  );
});

test.each([
  [{ precision: 'syntactic', isByNameOnly: true }, { byNameOnly: true }, /^1 reference\. By name only: /],
  [
    { precision: 'text', outside: {} },
    { outside: 'the language or a library' },
    /^1 lines with the name\. Defined outside of the repositories: it comes from the language or a library\.\n/,
  ],
  [
    { precision: 'text', outside: { module: 'fs' } },
    { outside: 'fs' },
    /outside of the repositories: it comes from fs\.\n/,
  ],
] as const)('%j is said before the files', async (how, said, beginning) => {
  find.mockResolvedValue({ files: [file], totalCount: 1, limitHit: false, ...how });
  const { structured, text } = await runTool(findReferences, { input: { ...input, line: 7 }, services });
  expect(structured).toMatchObject(said);
  expect(text).toMatch(beginning);
  expect(find.mock.lastCall?.[1]).toMatchObject({ line: 7 });
});

test.each([0, 1001, 1.5])('a limit of %s is an error', async (limit) => {
  await expect(runTool(findReferences, { input: { ...input, limit }, services })).rejects.toMatchObject({
    code: 'invalid_argument',
  });
});
