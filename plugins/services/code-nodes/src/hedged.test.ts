import { deadlineOf, setDeadline } from '@sextant/core';
import { expect, test } from 'vitest';
import { hedged } from './hedged.ts';

const attempt = (run: (call: { signal: AbortSignal; onAccepted(): void }) => Promise<string>) => ({
  run,
  onFailure: () => undefined,
  onAnswer: () => undefined,
});

test('a copy that ends after the answer is not asked again', async () => {
  const late = Promise.withResolvers<undefined>();
  const ended = Promise.withResolvers<undefined>();
  let asked = 0;
  const silent = attempt(async ({ signal }) => {
    asked += 1;
    await late.promise;
    ended.resolve(undefined);
    throw signal.reason;
  });
  const quick = attempt(async ({ onAccepted }) => {
    onAccepted();
    return 'answer';
  });
  expect(await hedged([silent, quick], new AbortController().signal)).toBe('answer');
  late.resolve(undefined);
  await ended.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toBe(1);
});

test('each attempt has the deadline of the call', async () => {
  const { signal } = new AbortController();
  const at = performance.now() + 60_000;
  setDeadline(signal, at);
  expect(await hedged([attempt(async (call) => String(deadlineOf(call.signal)))], signal)).toBe(String(at));
});
