import { printQuery } from '@sextant/contracts';
import type { CommitRequest, DiffRequest } from '@sextant/contracts';
import { expect, test } from 'vitest';
import { commitQuery, diffQuery } from './wanted.ts';

const commits: CommitRequest = {
  repositories: ['acme/shop'],
  messages: [],
  authors: [],
  contents: [],
  paths: [],
  revisions: [],
  isRegex: false,
  count: 50,
};
const diffs: DiffRequest = {
  repositories: ['^acme/'],
  pattern: 'a "b"',
  sides: ['added'],
  authors: [],
  revisions: [],
  isRegex: false,
  count: 20,
};

test('a search without filters names its repository', () => {
  expect(printQuery(commitQuery(commits, { window: {}, repositories: ['^acme/shop$'] }))).toBe(
    'type:commit repo:^acme/shop$ count:50',
  );
});

test('kinds stand side by side, values of a kind are joined with OR, dates are absolute', () => {
  const request = {
    ...commits,
    messages: ['fix it', 'cart'],
    authors: ['ada'],
    contents: ['f('],
    revisions: ['v1', '^v0'],
  };
  expect(
    printQuery(
      commitQuery(
        { ...request, paths: ['*.ts'] },
        { window: { after: 0, before: 86_400 }, repositories: ['^acme/shop$'] },
      ),
    ),
  ).toBe(
    'type:commit repo:^acme/shop$ rev:v1:^v0 author:ada after:1970-01-01T00:00:00Z before:1970-01-02T00:00:00Z ' +
      String.raw`(message:"fix it" OR message:cart) file:"(?-i:^(?:\\*\\.ts(?:/|$)|(?s:.*)\\.ts$))" line:"f\\(" count:50`,
  );
});

test('sides and expressions of a diff search', () => {
  const asked = { window: {}, repositories: ['^acme/'] };
  expect(printQuery(diffQuery(diffs, asked))).toBe(String.raw`type:diff repo:^acme/ diff:added "a \"b\"" count:20`);
  expect(printQuery(diffQuery({ ...diffs, isRegex: true, pattern: 'a/b', sides: ['added', 'removed'] }, asked))).toBe(
    String.raw`type:diff repo:^acme/ /a\/b/ count:20`,
  );
});
