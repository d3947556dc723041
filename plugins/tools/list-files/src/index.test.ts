import type { Repository, TreeListing } from '@sextant/contracts';
import { oneRepository } from '@sextant/contracts/testing';
import { runTool } from '@sextant/core/testing';
import type { ToolAnswer } from '@sextant/core/testing';
import { expect, test, vi } from 'vitest';
import { listFiles } from './index.ts';

const listTree = vi.fn<Repository['listTree']>();
const list = (listing: TreeListing, input: object = {}): Promise<ToolAnswer> => {
  listTree.mockResolvedValue(listing);
  return runTool(listFiles, {
    input: { repo: 'shop', ...input },
    services: { repositories: oneRepository({ listTree }) },
  });
};

test('direct children with full paths from the root, folders ending in a slash', async () => {
  const { structured, text } = await list({
    entries: [
      { path: 'src/ui', kind: 'directory' },
      { path: 'src/a.ts', kind: 'file' },
      { path: 'src/link', kind: 'symlink' },
      { path: 'src/vendored', kind: 'submodule' },
    ],
    isTruncated: false,
  });
  expect(structured).toEqual({
    files: [
      { path: 'src/ui/', isDirectory: true },
      { path: 'src/a.ts', isDirectory: false },
      { path: 'src/link', isDirectory: false },
      { path: 'src/vendored', isDirectory: false },
    ],
    truncated: false,
  });
  expect(text).toBe('src/ui/\nsrc/a.ts\nsrc/link\nsrc/vendored');
});

test('the default is the root, and at most 1000 entries are asked for', async () => {
  await list({ entries: [], isTruncated: false });
  expect(listTree).toHaveBeenLastCalledWith({ commit: 'c'.repeat(40), path: '', limit: 1000 }, expect.any(AbortSignal));
});

test.each(['/', '.', './', ''])('%j is the root', async (path) => {
  await list({ entries: [], isTruncated: false }, { path });
  expect(listTree).toHaveBeenLastCalledWith(expect.objectContaining({ path: '' }), expect.any(AbortSignal));
});

test('a cut listing says so and how to go on', async () => {
  const { structured, text } = await list({ entries: [{ path: 'a', kind: 'file' }], isTruncated: true });
  expect(structured['truncated']).toBe(true);
  expect(text).toBe('a\n[cut after 1000 entries; list a folder in it, or search for a file by its name]');
});

test('an empty folder is no error', async () => {
  expect((await list({ entries: [], isTruncated: false })).text).toBe('(no files)');
});

test('a call is recorded with the language of the files, not of the folders', () => {
  const files = [
    { path: 'src.go/', isDirectory: true },
    { path: 'a.ts', isDirectory: false },
  ];
  expect(listFiles.filesOf({ files })).toEqual(['a.ts']);
});
