import { callerOf } from '@sextant/core/testing';
import { expect, it } from 'vitest';
import { bash } from '../languages/bash.ts';
import { typescript } from '../languages/typescript.ts';
import { ParsePool } from './parse-pool.ts';

const { signal } = new AbortController();
const grace = 2000;
const backtracking = { ...bash, name: 'slow', repairs: [{ find: '(a+)+$', with: '' }] };
const exploding = { ...bash, name: 'large', repairs: [{ find: 'a', with: 'b'.repeat(1_000_000) }] };

it.for([
  ['takes forever', backtracking, `${'a'.repeat(50)}b`],
  ['breaks the thread', exploding, 'a'.repeat(1000)],
] as const)(
  'a text that %s is given up, and those that wait are read by another thread',
  async ([, language, text]) => {
    const threads = new ParsePool({ threads: 1, limit: 1000, grace });
    try {
      const answers = [threads.parse(language, text), threads.parse(bash, 'greet() { :; }\n')];
      expect(await Promise.all(answers)).toEqual([undefined, expect.any(Uint8Array)]);
      expect(await threads.parse(bash, 'again() { :; }\n')).toBeInstanceOf(Uint8Array);
    } finally {
      await threads.close();
    }
  },
);

it('callers take turns, and do not wait for what is read ahead', async () => {
  const threads = new ParsePool({ threads: 1, limit: 20_000 });
  const nested = `x = ${'(a=>'.repeat(30_000)}1${')'.repeat(30_000)}`;
  const order: string[] = [];
  const parse = async (name: string): Promise<void> => {
    const call = { caller: { ...callerOf(name), user: { ...callerOf(name).user, id: name.length } }, signal };
    await threads.parse(bash, `${name}() { :; }\n`, call);
    order.push(name);
  };
  try {
    const ahead = Array.from({ length: 3 }, () => threads.parse(typescript, nested).then(() => order.push('ahead')));
    void Promise.allSettled(ahead);
    await Promise.all([...Array.from({ length: 50 }, () => parse('greedy')), parse('shy')]);
    expect(order).not.toContain('ahead');
    expect(order.indexOf('shy')).toBeLessThan(6);
  } finally {
    await threads.close();
  }
});

it('a call that is canceled stops its parsing', async () => {
  const threads = new ParsePool({ threads: 1, limit: 60_000 });
  const canceling = new AbortController();
  const nested = `x = ${'(a=>'.repeat(30_000)}1${')'.repeat(30_000)}`;
  const call = { caller: callerOf('ada'), signal };
  try {
    await threads.parse(typescript, 'let x;\n', call);
    const canceled = threads.parse(typescript, nested, { ...call, signal: canceling.signal });
    const next = threads.parse(typescript, 'let y;\n', call);
    setImmediate(() => canceling.abort(new Error('no longer wanted')));
    await expect(canceled).rejects.toThrow('no longer wanted');
    expect(await next).toBeInstanceOf(Uint8Array);
  } finally {
    await threads.close();
  }
});

it('a thread that has nothing to do is ended, and the next text starts another one', async () => {
  const threads = new ParsePool({ threads: 1, limit: 1000, idle: 20 });
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
  const threads = new ParsePool({ threads: 1, limit: 1000 });
  const waiting = threads.parse(bash, 'a() { :; }\n');
  const stopped = threads.close();
  await expect(waiting).rejects.toThrow('the server is stopping');
  await expect(threads.parse(bash, '')).rejects.toThrow('the server is stopping');
  await stopped;
});
