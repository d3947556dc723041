import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { differencesFromOthers } from './testing/differences.ts';
import { startSearch } from './testing/start-search.ts';

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

test('random texts, expressions, combinations and filters find the files and lines that git grep and JavaScript find', async () => {
  using folder = temporaryFolder();
  const repository = new RepositoryBuilder({ folder: `${folder.path}/r` });
  repository.commit({ files: files(120) });
  await using served = await startSearch({ folder: folder.path, repositories: { r: `${folder.path}/r` }, hidden: [] });
  await served.ready();
  const comparison = { repository: `${folder.path}/r`, searches: 60, seed: 5 };
  const { found, differences } = await differencesFromOthers(served.search, comparison);
  expect(differences).toEqual([]);
  expect(found).toBeGreaterThan(300);
}, 120_000);
