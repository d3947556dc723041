import { expect, test } from 'vitest';
import { Changes } from './changes.ts';
import { WorkInHand } from './work-in-hand.ts';
import type { ClaimedTurn } from './work-queue.ts';

const turn: ClaimedTurn = {
  id: 1,
  conversationId: 1,
  number: 1,
  question: 'q',
  status: 'processing',
  askedAt: 0,
  parts: [],
  error: undefined,
  steps: [],
  draft: undefined,
  attempts: 1,
  ownerId: 1,
  scope: undefined,
  model: undefined,
  answeredAt: undefined,
  rating: undefined,
};

test('work goes on while the database cannot be written, and stops when the question belongs to another process', async () => {
  const answers = [() => Promise.reject(new Error('away')), async () => true, async () => false];
  const stopped = Promise.withResolvers<void>();
  const atRenewals: boolean[] = [];
  using work = new WorkInHand(turn, {
    queue: {
      renew: () => {
        atRenewals.push(work.signal.aborted);
        work.note({ message: 'more' });
        return answers[atRenewals.length - 1]?.() ?? Promise.resolve(true);
      },
    },
    changes: new Changes(),
  });
  work.signal.addEventListener('abort', () => stopped.resolve());
  work.note({ message: 'begun' });
  await stopped.promise;
  expect(atRenewals).toEqual([false, false, false]);
  expect(work.signal.reason).toMatchObject({ code: 'canceled' });
});
