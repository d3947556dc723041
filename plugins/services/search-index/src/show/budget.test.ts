import { expect, test } from 'vitest';
import { highestScore } from '../rank/score.ts';
import { AnswerBudget, newBudget } from './budget.ts';

test('files that are better than others fill the answer, whichever thread finds them', () => {
  const shared = newBudget(10_000);
  const [one, other] = [new AnswerBudget(shared, 100), new AnswerBudget(shared, 100)];
  one.take(2, 60);
  expect([one.isSpentFor(1), other.isSpentFor(1)]).toEqual([false, false]);
  other.take(1.5, 40);
  expect([one.isSpentFor(1), other.isSpentFor(1)]).toEqual([true, true]);
  expect([one.isSpentFor(1.5), one.isSpentFor(2), one.isSpentFor(4.9)]).toEqual([false, false, false]);
});

test('for few files there is room', () => {
  const budget = new AnswerBudget(newBudget(15), 100);
  budget.take(2, 1000);
  expect([budget.isNarrow, budget.isSpentFor(0)]).toEqual([false, false]);
});

test('the highest scores are told apart, too', () => {
  const budget = new AnswerBudget(newBudget(10_000), 100);
  budget.take(highestScore, 100);
  expect([budget.isSpentFor(highestScore), budget.isSpentFor(highestScore - 0.1)]).toEqual([false, true]);
});
