import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import { readWithProgress } from './commands.ts';

it.each([
  [
    'each tenth of a large file',
    20_000_000,
    [2, 4, 6, 8, 10, 12, 14, 16, 18, 20].map((done) => `${done} of 20 MB read`),
  ],
  ['a small file only what is done with it', 1000, []],
])('it tells of %s', async (_what, size, told) => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'index.scip');
  writeFileSync(file, Buffer.alloc(size));
  const lines: string[] = [];
  let read = 0;
  for await (const piece of readWithProgress({ file, size }, (line) => lines.push(line))) read += piece.length;
  expect(read).toBe(size);
  expect(lines).toEqual([...told, 'the index is checked and stored']);
});
