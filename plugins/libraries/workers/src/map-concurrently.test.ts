import { expect, it } from 'vitest';
import { mapConcurrently } from './map-concurrently.ts';

it('works on so many at once, and answers in the order of the items', async () => {
  let [running, most] = [0, 0];
  const double = async (item: number): Promise<number> => {
    most = Math.max(most, (running += 1));
    await Promise.resolve();
    running -= 1;
    return 2 * item;
  };
  expect(await mapConcurrently([1, 2, 3, 4, 5].values(), 2, double)).toEqual([2, 4, 6, 8, 10]);
  expect(most).toBe(2);
  expect(await mapConcurrently([], 2, double)).toEqual([]);
});

it('begins nothing after a failure, and throws it when what runs has ended', async () => {
  const slow = Promise.withResolvers<void>();
  const ended: string[] = [];
  const mapped = mapConcurrently(['slow', 'broken', 'never'], 2, async (item) => {
    if (item === 'broken') throw new Error('broken');
    await slow.promise;
    ended.push(item);
  });
  const outcome = mapped.catch((error: unknown) => `${String(error)} after ${ended.join()}`);
  slow.resolve();
  expect(await outcome).toBe('Error: broken after slow');
  expect(ended).toEqual(['slow']);
});
