import { expect, test } from 'vitest';
import { packFiles, unpackFiles } from './packed-files.ts';
import type { FoundLines } from './protocol.ts';

const none: FoundLines = { target: 3, file: 70_000, path: 'a', score: 0.1, matchCount: 2, chunks: [], matches: [] };
const shown: FoundLines = {
  ...none,
  chunks: [
    { startLine: 3, endLine: 4, lines: ['the line', ''] },
    { startLine: 90, endLine: 90, lines: ['\tπ 😀 \u2028\r'] },
  ],
  matches: [
    { line: 3, text: 'the line', ranges: [[0, 3]] },
    {
      line: 90,
      text: 'another beginning of it',
      ranges: [
        [1, 2],
        [4, 4_000_000],
      ],
    },
    { line: 8, text: 'not shown', ranges: [] },
  ],
};

test('what a thread packs comes out as it was', () => {
  for (const files of [[], [none], [shown, { ...none, path: 'with\na line end and \0' }, shown]])
    expect(unpackFiles(packFiles(files))).toEqual(files);
});

test('a line that matches and is shown is packed once', () => {
  expect(packFiles([shown]).text.split('the line')).toHaveLength(2);
});
