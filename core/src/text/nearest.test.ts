import { expect, test } from 'vitest';
import { didYouMean, nearest } from './nearest.ts';

const names = [
  'git.example.com/acme/shop',
  'git.example.com/acme/shop-admin',
  'main',
  'release-2.1',
  '13.0.0',
  '0.3.0',
  '1.0',
];

test.each([
  ['mian', 'main'],
  ['MAIN', 'main'],
  ['shop', 'git.example.com/acme/shop'],
  ['acme/Shop-admin', 'git.example.com/acme/shop-admin'],
  ['^git\\.example\\.com/acme/shop$', 'git.example.com/acme/shop'],
  ['^github\\.com/other/shop-admin$', 'git.example.com/acme/shop-admin'],
  ['origin/main', 'main'],
  ['acme/', 'git.example.com/acme/shop'],
  ['elsewhere/nothing', undefined],
  ['13.0', '13.0.0'],
  ['2.1', 'release-2.1'],
  ['relaese-2.1', 'release-2.1'],
  ['s', undefined],
  ['somewhere else', undefined],
])('%s meant %s', (name, meant) => expect(nearest(name, names)).toBe(meant));

test.each([
  ['5.0.0', 'v5.0.0'],
  ['v4.0', '4.0.0'],
  ['5.0.0-beta', '5.0.0-beta.2'],
])('%s meant the version %s, with or without a v', (name, meant) =>
  expect(nearest(name, ['5.0.0-beta.2', 'v5.0.0', '4.x', '4.0.0'])).toBe(meant),
);

test('it is asked behind a sentence, or nothing is', () => {
  expect(didYouMean('mian', names)).toBe(' Did you mean "main"?');
  expect(didYouMean('mian', [])).toBe('');
});
