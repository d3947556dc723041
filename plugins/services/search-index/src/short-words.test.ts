import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { FoundFile } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from './testing/random.ts';
import { startSearch } from './testing/start-search.ts';
import type { StartedSearch } from './testing/start-search.ts';

const random = new Random(17);
const words = ['for', 'i', 'in', 'range', 'if', 'a', '>', 'b', 'return', 'A', 'bar', 'main'];
const between = [' ', ' ', ' ', '', '(', '_', ', ', '  '];
const rows = ['for i in range(9)', 'for (i in range)', 'fori_inRange', 'if a > b', 'if (a->b)', 'return a', 'x = a b'];

const line = (): string =>
  random.isOneOf(12)
    ? `${random.pick(between)}${random.pick(rows)}`
    : Array.from({ length: random.below(8) }, () => random.pick(words) + random.pick(between)).join('');
const text = (): string => Array.from({ length: 1 + random.below(random.isOneOf(20) ? 300 : 12) }, line).join('\n');
const path = (i: number): string =>
  `${random.pick(['lib/main', 'docs', 'test/range', 'q'])}/${random.pick(['a', 'for', 'unit', 'i', 'k'])}${i}.${random.pick(['go', 'py', 'md', 'c'])}`;

const { signal } = new AbortController();
let folder: TemporaryFolder;
let started: StartedSearch;
beforeAll(async () => {
  folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: `${folder.path}/r.git`, isBare: true });
  builder.commit({ files: Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [path(i), text()])) });
  started = await startSearch({ folder: folder.path, repositories: { r: builder.folder } });
  await started.ready();
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const found = async (query: string): Promise<readonly FoundFile[]> =>
  (
    await started.search.find(
      callerOf('alice'),
      { ...parseQuery(query), mode: 'keyword', limits: { ...defaultSearchLimits, characters: Infinity } },
      signal,
    )
  ).files;

test.each([
  'for i in range',
  'if a > b',
  'return a',
  'a > b',
  'i in',
  'for i in',
  'i range',
  'return a b',
  'bar for i',
  'in range main',
  'if a -bar',
  'a b case:yes',
  'for i in range file:q',
  'x = a b',
  'a i b',
  'i a',
  'k main',
])('the best of %s are the first of all, however few of the others are looked at', async (query) => {
  const [best, all] = [await found(query), await found(`${query} count:all`)];
  expect(best.length).toBe(15);
  expect(all.length).toBeGreaterThan(30);
  expect(best.map((file) => file.path)).toEqual(all.slice(0, 15).map((file) => file.path));
});
