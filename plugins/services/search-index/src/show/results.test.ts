import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import { expect, test } from 'vitest';
import type { JobResult } from '../match/job.ts';
import { limitsOf, mergeFiles } from './results.ts';

/** What a thread found that had one file, and therefore showed all of its lines. */
const foundAlone = (target: number, lines: number): JobResult => ({
  fileCount: 1,
  matchCount: lines,
  files: [
    {
      target,
      file: 0,
      path: 'many.txt',
      score: 1,
      matchCount: lines,
      chunks: Array.from({ length: lines }, (_, at) => ({ startLine: at * 5 + 1, endLine: at * 5 + 1, text: 'many' })),
      matches: Array.from({ length: lines }, (_, at) => ({ chunk: at, line: at * 5 + 1, ranges: [[0, 4]] as const })),
    },
  ],
});

test.each([
  ['a thread that found one file of several does not show it whole', [40, 40], [3, 3]],
  ['one file is shown whole', [40], [40]],
  ['few lines are shown whole, whichever thread found them', [12, 12], [12, 12]],
])('%s', (_, found, shown) => {
  const request = {
    ...parseQuery('many'),
    mode: 'keyword' as const,
    limits: { ...defaultSearchLimits, linesShownWhole: 30 },
  };
  const { files } = mergeFiles(
    found.map((lines, target) => foundAlone(target, lines)),
    {
      request,
      limits: limitsOf(request),
      notes: [],
      searched: (target) => ({ repo: `r${target}`, commit: '', revision: undefined }),
    },
  );
  expect(files.map(({ chunks }) => chunks.length)).toEqual(shown);
  expect(files.map(({ matches }) => matches.length)).toEqual(shown);
});
