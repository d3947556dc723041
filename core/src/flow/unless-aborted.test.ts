import { expect, test } from 'vitest';
import { unlessAborted } from './unless-aborted.ts';

test('what the work answers comes through', async () => {
  await expect(unlessAborted(Promise.resolve('done'), new AbortController().signal)).resolves.toBe('done');
});

test('what the work fails with comes through', async () => {
  const failure = new Error('disk full');
  await expect(unlessAborted(Promise.reject(failure), new AbortController().signal)).rejects.toBe(failure);
});

test('work that does not listen is not waited for', async () => {
  const controller = new AbortController();
  const answer = unlessAborted(new Promise(() => {}), controller.signal);
  const reason = new Error('the caller left');
  controller.abort(reason);
  await expect(answer).rejects.toBe(reason);
});

test('a signal that aborted before wins over an answer that is there', async () => {
  const reason = new Error('too late');
  await expect(unlessAborted(Promise.resolve('done'), AbortSignal.abort(reason))).rejects.toBe(reason);
});

test('a failure after the signal aborted is nobody’s, and does not end the process', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  await expect(unlessAborted(promise, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
  reject(new Error('late'));
  await new Promise((resolve) => setImmediate(resolve));
});
