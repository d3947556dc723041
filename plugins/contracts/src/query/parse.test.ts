import { describe, expect, test } from 'vitest';
import { leavesOf } from './algebra.ts';
import { parseQuery } from './parse.ts';
import { printQuery } from './print.ts';
import type { Query } from './query.ts';

const literal = (text: string, isCaseSensitive = false): Query => ({ kind: 'literal', text, isCaseSensitive });
const regex = (pattern: string, isCaseSensitive = false): Query => ({ kind: 'regex', pattern, isCaseSensitive });
const and = (...children: Query[]): Query => ({ kind: 'and', children });
const or = (...children: Query[]): Query => ({ kind: 'or', children });
const not = (child: Query): Query => ({ kind: 'not', child });

describe('terms', () => {
  test.each<[string, Query]>([
    ['parse config', and(literal('parse'), literal('config'))],
    ['parse AND config', and(literal('parse'), literal('config'))],
    ['a OR b c', or(literal('a'), and(literal('b'), literal('c')))],
    ['a and b', and(literal('a'), literal('and'), literal('b'))],
    ['a NOT b', and(literal('a'), not(literal('b')))],
    ['a -b', and(literal('a'), not(literal('b')))],
    ['a -(b OR c)', and(literal('a'), not(or(literal('b'), literal('c'))))],
    ['"exact  phrase"', literal('exact  phrase')],
    [String.raw`"say \"hi\" \n"`, literal(String.raw`say "hi" \n`)],
    ['/a b+/ c', and(regex('a b+'), literal('c'))],
    [String.raw`/a\/b\\/`, regex(String.raw`a/b\\`)],
    ['/usr/bin', literal('/usr/bin')],
    ['main()', literal('main()')],
    ['(main() OR f(x))', or(literal('main()'), literal('f(x)'))],
    ['a - b', and(literal('a'), literal('-'), literal('b'))],
    ['case:yes Foo', literal('Foo', true)],
    ['Foo case:yes', literal('Foo', true)],
    ['a (B case:yes) C', and(literal('a'), literal('B', true), literal('C'))],
    ['case:yes A (case:no b)', and(literal('A', true), literal('b'))],
    ['patterntype:regexp f.o "a.b"', and(regex('f.o'), literal('a.b'))],
    ['std::vector http://x.y/z', and(literal('std::vector'), literal('http://x.y/z'))],
    ['NOT NOT a', literal('a')],
    ['foo(a, b)', and(literal('foo(a,'), literal('b)'))],
    ['() => {', and(literal('()'), literal('=>'), literal('{'))],
    ['fun(*args, **kwargs)', and(literal('fun(*args,'), literal('**kwargs)'))],
    ['print("a, b") if (x)', and(literal('print("a,'), literal('b")'), literal('if'), literal('(x)'))],
    ['f(a, -b) -c', and(literal('f(a,'), literal('-b)'), not(literal('c')))],
    [
      'f(a, "b c") -file:test',
      and(literal('f(a,'), literal('b c'), literal(')'), not({ kind: 'file', pattern: 'test' })),
    ],
    ['a -> b', and(literal('a'), literal('->'), literal('b'))],
    ['->next x -= -- why', and(...['->next', 'x', '-=', '--', 'why'].map((text) => literal(text)))],
    ['a --b ---c', and(literal('a'), literal('b'), not(literal('c')))],
    ['{- a -} --- -/b/', and(...['{-', 'a', '-}', '---'].map((text) => literal(text)), not(regex('b')))],
    ['(a f( OR b)', or(and(literal('a'), literal('f(')), literal('b'))],
  ])('%s', (text, expected) => {
    expect(parseQuery(text).query).toEqual(expected);
  });
});

describe('filters', () => {
  test.each<[string, Query]>([
    [
      String.raw`repo:^acme/ file:(a|b)\.ts$`,
      and({ kind: 'repo', pattern: '^acme/' }, { kind: 'file', pattern: String.raw`(a|b)\.ts$` }),
    ],
    ['-file:test x', and(not({ kind: 'file', pattern: 'test' }), literal('x'))],
    [
      'repo:shop@v1:main x',
      and({ kind: 'repo', pattern: 'shop' }, { kind: 'rev', revisions: ['v1', 'main'] }, literal('x')),
    ],
    ['rev:v1:v2', { kind: 'rev', revisions: ['v1', 'v2'] }],
    [String.raw`repo:has.path(go\.mod)`, { kind: 'repo-has-path', pattern: String.raw`go\.mod` }],
    ['f:"a b"', { kind: 'file', pattern: 'a b' }],
    [String.raw`file:a\ b`, { kind: 'file', pattern: String.raw`a\ b` }],
    ['Lang:TypeScript', { kind: 'lang', name: 'typescript' }],
    ['repo:has.topic(Web-Shop)', { kind: 'repo-has-topic', name: 'web-shop' }],
    ['visibility:Private', { kind: 'visibility', value: 'private' }],
    [
      'stars:10..20 -pushed:>2026-01-31',
      and(
        { kind: 'stars', bound: 'least', value: 10 },
        { kind: 'stars', bound: 'below', value: 21 },
        not({ kind: 'pushed', bound: 'least', value: '2026-02-01T00:00:00.000Z' }),
      ),
    ],
    ['stars:<=9', { kind: 'stars', bound: 'below', value: 10 }],
    ['pushed:*..2026-01-31T12:00:00Z', { kind: 'pushed', bound: 'below', value: '2026-01-31T12:00:01.000Z' }],
    ['fork:only archived:yes', and({ kind: 'fork', value: 'only' }, { kind: 'archived', value: 'yes' })],
    [
      '(repo:a x) OR (repo:b y)',
      or(and({ kind: 'repo', pattern: 'a' }, literal('x')), and({ kind: 'repo', pattern: 'b' }, literal('y'))),
    ],
  ])('%s', (text, expected) => {
    expect(parseQuery(text).query).toEqual(expected);
  });

  test.each([
    ['stars:many', 'stars: takes a number or a range, such as >=10, <10 or 10..100; not "many".'],
    ['stars:1..2..3', 'stars: takes a number or a range'],
    ['stars:*..*', 'stars: takes a number or a range'],
    [
      'pushed:>',
      'pushed: takes a day or a range, such as 2026-01-31, >2026-01-31, <1.year.ago or 2025-01-01..2025-12-31; not ">".',
    ],
    ['pushed:2026-02-31', 'pushed: takes a day or a range'],
    ['pushed:yesterday', 'pushed: takes a day or a range'],
    ['pushed:"november 1 2019"', 'pushed: takes a day or a range'],
  ])('%s is refused', (text, problem) => {
    expect(() => parseQuery(`${text} x`)).toThrow(problem);
  });

  test('count:, type: and select: are options of the whole query', () => {
    expect(parseQuery('x count:all type:file type:path select:repo').options).toEqual({
      count: 'all',
      types: ['file', 'path'],
      select: 'repo',
    });
    expect(parseQuery('(a OR b count:20)').options.count).toBe(20);
    expect(parseQuery('a limit:20').options.count).toBe(20);
    expect(parseQuery('a limit:max').options.count).toBeUndefined();
  });

  test('author:, message:, line:, dates and diff: are filters where commits or diffs are asked for, and text elsewhere', () => {
    expect(parseQuery('type:diff author:ada since:"2 weeks ago" -m:wip line:x diff:added f(').query).toEqual(
      and(
        { kind: 'author', pattern: 'ada' },
        { kind: 'after', date: '2 weeks ago' },
        not({ kind: 'message', pattern: 'wip' }),
        { kind: 'line', pattern: 'x' },
        { kind: 'diff', side: 'added' },
        literal('f('),
      ),
    );
    expect(parseQuery('message:string').query).toEqual(literal('message:string'));
    expect(parseQuery('type:file author:ada').query).toEqual(literal('author:ada'));
    expect(() => parseQuery('type:diff diff:both x')).toThrow('diff: takes added, removed; not "both".');
  });

  test('a word that looks like a filter is searched as text, with a remark', () => {
    const { query, notes } = parseQuery('repos:shop foo:bar');
    expect(query).toEqual(and(literal('repos:shop'), literal('foo:bar')));
    expect(notes).toEqual(['"repos:" is no filter and was searched as text; did you mean "repo:"?']);
  });

  test.each([
    ['langauge:go', 'language'],
    ['languge:go', 'language'],
    ['reop:shop', 'repo'],
    ['Flie:cart', 'file'],
    ['tpye:path', 'type'],
    ['revison:main', 'revision'],
  ])('%s, a misspelt filter, is searched as text, with a remark', (word, meant) => {
    const { query, notes } = parseQuery(`cart ${word}`);
    expect(query).toEqual(and(literal('cart'), literal(word)));
    expect(notes).toEqual([
      `"${word.split(':')[0]?.toLowerCase()}:" is no filter and was searched as text; did you mean "${meant}:"?`,
    ]);
  });

  test.each(['1', '0.5', 'l', 'rf'])('-%s excludes, with a remark on how to search for it', (word) => {
    const { query, notes } = parseQuery(`cart -${word}`);
    expect(query).toEqual(and(literal('cart'), not(literal(word))));
    expect(notes).toEqual([`-${word} left out what has "${word}"; quote it to search for it: "-${word}".`]);
  });

  test.each(['-test', '-"1"', 'NOT 1', '-file:1'])('%s excludes without a remark', (word) => {
    expect(parseQuery(`cart ${word}`).notes).toEqual([]);
  });

  test.each(['base:1', 'line:2', 'tile:3', 'rope:4', 'from:5', 'role:6', 'page:7'])(
    '%s is no misspelt filter',
    (word) => {
      expect(parseQuery(`cart ${word}`).notes).toEqual([]);
    },
  );

  test('a text that is written as a filter is searched with its prefix, with a remark', () => {
    const { query, notes } = parseQuery('content:"parse"');
    expect(query).toEqual(literal('content:"parse"'));
    expect(notes).toEqual(['"content:" is no filter and was searched as text; write the text alone.']);
  });

  test.each(['path:', 'Type:', 'repo:', 'l:'])('%s with nothing right behind it is text, with a remark', (word) => {
    const { query, notes } = parseQuery(`found ${word} "a -> b"`);
    expect(query).toEqual(and(literal('found'), literal(word), literal('a -> b')));
    expect(notes).toEqual([
      `"${word}" was searched as text; the value of a filter stands right behind the colon, without a space.`,
    ]);
  });

  test('author: with nothing right behind it is text where commits are asked for, too', () => {
    const { query, notes } = parseQuery('type:commit (author:) ada');
    expect(query).toEqual(and(literal('author:'), literal('ada')));
    expect(notes).toHaveLength(1);
  });

  test.each([
    ['ext:ts', String.raw`write file:\.ts$ for how paths end.`],
    ['extension:.d', String.raw`write file:\.d$ for how paths end.`],
    ['symbol:newRouter', 'write type:symbol newRouter for where it is defined.'],
    ['org:acme', 'did you mean "repo:"?'],
  ])('%s, a filter elsewhere, is text, with a remark on what to write', (word, advice) => {
    const { query, notes } = parseQuery(word);
    expect(query).toEqual(literal(word));
    expect(notes).toEqual([`"${word.split(':')[0]}:" is no filter and was searched as text; ${advice}`]);
  });

  test('contents in a filter of paths are an expression all the same, with a remark', () => {
    const { query, notes } = parseQuery('file:has.content(cart)');
    expect(query).toEqual({ kind: 'file', pattern: 'has.content(cart)' });
    expect(notes).toEqual(['file:has.content(cart) was taken as an expression on paths; write the text alone.']);
  });

  test.each(['context:global', 'timeout:20s', 'index:only', 'in:file'])(
    '%s, which others know, is text, with a remark',
    (word) => {
      const { query, notes } = parseQuery(`cart ${word}`);
      expect(query).toEqual(and(literal('cart'), literal(word)));
      expect(notes).toEqual([`"${word}" is no filter and was searched as text; leave it out.`]);
    },
  );

  test.each(['context:root', 'timeout:never', 'index:3'])('%s is code, without a remark', (word) => {
    expect(parseQuery(`cart ${word}`).notes).toEqual([]);
  });

  test.each(['author:ada', 'since:2024-01-31'])('%s is text without type:commit, and the caller is told', (word) => {
    expect(parseQuery(`cart ${word}`).notes).toEqual([
      `"${word.split(':')[0]}:" was searched as text; with type:commit or type:diff it says which commits.`,
    ]);
    expect(parseQuery(`cart ${word} type:commit`).notes).toEqual([]);
  });

  test.each(['after:', 'before:foo', 'line:3', 'std::author'])('%s may be code, and nobody is told', (word) => {
    expect(parseQuery(`cart ${word}`).notes).toEqual([]);
  });
});

describe('a glob where an expression is expected', () => {
  test.each([
    ['file:*.c', String.raw`file:\.c$`],
    ['file:**/*.go', String.raw`file:\.go$`],
    ['file:src/**', 'file:src/.*$'],
    ['file:src/**/*.{ts,tsx}', String.raw`file:src/(.*/)?[^/]*\.(ts|tsx)$`],
    ['file:*', 'file:.'],
    ['-file:*_test.go', String.raw`file:_test\.go$`],
    ['repo:*shop@v1', 'repo:shop$'],
  ])('%s is taken as the glob, and the answer says the expression: %s', (text, expression) => {
    const { query, notes } = parseQuery(`a ${text}`);
    expect(notes).toEqual([expect.stringMatching(/ was taken as a glob, that is /)]);
    expect(notes[0]).toContain(` that is ${expression}`);
    expect(leavesOf(query).map(({ leaf }) => leaf)).toContainEqual(
      expect.objectContaining({ pattern: expression.slice(expression.indexOf(':') + 1) }),
    );
  });

  test('one that is an expression too is taken as one, with a remark', () => {
    const { query, notes } = parseQuery('file:src/*.ts -file:src/*.ts');
    expect(query).toEqual(and({ kind: 'file', pattern: 'src/*.ts' }, not({ kind: 'file', pattern: 'src/*.ts' })));
    expect(notes).toEqual([
      String.raw`file:src/*.ts was taken as a regular expression; if you meant the glob, write file:src/[^/]*\.ts$`,
    ]);
  });

  test.each([String.raw`file:\.c$`, 'file:src/.*/x', 'file:[**]', 'file:a*b', 'file:(foo|bar).*ts', 'file:README*'])(
    '%s is an expression',
    (text) => {
      expect(parseQuery(text).notes).toEqual([]);
    },
  );
});

describe('a query that does not parse is an error that points at the place', () => {
  test.each([
    ['', 0, 'it is empty. Give words to search for, such as "parse config" or repo:shop parseConfig.'],
    ['   ', 3, 'it is empty. Give words to search for, such as "parse config" or repo:shop parseConfig.'],
    ['a (b c', 2, 'this "(" is not closed. Close it, or quote text that contains it: "f(".'],
    ['a b)', 3, 'this ")" closes nothing. Quote text that contains it: "f(a, b)".'],
    ['a) (b', 1, 'this ")" closes nothing. Quote text that contains it: "f(a, b)".'],
    ['foo(a, b) OR c', 8, 'this ")" closes nothing. Quote text that contains it: "f(a, b)".'],
    ['a "b', 2, 'this quote is not closed. Close it, or write \\" inside quotes to search for a quote.'],
    ['a OR', 2, 'OR must stand between two terms. Quote it to search for the word itself: "OR".'],
    ['OR a', 0, 'OR must stand between two terms. Quote it to search for the word itself: "OR".'],
    ['a AND', 2, 'AND must stand between two terms. Quote it to search for the word itself: "AND".'],
    ['a AND OR b', 2, 'AND must stand between two terms. Quote it to search for the word itself: "AND".'],
    ['a NOT', 2, 'something to exclude must follow. Quote it to search for the word itself: "NOT", "-".'],
    ['()', 1, 'this group is empty. Quote text that contains parentheses: "()".'],
    ['repo:a ( )', 9, 'this group is empty. Quote text that contains parentheses: "()".'],
    ['a OR ()', 6, 'this group is empty. Quote text that contains parentheses: "()".'],
    ['a ""', 2, 'there is nothing between the quotes.'],
    ['count:0 a', 0, 'count: takes a number from 1 to 1000000 or all, not "0".'],
    ['a type:foo', 2, 'type: takes file, path, repo, symbol, commit, diff; not "foo".'],
    ['a case:maybe', 2, 'case: takes yes, no; not "maybe".'],
    ['file:"" a', 0, 'file: needs a value. Quote text that contains it: "file:".'],
    ['repo:"" a', 0, 'repo: takes a regular expression on repository names, such as repo:^acme/.'],
    [
      'repo:has.file(x)',
      0,
      '"repo:has.file(x)" is not known; there are repo:has.path(regular expression) and repo:has.topic(name).',
    ],
    ['rev:a::b', 0, 'rev: takes revisions separated by ":", such as rev:main:v1.2.'],
    ['a -rev:b', 3, 'a revision cannot be excluded; name the revisions to search with rev:.'],
    ['a -count:5', 2, 'count: cannot be excluded; it holds for the whole query.'],
    ['('.repeat(101) + 'a' + ')'.repeat(101), 100, 'groups are nested more than 100 deep.'],
    [`${'NOT '.repeat(200)}a`, 400, 'groups are nested more than 100 deep.'],
    ['a '.repeat(1001), 2000, 'it has more than 1000 terms.'],
    ['a'.repeat(100_000), 8192, 'it is longer than 8192 characters.'],
  ])('%.20s', (text, position, problem) => {
    expect(() => parseQuery(text)).toThrow(`the query does not parse at character ${position + 1}: ${problem}\n`);
  });

  test('the mark stands below the place, in a part of the query that fits a line', () => {
    expect(() => parseQuery(`${'x'.repeat(100)} a) ${'y'.repeat(100)}`)).toThrow(
      `\n…${'x'.repeat(38)} a) ${'y'.repeat(38)}…\n${' '.repeat(41)}^`,
    );
  });
});

test('what is printed is a query again', () => {
  expect(printQuery(parseQuery('a (B case:yes OR /c\\/d/) -file:"x y" repo:r@v count:5'))).toBe(
    '"a" ((case:yes "B") OR (case:yes /c\\/d/)) -file:"x y" repo:r rev:v count:5',
  );
});
