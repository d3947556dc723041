import { expect, it } from 'vitest';
import type { RepositoryInfo } from '../code/repositories.ts';
import { forRepositories, namesRepositories, noRepositoryNotes } from './of-repositories.ts';
import type { NamesMatching } from './of-repositories.ts';
import { parseQuery } from './parse.ts';

const repository = (name: string, facts: Partial<RepositoryInfo> = {}): RepositoryInfo => ({
  name,
  description: '',
  isPrivate: false,
  isArchived: false,
  isFork: false,
  defaultBranch: 'main',
  ...facts,
});

const visible = [
  repository('a/fork', { isFork: true, topics: [] }),
  repository('a/old', { isArchived: true }),
  repository('a/secret', { isPrivate: true, topics: ['Web-Shop', 'go'] }),
  repository('a/web', { topics: ['web-shop'] }),
];

const matching: NamesMatching = (pattern, names) => new Set(names.filter((name) => name.includes(pattern)));

it.each([
  ['x', ['a/fork', 'a/old', 'a/secret', 'a/web']],
  ['fork:no x', ['a/old', 'a/secret', 'a/web']],
  ['archived:only x', ['a/old']],
  ['visibility:any x', ['a/fork', 'a/old', 'a/secret', 'a/web']],
  ['visibility:private x', ['a/secret']],
  ['visibility:public fork:no archived:no x', ['a/web']],
  // The whole name of a topic, in any case.
  ['repo:has.topic(WEB-SHOP) x', ['a/secret', 'a/web']],
  ['repo:has.topic(web) x', []],
  ['-repo:has.topic(go) x', ['a/fork', 'a/old', 'a/web']],
  ['(repo:has.topic(go) OR repo:old) x', ['a/old', 'a/secret']],
])('%s is asked of the repositories that it is about', (query, expected) => {
  const reduced = forRepositories(parseQuery(query).query, visible, matching);
  expect([...reduced.keys()]).toEqual(expected);
});

it.each([
  ['x', false],
  ['repo:a/web x', true],
  ['-repo:a/web x', false],
  ['fork:no x', false],
  // All that there are.
  ['repo:a x', false],
])('whether %s names its repositories: %s', (query, expected) => {
  const parsed = parseQuery(query).query;
  const { size } = forRepositories(parsed, visible, matching);
  expect(namesRepositories(parsed, size, visible.length)).toBe(expected);
});

it('a search of more than ten repositories names none, and of the only one that one', () => {
  const { query } = parseQuery('repo:a/web x');
  expect([10, 11].map((left) => namesRepositories(query, left, 100))).toEqual([true, false]);
  expect(namesRepositories(query, 1, 1)).toBe(true);
});

it('the name of a repository that is another expression is written as one', () => {
  const visible = [repository('acme/c+core')];
  expect(noRepositoryNotes(parseQuery('repo:acme/c+core x').query, visible, () => new Set())).toEqual([
    String.raw`No repository matches repo:acme/c+core. It is a regular expression; write repo:acme/c\+core for the name. list_repos shows the names you can use.`,
  ]);
});
