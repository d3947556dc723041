import { expect, test } from 'vitest';
import { namedRepositories } from './repository-names.ts';

const names = ['acme/shop', 'acme/docs', 'beta/docs', 'git.example.com/acme/wallet', 'redis', 'tools/c++ kit'];
const known = (task: string): readonly string[] => namedRepositories(task, names).known;

test.each([
  ['In acme/shop: retry', ['acme/shop']],
  ['ACME/Shop: retry', ['acme/shop']],
  ['retry payments of the shop repository', ['acme/shop']],
  ['`shop` retries forever', ['acme/shop']],
  ['redis: keys expire late', ['redis']],
  ['see https://git.example.com/acme/wallet/-/blob/main/src/a.ts#L3', ['git.example.com/acme/wallet']],
  ['clone git@git.example.com:acme/wallet.git and fix it', ['git.example.com/acme/wallet']],
  ['https://github.com/acme/shop/issues/3 is open', ['acme/shop']],
  ['https://github.com/redis/redis.git loses keys', ['redis']],
  ['acme/wallet and acme/shop disagree', ['git.example.com/acme/wallet', 'acme/shop']],
  ['build the c++ kit anew', ['tools/c++ kit']],
  ['In acme/shop: show what redis answers', ['acme/shop']],
])('%s names %j', (task, expected) => expect(known(task)).toEqual(expected));

test.each(['fix the docs', 'the workshop is closed', 'src/shop.ts fails', 'nothing', ''])('%s names none', (task) =>
  expect(known(task)).toEqual([]),
);

test('an end that two repositories have names neither', () => {
  expect(namedRepositories('In the docs repository', names).known).toEqual([]);
});

test.each([
  ['In the repository acme/vault: retry', ['acme/vault']],
  ['the acme/vault repo', ['acme/vault']],
  ['https://git.example.com/acme/vault.git is slow', ['git.example.com/acme/vault']],
  ['this repository is slow', []],
])('what is called a repository and is none is unknown: %s', (task, expected) =>
  expect(namedRepositories(task, names).unknown).toEqual(expected),
);

test('the rest is the task without the names', () => {
  expect(namedRepositories('In acme/shop: retry payments', names).rest).toBe('retry payments');
  expect(namedRepositories('retry payments in the repository acme/shop, please', names).rest).toMatch(
    /^retry payments\s+please$/,
  );
});
