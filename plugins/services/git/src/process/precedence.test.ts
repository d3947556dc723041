import { setTimeout as after } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Precedence } from './precedence.ts';

const { signal } = new AbortController();

async function* noting(order: string[], name: string, goesOn = Promise.resolve()): AsyncGenerator<number> {
  order.push(name);
  yield 1;
  await goesOn;
  order.push(`/${name}`);
}

async function take(output: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of output);
}

it('lets the background wait for what comes first, and for what comes right after it', async () => {
  const precedence = new Precedence();
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = take(precedence.first(noting(order, 'first', promise)));
  const background = take(precedence.afterwards(noting(order, 'background'), signal));
  await after(20);
  expect(order).toEqual(['first']);
  resolve();
  await first;
  await take(precedence.first(noting(order, 'next')));
  await background;
  expect(order).toEqual(['first', '/first', 'next', '/next', 'background', '/background']);
});

it('lets the background begin at once where nothing comes first, and end by its signal while it waits', async () => {
  const precedence = new Precedence();
  const order: string[] = [];
  await take(precedence.afterwards(noting(order, 'background'), signal));
  expect(order).toHaveLength(2);
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = take(precedence.first(noting(order, 'first', promise)));
  const controller = new AbortController();
  const waiting = take(precedence.afterwards(noting(order, 'never'), controller.signal));
  controller.abort(new Error('no longer wanted'));
  await expect(waiting).rejects.toThrow('no longer wanted');
  resolve();
  await first;
  expect(order).not.toContain('never');
});

it('lets the background wait for work that is put first, until it has ended or failed', async () => {
  const precedence = new Precedence();
  const order: string[] = [];
  const works = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  for (const { promise } of works) precedence.put(promise);
  const background = take(precedence.afterwards(noting(order, 'background'), signal));
  works[0].resolve();
  await after(20);
  order.push('the last work');
  works[1].reject(new Error('it failed'));
  await background;
  expect(order).toEqual(['the last work', 'background', '/background']);
});
