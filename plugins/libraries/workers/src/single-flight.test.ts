import { expect, test } from 'vitest';
import { SingleFlight } from './single-flight.ts';

const { signal } = new AbortController();

test('who asks for the same while it is in flight shares it, and its failure', async () => {
  const flights = new SingleFlight<string, number>();
  let begun = 0;
  const work = async (): Promise<number> => (begun += 1);
  expect(await Promise.all(['a', 'a', 'b'].map((key) => flights.run(key, signal, work)))).toEqual([1, 1, 2]);
  expect(await flights.run('a', signal, work)).toBe(3);
  const failing = ['a', 'a'].map((key) => flights.run(key, signal, () => Promise.reject(new Error(`no ${key}`))));
  const failed = { status: 'rejected', reason: new Error('no a') };
  expect(await Promise.allSettled(failing)).toEqual([failed, failed]);
});

test('work goes on without one who left, and is aborted when nobody waits', async () => {
  const flights = new SingleFlight<string, string>();
  const [first, second] = [new AbortController(), new AbortController()];
  const signals: AbortSignal[] = [];
  const work = (ending: AbortSignal): Promise<string> => {
    signals.push(ending);
    return new Promise(() => {});
  };
  const answers = [first, second].map(({ signal: own }) => flights.run('tree', own, work));
  first.abort(new Error('left'));
  await expect(answers[0]).rejects.toThrow('left');
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  second.abort(new Error('left, too'));
  await expect(answers[1]).rejects.toThrow('left, too');
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(await flights.run('tree', signal, async () => 'new')).toBe('new');
});
