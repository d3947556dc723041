import { queryOf } from '@sextant/contracts';
import { expect, test } from 'vitest';
import { merged } from './answer.ts';
import type { RepositoryAnswer } from './answer.ts';

const answer: RepositoryAnswer<{ date: string }> = {
  repo: 'acme/shop',
  found: [],
  unknownRevisions: [],
  isShallow: false,
  isLate: false,
  unreadable: 0,
  notCompared: [],
  beyondLimits: 0,
  notIndexed: 0,
};

test.each([
  [1, '1 commit of acme/shop is not in the index, as new or too large; git itself looked.'],
  [2, '2 commits of acme/shop are not in the index, as new or too large; git itself looked.'],
])('%d commits that git looked at may be too large for the index, and stay so', (notIndexed, note) => {
  const { notes } = merged({
    query: queryOf([]),
    count: 1,
    order: 'newest',
    notes: [],
    answers: [{ ...answer, notIndexed }, answer],
  });
  expect(notes).toEqual([note]);
});
