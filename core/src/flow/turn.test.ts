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

test('those who begin to wait at once have no longer a turn than one after the other', async () => {
  const turn = new Turn(5);
  const order: string[] = [];
  const step = async (): Promise<void> => {
    await turn.share();
    spin(10);
    order.push('step');
  };
  const all = Promise.all([step(), step(), step()]);
  for (let others = 0; others < 5; others += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    order.push('another');
  }
  await all;
  expect(order.join(' ')).not.toContain('step step');
});

test('owners take turns: who has few steps does not wait for the thousand of another', async () => {
  const turn = new Turn();
  const order: string[] = [];
  const step = (owner: string): Promise<unknown> => turn.share(owner).then(() => order.push(owner));
  await Promise.all([...Array.from({ length: 1000 }, () => step('greedy')), step('modest'), step('modest')]);
  expect(order.lastIndexOf('modest')).toBeLessThan(6);
});
