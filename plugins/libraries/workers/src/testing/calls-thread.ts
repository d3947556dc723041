import { setTimeout } from 'node:timers/promises';
import { answerCalls } from '../answer-calls.ts';
import type { IsCanceled } from '../answer-calls.ts';

/** What the thread of the tests is asked. */
export interface TestCalls {
  echo(value: string): string;
  fail(code: string): void;
  spin(milliseconds: number): void;
  fillHeap(argument: undefined): void;
  later(value: string): Promise<string>;
  untilCanceled(argument: undefined, isCanceled: IsCanceled): Promise<void>;
}

const held: unknown[] = [];

answerCalls<TestCalls>({
  echo: (value) => value,
  fail: (code) => {
    throw Object.assign(new Error('as it was told'), { code });
  },
  spin: (milliseconds) => {
    for (const end = performance.now() + milliseconds; performance.now() < end; );
  },
  fillHeap: () => {
    for (;;) held.push(Array.from({ length: 10_000 }, () => ({})));
  },
  later: async (value) => {
    await setTimeout(50);
    return value;
  },
  untilCanceled: async (_, isCanceled) => {
    while (!isCanceled()) await setTimeout(1);
  },
});
