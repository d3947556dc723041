import { appendFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, it, onTestFinished } from 'vitest';
import { NameRuns, nameRoles } from './name-runs.ts';
import type { NamePlace } from './name-runs.ts';

const entries = 5000;
const both = nameRoles.definition | nameRoles.use;
/** Every entry has the first, every hundredth the second, one each of the others. */
const namesOf = (entry: number): Map<number, number> =>
  new Map([
    [7, nameRoles.use],
    ...(entry % 100 === 0 ? [[0xff_ff_ff_ff, both] as const] : []),
    [1000 + entry, nameRoles.definition],
  ]);

function newPath(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return join(folder.path, 'some.names');
}

function write(path: string, count = entries): NameRuns {
  const runs = new NameRuns(path, 'write');
  for (let entry = 0; entry < count; entry += 1) runs.add(namesOf(entry));
  return runs;
}

const placesOf = (runs: NameRuns, hash: number): NamePlace[] => [...runs.find(hash)].flat();

function expectAll(runs: NameRuns): void {
  expect(runs.count).toBe(entries);
  expect(placesOf(runs, 7)).toEqual(Array.from({ length: entries }, (_, entry) => ({ entry, roles: nameRoles.use })));
  expect(placesOf(runs, 0xff_ff_ff_ff)).toEqual(
    Array.from({ length: 50 }, (_, at) => ({ entry: 100 * at, roles: both })),
  );
  for (const entry of [0, 1, 255, 256, 257, 2047, 2048, 4095, 4096, 4999])
    expect(placesOf(runs, 1000 + entry)).toEqual([{ entry, roles: nameRoles.definition }]);
  for (const absent of [0, 8, 999, 1000 + entries, 0xff_ff_ff_fe]) expect(placesOf(runs, absent)).toEqual([]);
}

it('entries are found by their names, while they are added and after a restart', () => {
  const path = newPath();
  const written = write(path);
  expectAll(written);
  written.close();
  const read = new NameRuns(path, 'read');
  expectAll(read);
  read.close();
});

it('what a process did not write before its end is added again from where it stopped', () => {
  const path = newPath();
  write(path).close();
  truncateSync(path, statSync(path).size - 30);
  appendFileSync(path, 'torn and torn');
  const read = new NameRuns(path, 'read');
  expect(read.count).toBe(4096);
  for (let entry = read.count; entry < entries; entry += 1) read.add(namesOf(entry));
  expectAll(read);
  read.close();
});

it('where nothing was written nothing is found', () => {
  const read = new NameRuns(newPath(), 'read');
  expect([read.count, placesOf(read, 7)]).toEqual([0, []]);
  read.close();
});
