import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { IngestCalls, SearchCalls } from './thread-calls.ts';
import { ThreadClient } from './thread-client.ts';

let client: ThreadClient<SearchCalls> | ThreadClient<IngestCalls> | undefined;
afterEach(() => client?.close());

test('a thread that nobody asks any more ends, and another is started when somebody does', async () => {
  const onStart = vi.fn();
  const searching = new ThreadClient<SearchCalls>({ file: 'search-thread', idleSeconds: 0.01, onStart });
  client = searching;
  expect(searching.isRunning).toBe(false);
  await searching.call('forget', 'a');
  await vi.waitFor(() => expect(searching.isRunning).toBe(false), { timeout: 60_000 });
  await setTimeout(50);
  await searching.call('forget', 'a');
  expect(onStart).toHaveBeenCalledTimes(2);
});

test('a thread does not end during work that it was told something for, however long nobody asks it', async () => {
  const onStart = vi.fn();
  const reading = new ThreadClient<IngestCalls>({ file: 'index-thread', idleSeconds: 0.01, onStart });
  client = reading;
  const part = { run: 1, bytes: Buffer.from('\0one commit, half of it') };
  await reading.during(async () => {
    await reading.call('read', part);
    await setTimeout(100);
    await reading.call('end', { run: 1, ended: 'cut' });
    await setTimeout(100);
    expect(reading.isRunning).toBe(true);
  });
  expect(onStart).toHaveBeenCalledTimes(1);
  await vi.waitFor(() => expect(reading.isRunning).toBe(false), { timeout: 60_000 });
});

test('what fails in a thread fails here, with the name of the error there', async () => {
  const searching = new ThreadClient<SearchCalls>({ file: 'search-thread', idleSeconds: 60 });
  client = searching;
  const set = { folder: '/nowhere', shards: ['gone'] };
  await expect(searching.call('open', set)).rejects.toMatchObject({ name: 'ThreadError', reason: 'ENOENT' });
});

test('a thread that ends under a call fails it', async () => {
  const reading = new ThreadClient<IngestCalls>({ file: 'index-thread', idleSeconds: 60 });
  client = reading;
  const answer = expect(reading.call('drop', { runs: [], shard: '' })).rejects.toThrow('has ended');
  await reading.close();
  await answer;
});
