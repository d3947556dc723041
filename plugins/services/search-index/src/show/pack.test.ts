import { expect, test } from 'vitest';
import { packFiles, unpackFiles } from './pack.ts';
import type { FoundLines } from '../pool/protocol.ts';

const none: FoundLines = { target: 3, file: 70_000, path: 'a', score: 0.1, matchCount: 2, chunks: [], matches: [] };
const shown: FoundLines = {
  ...none,
  chunks: [
    { startLine: 90, endLine: 90, text: '\tπ 😀 \u2028\r' },
    { startLine: 3, endLine: 5, text: 'the line\n\n' },
  ],
  matches: [
    { chunk: 1, line: 3, ranges: [[0, 3]] },
    { chunk: 1, line: 4, ranges: [] },
    {
      chunk: 0,
      line: 90,
      ranges: [
        [1, 2],
        [4, 4_000_000],
      ],
    },
  ],
};

test('what a thread packs comes out as it was', () => {
  for (const files of [[], [none], [shown, { ...none, path: 'with\na line end and \0' }, shown]])
    expect(unpackFiles(packFiles(files))).toEqual(files);
});
