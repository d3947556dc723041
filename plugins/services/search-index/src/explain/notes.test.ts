import { parseQuery } from '@sextant/contracts';
import { expect, test } from 'vitest';
import { expressionNote } from './notes.ts';

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
