import { expect, test } from 'vitest';
import { createLog } from '../log/log.ts';
import { Recent } from './recent.ts';

const call = (name: string, milliseconds: number, minutesAgo = 0): Parameters<Recent['takeCall']> => [
  { name, milliseconds, processorMilliseconds: 0, requestId: `${name}-id` },
  Date.now() - minutesAgo * 60_000,
];

test('errors of the log are kept with their id and cause, newest first, without secrets', () => {
  const recent = new Recent();
  const log = createLog('info', { destination: { write() {} }, recent });
  log.info({}, 'no trouble');
  log.error({ plugin: 'service-git', requestId: 'r1', err: new Error('no such object') }, 'request failed');
  log.error({ errorId: 'e2', tool: 'list_repos' }, 'tool failed: Bearer 0123456789abcdef0123');
  expect(recent.errors).toEqual([
    { time: expect.stringMatching(/Z$/), message: 'tool failed: [redacted]', id: 'e2', about: 'list_repos' },
    { time: expect.any(String), message: 'request failed: no such object', id: 'r1', about: 'service-git' },
  ]);
});

test('warnings are kept beside the errors, each once with its reason and what it is about', () => {
  const recent = new Recent();
  const log = createLog('info', { destination: { write() {} }, recent });
  for (let at = 1; at <= 3; at += 1)
    log.warn({ plugin: 'service-git', repository: 'shop', reason: 'no network' }, 'not fetched');
  expect(recent.errors).toEqual([
    { time: expect.any(String), message: 'not fetched: no network', about: 'shop', isWarning: true },
  ]);
});

test('the last twenty errors are kept', () => {
  const recent = new Recent();
  const log = createLog('info', { destination: { write() {} }, recent });
  for (let at = 1; at <= 25; at += 1) log.error({}, `error ${at}`);
  expect(recent.errors.map(({ message }) => message)).toEqual(
    Array.from({ length: 20 }, (_, at) => `error ${25 - at}`),
  );
});

test('the ten slowest calls of the last hour are known, while older ones are forgotten', () => {
  const recent = new Recent();
  for (let at = 1; at <= 12; at += 1) recent.takeCall(...call(`call ${at}`, 5000 + at, at));
  for (let at = 1; at <= 12; at += 1) recent.takeCall(...call(`old ${at}`, 9000 + at, 61));
  expect(recent.slowestCalls.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, (_, at) => `call ${12 - at}`));
  recent.takeCall(...call('slow', 6000));
  expect(recent.slowestCalls[0]).toMatchObject({ name: 'slow', requestId: 'slow-id' });
  expect(recent.slowestCalls).toHaveLength(10);
});

test('a call that nobody waited for is not kept', () => {
  const recent = new Recent();
  recent.takeCall(...call('quick', 99));
  expect(recent.slowestCalls).toEqual([]);
});
