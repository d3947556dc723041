import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import { config } from '../config.ts';
import { mistakesIn } from './check-config.ts';

const check = (configFolder: string, repositories: readonly object[]): ReturnType<typeof mistakesIn> =>
  mistakesIn(config.parse({ repositories }), {
    configFolder,
    permissions: [],
    contributionsTo: () => [],
    mayRead: true,
  });

it('names folders without a repository, URLs without a login, and names that are given twice', async () => {
  using folder = temporaryFolder();
  for (const name of ['shop', 'other/shop'])
    new RepositoryBuilder({ folder: join(folder.path, name) }).commit({ files: { a: 'a' } });
  mkdirSync(join(folder.path, 'empty'));
  const url = 'https://ann:secret@example.com/shop.git';
  const repositories = [
    { path: 'shop' },
    { path: 'other' },
    { path: 'nowhere' },
    { path: 'empty' },
    { url, name: 'shop' },
    { url: 'git@example.com:acme/till.git' },
    { url: 'https://example.com/a.git', credentialHelper: join(folder.path, 'no-helper') },
    { url: 'https://example.com/b.git', credentialHelper: 'nobody-has-it' },
  ];
  expect(await check(folder.path, repositories)).toEqual([
    { path: ['repositories', 5, 'url'], text: expect.stringContaining('needs the setting "ssh"') },
    {
      path: ['repositories', 6, 'credentialHelper'],
      text: `there is no program ${join(folder.path, 'no-helper')} that the server may run`,
    },
    {
      path: ['repositories', 7, 'credentialHelper'],
      text: expect.stringContaining('there is no program git-credential-nobody-has-it on the PATH'),
    },
    {
      path: ['repositories', 2, 'path'],
      text: `there is no folder ${join(folder.path, 'nowhere')}; make it, or correct the configuration`,
    },
    {
      path: ['repositories', 3, 'path'],
      text: `there is no git repository in ${join(folder.path, 'empty')} or below it`,
    },
    {
      path: ['repositories', 4, 'name'],
      text: `two repositories are named "shop": ${join(folder.path, 'shop')} and https://example.com/shop.git; give one of them another name`,
    },
  ]);
  expect(await check(folder.path, repositories.slice(0, 2))).toEqual([]);
});
