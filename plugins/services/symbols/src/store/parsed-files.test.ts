import { temporaryFolder } from '@sextant/contracts/testing';
import { silentLogger } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { bash } from '../languages/bash.ts';
import { ParsePool } from '../parse/parse-pool.ts';
import { ParsedFiles } from './parsed-files.ts';
import { SymbolStore } from './symbol-store.ts';

const call = { caller: callerOf('ada'), signal: new AbortController().signal };
// Its thread breaks at the first text with many `x`, however much time there is.
const breaking = { ...bash, repairs: [{ find: 'x', with: 'y'.repeat(1_000_000) }] };
const file = { blob: '0'.repeat(40), language: breaking };
const hard = async (): Promise<string> => 'x'.repeat(1000);
const easy = async (): Promise<string> => 'greet() { :; }\n';

const folder = temporaryFolder();
const threads = new ParsePool({ threads: 1, limit: 60_000 });
let stored: SymbolStore;
beforeAll(() => {
  stored = new SymbolStore({ folder: folder.path, maxBytes: 0, log: silentLogger });
});
afterAll(async () => {
  await threads.close();
  stored.close();
  folder[Symbol.dispose]();
});

it('a file that was given up is told to be, and not parsed at each call', async () => {
  const parsed = new ParsedFiles({ threads, stored, cachedFiles: 1, retryMs: Infinity });
  expect(await parsed.read(file, hard, call)).toBe('givenUp');
  const text = vi.fn(easy);
  expect(await parsed.read(file, text, call)).toBe('givenUp');
  expect(text).not.toHaveBeenCalled();
  expect(parsed.knows(file)).toBe(true);
});

it('a file that was given up ahead of questions is told to be', async () => {
  const parsed = new ParsedFiles({ threads, stored, cachedFiles: 1, retryMs: Infinity });
  expect(await parsed.prepare(file, await hard())).toBe('givenUp');
  expect(await parsed.read(file, easy, call)).toBe('givenUp');
});

it('a file that was given up is tried again after a while', async () => {
  const parsed = new ParsedFiles({ threads, stored, cachedFiles: 1, retryMs: 0 });
  expect(await parsed.read(file, hard, call)).toBe('givenUp');
  expect(parsed.knows(file)).toBe(false);
  const symbols = await parsed.read(file, easy, call);
  expect(symbols !== 'givenUp' && symbols?.has('greet')).toBe(true);
});
