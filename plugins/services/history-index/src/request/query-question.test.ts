import { parseQuery } from '@sextant/contracts';
import { expect, test } from 'vitest';
import { HistoryPatterns } from './patterns.ts';
import { questionOf } from './query-question.ts';

test.each([
  [
    'type:diff memory leak',
    'one text is looked for in changed lines: write "a b" for words side by side, (a OR b), or',
  ],
  ['type:diff', 'type:diff needs a text or /regex/ to look for in changed lines'],
  ['type:commit type:path a', 'type:commit cannot be combined with another type:'],
])('%s is refused with what to write', (query, problem) => {
  expect(() => questionOf(new HistoryPatterns(), parseQuery(query), new Date())).toThrow(problem);
});
