import { join } from 'node:path';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSearch } from './testing/start-search.ts';
import type { StartedSearch } from './testing/start-search.ts';

let folder: TemporaryFolder;
let started: StartedSearch;
beforeAll(async () => {
  folder = temporaryFolder();
  const shop = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  const filler = 'const nothing = 1;\n'.repeat(30);
  const ofShop = `// shop\n${filler}`;
  shop.commit({
    files: {
      'src/retry.ts': `${filler}/** Retries a failed request with growing delays. */\nexport function retryRequest() {}\n${ofShop}`,
      'src/cart.ts': `export class Cart {\n  addItem() {}\n}\n${ofShop}`,
      'src/request.ts': `export function sendRequest() {}\n${ofShop}`,
      'test/retry.test.ts': `test('retries a failed request', () => retryRequest());\n${ofShop}`,
      'docs/retry.md': '# Retrying in the shop\nFailed requests are retried.\n',
      'src/dough.ts': `// dough is sold\n${ofShop}`,
      'cmd/till/main.go': `package main\n\nfunc main() {\n}\n${filler}`,
      '.github/workflows/.gitlab-ci.yml': 'azure-pipelines jenkinsfile .travis. workflow\n',
      'README.md': '# Till and cart\nSells what others bake.\n',
      'docs/till/README.md': '# Till\nHow it counts.\n',
      'src/entries.ts': `// the main entry of a list, and each point of it\n${filler}`,
      'src/logo.bin': '\0',
      'media/gift-ribbons.bin': '\0',
      'src/wrapping.ts': `// ties ribbons around each gift\n${filler}`,
      'src/receipt.ts': `${"import { pipes } from './receipts/tables/pipe';\n".repeat(60)}${filler}// a row\nexport function pipeTable() {}\n`,
    },
  });
  shop.tag({ name: 'v1' });
  shop.commit({ files: { 'src/retry.ts': null } });
  const vault = new RepositoryBuilder({ folder: join(folder.path, 'vault.git'), isBare: true });
  vault.commit({ files: { 'src/retry.ts': 'retry every failed request of the vault\n' } });
  const bakery = new RepositoryBuilder({ folder: join(folder.path, 'bakery.git'), isBare: true });
  bakery.commit({
    files: {
      'ci/build/jenkinsfile': `bake()\n${filler}`,
      'src/mixer.ts': `// is kneaded\n${filler}`,
      'src/oven.ts': `export const kneadDough = 1;\n${filler}`,
      'src/bakery.ts': `// The bakery: this bakery is the bakery of the bakery.\nexport class Bakery {}\n${filler}`,
      'src/request.ts': `export function sendRequest() {}\n${filler}`,
    },
  });
  started = await startSearch({
    folder: folder.path,
    repositories: { shop: shop.folder, vault: vault.folder, 'acme/bakery': bakery.folder },
    hidden: ['vault'],
  });
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const { signal } = new AbortController();
const ask = async (query: string): Promise<SearchResult> =>
  started.search.find(
    callerOf('alice'),
    { ...parseQuery(query), mode: 'natural', limits: defaultSearchLimits },
    signal,
  );
const paths = async (query: string): Promise<string[]> => (await ask(query)).files.map(({ path }) => path);

test('a file of which only the name is known comes behind those that say it', async () => {
  expect((await paths('gift ribbon')).slice(0, 2)).toEqual(['src/wrapping.ts', 'media/gift-ribbons.bin']);
});

test('words need not stand there in the same form, nor all of them; source comes first', async () => {
  expect((await paths('how do we retry failing requests? rev:v1'))[0]).toBe('src/retry.ts');
  expect(await paths('retried zebra')).toContain('test/retry.test.ts');
});

test('the lines that are shown are those where most is said', async () => {
  const { files } = await ask('retry failed requests rev:v1');
  expect(files[0]?.chunks[0]?.lines.join('\n')).toContain('Retries a failed request');
  expect(files[0]?.matches.map(({ line }) => line)).toEqual([31, 32]);
});

test('imports name much and say nothing: what is shown is the place far below', async () => {
  const [file] = (await ask('where are pipe tables parsed repo:shop')).files;
  expect(file?.path).toBe('src/receipt.ts');
  expect(file?.chunks[0]?.lines).toContain('export function pipeTable() {}');
});

test('says how many files have each word', async () => {
  const { words } = await ask('how do we retry a zebra? rev:v1');
  expect(words).toEqual([
    { stem: 'how do we retry a zebra', fileCount: 0 },
    { stem: 'retr', fileCount: 6 },
    { stem: 'zebra', fileCount: 0 },
  ]);
});

test('words that OR joins are not a message', async () => {
  const { words } = await ask('(retry OR zebra OR "oven" OR sold) rev:v1');
  expect(words?.map(({ stem }) => stem)).toEqual(['retr', 'zebra', 'oven', 'sold']);
});

test('a repository that is named comes first, and its name tells none of its files from another', async () => {
  const places = async (query: string): Promise<string[]> =>
    (await ask(query)).files.map(({ repo, path }) => `${repo} ${path}`);
  expect((await places('where does the bakery send a request')).slice(0, 2)).toEqual([
    'acme/bakery src/request.ts',
    'shop src/request.ts',
  ]);
  expect(await places('where does the bakery send a request')).not.toContain('acme/bakery src/bakery.ts');
  expect((await places('bakery'))[0]).toBe('acme/bakery src/bakery.ts');
});

test('a name that stands in all files of its repository says as much as one that stands nowhere', async () => {
  const { files } = await ask('where does the shop knead dough in the oven');
  expect(files.map(({ repo, path }) => `${repo} ${path}`).slice(0, 2)).toEqual([
    'shop src/dough.ts',
    'acme/bakery src/oven.ts',
  ]);
});

test('a question whose every word names a repository is answered', async () => {
  expect((await ask('bakery shop')).files[0]).toMatchObject({ repo: 'acme/bakery', path: 'src/bakery.ts' });
});

test('what defines a word of the question comes before what speaks of it', async () => {
  expect(await paths('knead')).toEqual(['src/oven.ts', 'src/mixer.ts']);
});

test.each([
  'what does the shop do?',
  'what is this project about',
  'overview of the repository',
  'how do I build the shop from source',
])('what a project is, and how it is built, its first README says: %s', async (question) => {
  const { files } = await ask(question);
  expect(files[0]).toMatchObject({ repo: 'shop', path: 'README.md' });
});

test('what is asked of a project that is named as a whole others do not answer, whatever they say', async () => {
  expect((await ask('CI configuration')).files[0]).toMatchObject({ repo: 'shop' });
  const { files } = await ask('CI configuration of the bakery');
  expect(files[0]).toMatchObject({ repo: 'acme/bakery', path: 'ci/build/jenkinsfile' });
});

test('identifiers are split', async () => {
  expect((await paths('add an item to the cart'))[0]).toBe('src/cart.ts');
});

test('what is quoted is found before files with more of its words', async () => {
  expect((await paths('add item cart repo:shop'))[0]).toBe('src/cart.ts');
  expect((await paths('"dough is sold" cart addItem repo:shop'))[0]).toBe('src/dough.ts');
});

test('a message that is pasted without quotes is found by what stands between its values', async () => {
  expect((await paths("cart 'addItem': dough is sold 42 repo:shop"))[0]).toBe('src/dough.ts');
});

test('a message with the name of a filter is a question, too', async () => {
  const { files, notes } = await ask('dough path: "is sold" repo:shop');
  expect(files[0]?.path).toBe('src/dough.ts');
  expect(notes).toHaveLength(1);
});

test('filters hold: file:, repo:, rev:, lang: and what must not be there', async () => {
  expect(await paths('retry file:docs')).toEqual(['docs/retry.md']);
  expect(await paths('retry lang:typescript')).toEqual(['test/retry.test.ts']);
  expect(await paths('retry repo:nothing')).toEqual([]);
  expect(await paths('request -retries file:src repo:shop')).toEqual(['src/request.ts']);
  expect(await paths('class -addItem file:src/cart')).toEqual([]);
});

test('tests are found when they are asked for', async () => {
  expect((await paths('tests of the retry rev:v1'))[0]).toBe('test/retry.test.ts');
});

test('a hidden repository has no part in it, not even in how rare a word is', async () => {
  expect((await ask('retry of the vault')).files.map(({ repo }) => repo)).not.toContain('vault');
});

test('the same question has the same answer', async () => {
  expect(await ask('retry failed requests')).toEqual(await ask('retry failed requests'));
});

test('a query without words is refused', async () => {
  await expect(ask('repo:shop file:src')).rejects.toMatchObject({ code: 'invalid_argument' });
});
