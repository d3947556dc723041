import { callerOf } from '@sextant/core/testing';
import { expect, it } from 'vitest';
import { typescript } from '../languages/typescript.ts';
import { ParsePool } from './parse-pool.ts';

const { signal } = new AbortController();

/** Bytes that are known of a text that is left out. */
const little = 1000;

it.for<[what: string, text: string, most?: number]>([
  ['brackets in brackets', '('.repeat(200_000)],
  ['literals in literals', '{a:'.repeat(100_000)],
  ['classes in classes', 'class A{'.repeat(60_000), 'class A{'.length * 60_000],
  ['a line of a megabyte', `f(${'a,'.repeat(400_000)})`],
  ['more uses of one name than can be told apart', 'function f(){f()}\n'.repeat(6000)],
])(
  '%s: at most the size of the text is kept, and the next is read',
  { timeout: 60_000 },
  async ([, text, most = little]) => {
    const threads = new ParsePool({ threads: 1, limit: 1000, grace: 20_000 });
    const call = { caller: callerOf('ada'), signal };
    try {
      expect((await threads.parse(typescript, text, call))?.length ?? 0).toBeLessThanOrEqual(most);
      expect(await threads.parse(typescript, 'let y;\n', call)).toBeInstanceOf(Uint8Array);
    } finally {
      await threads.close();
    }
  },
);
