import { parseQuery } from '@sextant/contracts';
import type { RepositoryInfo } from '@sextant/contracts';
import { Patterns } from '@sextant/library-block-index';
import { expect, test } from 'vitest';
import { expressionNote, noRepositoryNotes } from './notes.ts';

const noteOf = (query: string): string | undefined => expressionNote(parseQuery(query).query);

test.each(['ngx_http.*v3', String.raw`\bfoo`, '[a-z]oo', 'foo|bar', '^import', 'end$', 'f[ab]?', 'a/.*b'])(
  '%s reads like a regular expression',
  (text) => {
    expect(noteOf(`lang:go ${text} other`)).toMatch('was looked for as it stands; write /');
  },
);

test.each(['i++', 'a[i]', 'a || b', '"f(x)"', 'a.b', '$scope', '-foo.*bar x', '/foo.*bar/', 'char*'])(
  '%s does not, or was not looked for as a text',
  (query) => {
    expect(noteOf(query)).toBeUndefined();
  },
);

test('the expression that is proposed can be searched', () => {
  const [, proposed = ''] = /write (.*) for/.exec(noteOf('a/.*b') ?? '') ?? [];
  expect(parseQuery(proposed).query).toMatchObject({ kind: 'regex', pattern: 'a/.*b' });
});

test('the name of a repository that is another expression is written as one', () => {
  const info = { name: 'acme/c+core' } as RepositoryInfo;
  expect(noRepositoryNotes(parseQuery('repo:acme/c+core x').query, [info], new Patterns())).toEqual([
    String.raw`No repository matches repo:acme/c+core. It is a regular expression; write repo:acme/c\+core for the name. list_repos shows the names you can use.`,
  ]);
});
