import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSearch } from './testing/start-search.ts';
import type { StartedSearch } from './testing/start-search.ts';

const words = Array.from({ length: 16 }, (_, i) => `word${String.fromCharCode(97 + i)}`);
/** Nearly all paths have other words than the others, and the texts have most of the rest. */
const files: Record<string, string> = Object.fromEntries(
  Array.from({ length: 300 }, (_, i) => {
    const bits = Math.imul(i + 1, 40_503) & 0xffff;
    const inPath = words.filter((_, n) => (bits >> n) & 1);
    const inText = words.filter((_, n) => i % 3 === 0 || n !== i % words.length);
    return [`src/${i}-${inPath.join('-')}.txt`, i % 50 === 0 ? '\0' : `${inText.join('\n')}\n`];
  }),
);

const { signal } = new AbortController();
let folder: TemporaryFolder;
let started: StartedSearch;
beforeAll(async () => {
  folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: `${folder.path}/r.git`, isBare: true });
  builder.commit({ files });
  started = await startSearch({ folder: folder.path, repositories: { r: builder.folder } });
  await started.ready();
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const find = async (query: string): Promise<SearchResult> =>
  started.search.find(
    callerOf('alice'),
    { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits },
    signal,
  );
const paths = async (query: string): Promise<string[]> =>
  (await find(`${query} count:all`)).files.map(({ path }) => path).sort();
const expected = (isWanted: (path: string, text: string) => boolean): string[] =>
  Object.entries(files)
    .filter(([path, text]) => isWanted(path, text === '\0' ? '' : text))
    .map(([path]) => path)
    .sort();

test('of many words some may stand in the path and the others in the text, however many ways there are', async () => {
  const has = (word: string) => (path: string, text: string) => path.includes(word) || text.includes(word);
  const all = (path: string, text: string): boolean => words.every((word) => has(word)(path, text));
  expect(expected(all).length).toBeGreaterThan(100);
  expect(await paths(words.join(' '))).toEqual(expected(all));
  expect(await paths(`(${words.join(' ')}) OR "${words[3]}.txt"`)).toEqual(
    expected((path, text) => all(path, text) || path.endsWith(`${words[3]}.txt`)),
  );
  expect(await paths(`${words.slice(1).join(' ')} -${words[0]}`)).toEqual(
    expected((path, text) => words.every((word, n) => has(word)(path, text) === n > 0)),
  );
  expect(await paths(`type:path ${words.slice(0, 3).join(' ')}`)).toEqual(
    expected((path) => words.slice(0, 3).every((word) => path.includes(word))),
  );
});

test('a file that has them all shows its lines', async () => {
  const { files: found, matchCount } = await find(words.join(' '));
  expect(found[0]?.chunks[0]?.lines).toContain(words[0]);
  expect(matchCount).toBeGreaterThan(15);
});

test('more texts than can be searched at once are refused before anything is searched', async () => {
  const many = Array.from({ length: 257 }, (_, i) => `w${i}`).join(' ');
  await expect(find(many)).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('more than 256 different texts'),
  });
});
