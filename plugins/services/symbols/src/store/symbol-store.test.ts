import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { silentLogger } from '@sextant/core';
import { expect, it, onTestFinished } from 'vitest';
import type { Definition, Reference } from '../parse/file-symbols.ts';
import { pack } from '../parse/packed-symbols.ts';
import { inspectSymbols, SymbolStore } from './symbol-store.ts';
import type { NameRole } from './symbol-store.ts';

const keyOf = (number: number): string => String(number).padStart(16, '0');
const value = (text: string): Buffer => Buffer.from(text);

function newFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return folder.path;
}

const open = (folder: string, maxBytes = 1e9): SymbolStore => new SymbolStore({ folder, maxBytes, log: silentLogger });

function folderWith(processes: number): string {
  const folder = newFolder();
  for (let number = 0; number < processes; number += 1) {
    const stored = open(folder, 1000);
    stored.add(keyOf(number), value(`value ${number}`));
    stored.close();
  }
  return folder;
}

it('what several processes wrote is found, in one file', () => {
  const folder = folderWith(9);
  const stored = open(folder, 1000);
  for (let number = 0; number < 9; number += 1) expect(stored.get(keyOf(number))).toEqual(value(`value ${number}`));
  expect([stored.has(keyOf(9)), stored.get(keyOf(9))]).toEqual([false, undefined]);
  stored.close();
  expect(readdirSync(folder)).toEqual(['symbols.db']);
});

it('what of it is damaged is told, and what could not be read at all', () => {
  const folder = newFolder();
  const problems = (): unknown[] => [...inspectSymbols(folder)].flatMap(({ problem }) => problem?.reason ?? []);
  const stored = open(folder);
  stored.add(keyOf(1), pack({ definitions: [], references: [], imports: [] }));
  stored.close();
  expect(problems()).toEqual([]);
  const again = open(folder);
  again.add(keyOf(2), value('no symbols'));
  again.close();
  expect(problems()).toEqual(['the symbols of 1 files cannot be unpacked']);
  writeFileSync(join(folder, 'symbols.db'), 'no database, whatever its name says. '.repeat(100));
  expect(problems()).toEqual(['file is not a database']);
});

it('two processes that write the same at once are both content', () => {
  const folder = newFolder();
  const [one, other] = [open(folder), open(folder)];
  for (const stored of [one, other]) stored.add(keyOf(1), value('same'));
  for (const stored of [one, other]) {
    stored.close();
    const again = open(folder);
    expect([again.count, again.get(keyOf(1))]).toEqual([1, value('same')]);
    again.close();
  }
});

it('what is more than may be kept goes, the oldest first, and is not added', () => {
  const folder = folderWith(3);
  const stored = open(folder, 20);
  expect(stored.count).toBe(2);
  expect([0, 1, 2].map((number) => stored.has(keyOf(number)))).toEqual([false, true, true]);
  stored.add(keyOf(5), value('more than there is room for'));
  expect(stored.has(keyOf(5))).toBe(false);
  stored.close();
});

it('what an older version left in the folder goes', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'some.values'), 'old');
  open(folder).close();
  expect(readdirSync(folder)).toEqual(['symbols.db']);
});

it('where no file can be, nothing is kept and nothing fails', () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'symbols.db'));
  const stored = open(folder);
  stored.add(keyOf(1), value('value'));
  expect([stored.has(keyOf(1)), [...stored.having('name', 'use')].flat()]).toEqual([false, []]);
  stored.close();
});

const files = 5000;
const place = { line: 1, at: 0, isMember: false };
const defined = (name: string): Definition => ({
  ...place,
  column: 0,
  name,
  kind: 'function',
  startLine: 1,
  endLine: 1,
});
const used = (name: string): Reference => ({ ...place, name, role: 'call' });
/** Every file uses the first, every hundredth defines and uses the second, one each defines the others. */
const symbolsOf = (file: number): Uint8Array =>
  pack({
    definitions: [defined(`own${file}`), ...(file % 100 === 0 ? [defined('Rare')] : [])],
    references: [used('common'), ...(file % 100 === 0 ? [used('Rare')] : [])],
    imports: [{ module: './some/button', kind: 'all', imported: '', local: '' }],
  });

const having = (stored: SymbolStore, name: string, role: NameRole): string[] =>
  [...stored.having(name, role)].flat().toSorted();

function expectAll(stored: SymbolStore): void {
  const all = Array.from({ length: files }, (_, file) => keyOf(file));
  expect(stored.count).toBe(files);
  expect(having(stored, 'common', 'use')).toEqual(all);
  expect(having(stored, 'button', 'use')).toEqual(all);
  for (const role of ['definition', 'use'] as const)
    expect(having(stored, 'Rare', role)).toEqual(Array.from({ length: 50 }, (_, at) => keyOf(100 * at)));
  for (const file of [0, 1, 63, 64, 65, 2047, 2048, 4095, 4096, 4999])
    expect(having(stored, `own${file}`, 'definition')).toEqual([keyOf(file)]);
  for (const absent of ['rare', 'own', `own${files}`]) expect(having(stored, absent, 'definition')).toEqual([]);
  expect(having(stored, 'common', 'definition')).toEqual([]);
}

it('files are found by their names, in steps, while they are added and after a restart', () => {
  const folder = newFolder();
  const written = open(folder);
  for (let file = 0; file < files; file += 1) written.add(keyOf(file), symbolsOf(file));
  expectAll(written);
  for (const step of written.having('common', 'use')) expect(step.length).toBeLessThan(1064);
  written.close();
  const read = open(folder);
  expectAll(read);
  read.close();
});

it('a search that goes on finds each file once, whatever is written or closed meanwhile', () => {
  const warnings: unknown[] = [];
  const log = { ...silentLogger, warn: (fields: unknown) => void warnings.push(fields) };
  const stored = new SymbolStore({ folder: newFolder(), maxBytes: 1e9, log });
  const add = (from: number, to: number): void => {
    for (let file = from; file < to; file += 1) stored.add(keyOf(file), symbolsOf(file));
  };
  add(0, 3000);
  const search = stored.having('common', 'use');
  const found = [...(search.next().value ?? [])];
  add(3000, 3100);
  stored.close();
  found.push(...[...search].flat());
  expect(found.toSorted()).toEqual(Array.from({ length: 3000 }, (_, file) => keyOf(file)));
  expect(warnings).toEqual([]);
});

it('what a process did not write before its end is not known, and added again', () => {
  const folder = newFolder();
  const ended = open(folder);
  for (let file = 0; file < files - 10; file += 1) ended.add(keyOf(file), symbolsOf(file));
  // It has not been closed.
  const next = open(folder);
  expect(next.count).toBeLessThan(files - 10);
  for (let file = 0; file < files; file += 1) if (!next.has(keyOf(file))) next.add(keyOf(file), symbolsOf(file));
  expectAll(next);
  next.close();
  ended.close();
});

it('where nothing was written nothing is found', () => {
  const stored = open(newFolder());
  expect([stored.count, having(stored, 'common', 'use')]).toEqual([0, []]);
  stored.close();
});
