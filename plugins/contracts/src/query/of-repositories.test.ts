import { expect, it } from 'vitest';
import type { RepositoryInfo } from '../code/repositories.ts';
import { forRepositories, namesRepositories, withHostFacts } from './of-repositories.ts';
import type { NamesMatching } from './of-repositories.ts';
import { repositoryNotes } from './repository-notes.ts';
import { parseQuery } from './parse.ts';
import { isOfNames, repositoriesNamed } from './query.ts';

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

const hosted = [
  repository('a/new', { stars: 3, pushed: '2020-03-01T12:00:00.000Z' }),
  repository('a/old', { stars: 40, pushed: '2018-12-31T23:59:59.000Z' }),
  repository('b/local'),
  repository('b/other', { stars: 10 }),
];

const notesOf = (text: string, visible = hosted): string[] => {
  const { query } = parseQuery(text);
  return repositoryNotes({ query, visible, matching, reduced: forRepositories(query, visible, matching) });
};

it.each([
  ['stars:>10 x', ['a/old']],
  ['stars:>=10 x', ['a/old', 'b/other']],
  ['stars:3..10 x', ['a/new', 'b/other']],
  ['stars:*..10 -stars:3 x', ['b/other']],
  ['pushed:>2018-12-31 x', ['a/new']],
  ['pushed:<=2018-12-31 x', ['a/old']],
  ['pushed:2018-12-31 x', ['a/old']],
  ['pushed:<1.day.ago stars:<1000 x', ['a/new', 'a/old']],
  ['-stars:>=10 x', ['a/new', 'b/local']],
])('%s is asked of the repositories of which code hosts tell it', (query, expected) => {
  expect([...forRepositories(parseQuery(query).query, hosted, matching).keys()]).toEqual(expected);
});

it.each([
  ['stars:>10 x', ['No code host tells the stars of b/local: stars: was taken as false there.']],
  ['-stars:>10 x', ['No code host tells the stars of b/local: stars: was taken as false there.']],
  ['pushed:>2020-01-01 x', ['No code host tells the last push of b/local, b/other: pushed: was taken as false there.']],
  // Only where it decides.
  ['repo:a/ stars:>10 x', []],
  ['(repo:b/ OR stars:>10) x', []],
  ['x', []],
])('%s: what no code host tells is told', (query, expected) => {
  expect(notesOf(query)).toEqual(expected);
});

it('of many repositories a few are named', () => {
  const many = Array.from({ length: 7 }, (_, at) => repository(`c/${at}`));
  expect(notesOf('stars:1 x', [...hosted, ...many])[0]).toContain('of b/local, c/0, c/1 and 5 more: stars:');
});

it('what code hosts tell of no repository is refused by name', () => {
  expect(() => notesOf('pushed:>2020-01-01 x', visible)).toThrow(
    'pushed: cannot be decided: of no repository that you may read a code host tells the last push; leave it out',
  );
  expect(notesOf('stars:>2 x', [])).toEqual(['There is no repository that you may read.']);
});

it('what is the same for all repositories is decided for those who know none of it', () => {
  const decided = (query: string, names: string[]): unknown =>
    withHostFacts(
      parseQuery(query).query,
      hosted.filter(({ name }) => names.includes(name)),
    );
  expect(decided('stars:>=10 x', ['a/old', 'b/other'])).toEqual(parseQuery('x').query);
  expect(decided('(stars:>=10 OR a) x', ['a/new', 'b/local'])).toEqual(parseQuery('a x').query);
  expect(decided('(stars:>=10 OR a) x', ['a/new', 'a/old'])).toEqual(parseQuery('(stars:>=10 OR a) x').query);
});

it.each([
  ['x', false],
  ['repo:a/web x', true],
  ['-repo:a/web x', false],
  ['fork:no x', false],
  // All that there are, by an expression and by their names.
  ['repo:a x', false],
  ['repo:^(a/fork|a/old|a/secret|a/web)$ x', true],
])('whether %s names its repositories: %s', (query, expected) => {
  const parsed = parseQuery(query).query;
  const matching: NamesMatching = (pattern, names) => new Set(names.filter((name) => new RegExp(pattern).test(name)));
  const { size } = forRepositories(parsed, visible, matching);
  expect(namesRepositories(parsed, { left: size, all: visible.length })).toBe(expected);
});

it('a search of more than ten repositories names none, and of the only one that one', () => {
  const { query } = parseQuery('repo:a/web x');
  expect([10, 11].map((left) => namesRepositories(query, { left, all: 100 }))).toEqual([true, false]);
  expect(namesRepositories(query, { left: 1, all: 1 })).toBe(true);
});

it.each([
  [['acme/c+core'], true],
  [['acme/web.site', 'acme/a-b_c', 'größe'], true],
])('%s are names as a pattern', (names, expected) => {
  expect(isOfNames(repositoriesNamed(names).pattern)).toBe(expected);
});

it.each(['acme/web', '^acme/web', '^acme/.*$', '^(a|b.)$', '^$', String.raw`^\w$`, '^[ab]$'])(
  '%s is no name',
  (pattern) => {
    expect(isOfNames(pattern)).toBe(false);
  },
);

it('the name of a repository that is another expression is written as one', () => {
  const visible = [repository('acme/c+core')];
  const { query } = parseQuery('repo:acme/c+core x');
  expect(repositoryNotes({ query, visible, matching: () => new Set(), reduced: new Map() })).toEqual([
    String.raw`No repository matches repo:acme/c+core. It is a regular expression; write repo:acme/c\+core for the name. list_repos shows the names you can use.`,
  ]);
});
