import { expect, it } from 'vitest';
import { callerOf } from '@sextant/core/testing';
import { typescript } from '../languages/typescript.ts';
import { ParseThreads } from './parse-threads.ts';

const { signal } = new AbortController();

it.for<[what: string, text: string]>([
  ['brackets in brackets', '('.repeat(200_000)],
  ['literals in literals', '{a:'.repeat(100_000)],
  ['classes in classes', 'class A{'.repeat(60_000)],
  ['a line of a megabyte', `f(${'a,'.repeat(400_000)})`],
  ['more uses of one name than can be told apart', 'function f(){f()}\n'.repeat(6000)],
])('%s are given up or left out, and the next text is read', { timeout: 60_000 }, async ([, text]) => {
  const threads = new ParseThreads({ threads: 1, limit: 1000, grace: 20_000 });
  const call = { caller: callerOf('ada'), signal };
  try {
    expect((await threads.parse(typescript, text, call))?.length ?? 0).toBeLessThan(1000);
    expect(await threads.parse(typescript, 'let y;\n', call)).toBeInstanceOf(Uint8Array);
  } finally {
    await threads.close();
  }
});
