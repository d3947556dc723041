import { expect, it } from 'vitest';
import { bash } from '../languages/bash.ts';
import { ParseThreads } from './parse-threads.ts';

const grace = 2000;
const backtracking = { ...bash, name: 'slow', repairs: [{ find: '(a+)+$', with: '' }] };
const exploding = { ...bash, name: 'large', repairs: [{ find: 'a', with: 'b'.repeat(1_000_000) }] };

it.for([
  ['takes forever', backtracking, `${'a'.repeat(50)}b`],
  ['breaks the thread', exploding, 'a'.repeat(1000)],
] as const)(
  'a text that %s is given up, and those that wait are read by another thread',
  async ([, language, text]) => {
    const threads = new ParseThreads({ threads: 1, limit: 1000, grace });
    try {
      const answers = [threads.parse(language, text), threads.parse(bash, 'greet() { :; }\n')];
      expect(await Promise.all(answers)).toEqual([undefined, expect.any(Uint8Array)]);
      expect(await threads.parse(bash, 'again() { :; }\n')).toBeInstanceOf(Uint8Array);
    } finally {
      await threads.close();
    }
  },
);

it('a thread that has nothing to do is ended, and the next text starts another one', async () => {
  const threads = new ParseThreads({ threads: 1, limit: 1000, idle: 20 });
  const workers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
  const before = workers();
  try {
    await threads.parse(bash, 'a() { :; }\n');
    await expect.poll(workers).toBe(before);
    expect(await threads.parse(bash, 'b() { :; }\n')).toBeInstanceOf(Uint8Array);
  } finally {
    await threads.close();
  }
});

it('a text that comes when the server stops is refused', async () => {
  const threads = new ParseThreads({ threads: 1, limit: 1000 });
  const waiting = threads.parse(bash, 'a() { :; }\n');
  const stopped = threads.close();
  await expect(waiting).rejects.toThrow('the server is stopping');
  await expect(threads.parse(bash, '')).rejects.toThrow('the server is stopping');
  await stopped;
});
