import type { Search } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { differencesFromOthers } from './testing/differences.ts';
import { startSearch } from './testing/start-search.ts';
import type { StartedSearch } from './testing/start-search.ts';

const words = [
  'parse',
  'Config',
  'error',
  'return',
  'größe',
  '日本',
  'x',
  'main',
  '==',
  '"name"',
  "'a\\b'",
  '\t',
  '😀',
];
const folders = ['src', 'docs', 'test/data', 'vendor/in'];
const endings = ['go', 'java', 'py', 'md', 'c', 'txt'];

/** Files of few words, so that they often have them in common; with and without a last line end, CRLF, and none. */
function files(count: number): Record<string, string> {
  let state = 11;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const line = (): string => Array.from({ length: random(7) }, () => words[random(words.length)]).join(' ');
  const text = (i: number): string =>
    Array.from({ length: random(40) * (i % 20 === 0 ? 40 : 1) }, line).join(i % 7 === 0 ? '\r\n' : '\n') +
    (i % 3 === 0 ? '' : '\n');
  const path = (i: number): string => `${folders[random(4)]}/${words[random(4)]}${i}.${endings[random(6)]}`;
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [path(i), text(i)]));
}

async function serve(folder: string): Promise<StartedSearch> {
  const repository = new RepositoryBuilder({ folder: `${folder}/r` });
  repository.commit({ files: files(120) });
  const served = await startSearch({ folder, repositories: { r: `${folder}/r` }, hidden: [] });
  await served.ready();
  return served;
}

test('random texts, expressions, combinations and filters find the files and lines that git grep and JavaScript find', async () => {
  using folder = temporaryFolder();
  await using served = await serve(folder.path);
  const comparison = { repository: `${folder.path}/r`, searches: 60, seed: 5 };
  const { found, differences } = await differencesFromOthers(served.search, comparison);
  expect(differences).toEqual([]);
  expect(found).toBeGreaterThan(300);
});

test('files that an answer has no room for are no difference, those that it does not count are', async () => {
  using folder = temporaryFolder();
  await using served = await serve(folder.path);
  const answering = (uncounted: number): Search => ({
    async find(...asked) {
      const { files: all, ...answer } = await served.search.find(...asked);
      return { ...answer, files: all.slice(0, 3), fileCount: Math.max(0, answer.fileCount - uncounted) };
    },
  });
  const compare = (uncounted: number) =>
    differencesFromOthers(answering(uncounted), { repository: `${folder.path}/r`, searches: 20, seed: 5 });
  expect((await compare(0)).differences).toEqual([]);
  expect((await compare(5)).differences).not.toEqual([]);
});
