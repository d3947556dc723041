import { expect, test } from 'vitest';
import { AnswerRoom, emptyRoom } from './answer-room.ts';

test('files that are better than others fill the answer, whichever thread finds them', () => {
  const shared = emptyRoom(10_000);
  const [one, other] = [new AnswerRoom(shared, 100), new AnswerRoom(shared, 100)];
  one.take(2, 60);
  expect([one.isFullFor(1), other.isFullFor(1)]).toEqual([false, false]);
  other.take(1.5, 40);
  expect([one.isFullFor(1), other.isFullFor(1)]).toEqual([true, true]);
  expect([one.isFullFor(1.5), one.isFullFor(2), one.isFullFor(4.9)]).toEqual([false, false, false]);
});

test('for few files there is room', () => {
  const room = new AnswerRoom(emptyRoom(15), 100);
  room.take(2, 1000);
  expect([room.isNarrow, room.isFullFor(0)]).toEqual([false, false]);
});
