import { expect, test } from 'vitest';
import { IndexingTurns } from './indexing-queue.ts';

const always = { turnSeconds: -1, mostSeconds: Infinity };
/** Does one part after the other of what is left until its turn is over; answers whether that is all. */
const working = (left: string[], done: string[]) => async (isOver: () => boolean) => {
  do done.push(left.shift() ?? 'nothing');
  while (left.length > 0 && !isOver());
  return left.length === 0;
};

test('a turn is over only while others wait', async () => {
  const turns = new IndexingTurns(always);
  const done: string[] = [];
  const update = working(['a', 'b', 'c', 'd'], done);
  expect(await turns.take('large', { update, doOthersWait: () => true })).toBe(false);
  expect(done).toEqual(['a']);
  expect(await turns.take('large', { update, doOthersWait: () => false })).toBe(true);
  expect(done).toEqual(['a', 'b', 'c', 'd']);
});

test('what comes to no end is given up, and has all of its time again', async () => {
  const turns = new IndexingTurns({ turnSeconds: -1, mostSeconds: 0 });
  const doOthersWait = (): boolean => false;
  const update = async (isOver: () => boolean): Promise<boolean> => {
    while (!isOver());
    return false;
  };
  for (let attempt = 0; attempt < 2; attempt += 1)
    await expect(turns.take('endless', { update, doOthersWait })).rejects.toMatchObject({ code: 'timeout' });
  expect(await turns.take('endless', { update: async () => true, doOthersWait })).toBe(true);
});
