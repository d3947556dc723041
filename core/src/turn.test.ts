import { expect, test } from 'vitest';
import { Turn } from './turn.ts';

function spin(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('workers that never wait let everything else run in between, however many there are', async () => {
  const turn = new Turn(5);
  let done = 0;
  const work = async (): Promise<void> => {
    for (let step = 0; step < 5; step += 1) {
      await turn.share();
      spin(2);
      done += 1;
    }
  };
  const all = Array.from({ length: 20 }, work);
  const seen: number[] = [];
  for (let turns = 0; turns < 10; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(done);
  }
  expect(seen.at(-1)).toBeLessThan(100);
  await Promise.all(all);
});
