import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { silentLogger } from '@sextant/core';
import { expect, it, onTestFinished } from 'vitest';
import { SymbolStore } from './symbol-store.ts';

const keyOf = (number: number): string => String(number).padStart(16, '0');
const value = (text: string): Buffer => Buffer.from(text);

function folderWith(segments: number): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  for (let number = 0; number < segments; number += 1) {
    const stored = new SymbolStore({ folder: folder.path, maxBytes: 1000, log: silentLogger });
    stored.add(keyOf(number), value(`value ${number}`));
    stored.close();
  }
  return folder.path;
}

function age(folder: string): void {
  for (const file of readdirSync(folder)) utimesSync(join(folder, file), 1000, 1000);
}

it('what several processes wrote is found, and put together once nobody writes to it any more', () => {
  const folder = folderWith(9);
  age(folder);
  const stored = new SymbolStore({ folder, maxBytes: 1000, log: silentLogger });
  expect(readdirSync(folder)).toHaveLength(3);
  for (let number = 0; number < 9; number += 1) expect(stored.get(keyOf(number))).toEqual(value(`value ${number}`));
  expect([stored.has(keyOf(9)), stored.get(keyOf(9))]).toEqual([false, undefined]);
  stored.close();
});

it('what is more than may be kept goes, the oldest first, and is not added', () => {
  const folder = folderWith(3);
  const stored = new SymbolStore({ folder, maxBytes: 20, log: silentLogger });
  expect(stored.count).toBe(2);
  stored.add(keyOf(5), value('more than there is room for'));
  expect(stored.has(keyOf(5))).toBe(false);
  stored.close();
});
