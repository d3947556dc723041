import { describe, expect, test } from 'vitest';
import { identifierParts, identifiersIn, pathMentions, phrasesIn, stem } from '@sextant/library-ranking';
import { withoutNoise } from './noise.ts';
import { readTask } from './read-task.ts';

describe('words', () => {
  test.each([
    ['parseHTTPConfig_v2', ['parse', 'http', 'config', 'v2']],
    ['kebab-case.name', ['kebab', 'case', 'name']],
    ['支払いの再試行', ['支払い', '再', '試行']],
  ])('the parts of %s are %j', (identifier, parts) => expect(identifierParts(identifier)).toEqual(parts));

  test('forms of a word have one stem; short words stay', () => {
    expect(new Set(['retry', 'retries', 'retried'].map(stem)).size).toBe(1);
    expect(new Set(['store', 'stored', 'storing'].map(stem)).size).toBe(1);
    expect(stem('logs')).toBe('log');
    expect(stem('is')).toBe('is');
  });

  test('those of the first line weigh most, and those of names more; words that name no place are left out', () => {
    const { words } = readTask('Fix the retries of `sendRequest`\n\nThe delay grows.');
    const weightOf = Object.fromEntries(words.map(({ text, weight }) => [text, weight]));
    expect(Object.keys(weightOf)).toEqual(['send', 'request', 'retries', 'fix', 'delay', 'grows']);
    expect(weightOf['request']).toBeGreaterThan(weightOf['retries'] ?? 0);
    expect(weightOf['retries']).toBeGreaterThan(weightOf['delay'] ?? 0);
  });

  test('are at most so many, however long the task', () => {
    const task = Array.from({ length: 20_000 }, (_, index) => `word${index}`).join(' ');
    expect(readTask(task).words.length).toBeLessThan(50);
  });
});

test('trailers, addresses, numbers of issues and hashes say nothing', () => {
  const message =
    'Retry (#123)\n\nOf https://example.com/x GH-7 and 0123456789abcdef0123.\n\nFixes #9\nSigned-off-by: A <a@example.com>\nCo-authored-by: B <b@example.com>';
  expect(withoutNoise(message).match(/[\w-]+/g)).toEqual(['Retry', 'Of', 'and']);
});

describe('mentions', () => {
  test.each([
    ['see src/a/b.ts:12 and lib.rs', [{ path: 'src/a/b.ts', line: 12 }, { path: 'lib.rs' }]],
    ['  File "/app/pkg/views.py", line 33, in get', [{ path: 'app/pkg/views.py', line: 33 }]],
    ['at com.acme.Cart.add(Cart.java:7)', [{ path: 'Cart.java', line: 7 }]],
    ['panic in C:\\work\\x\\main.go', [{ path: 'work/x/main.go' }]],
    ['https://h.example/acme/shop/blob/main/src/x.c#L9', [{ path: 'h.example/acme/shop/blob/main/src/x.c', line: 9 }]],
    ['e.g. nothing. Really', []],
  ])('paths in %s', (text, expected) => expect(pathMentions(text)).toEqual(expected));

  test('identifiers are what stands in code spans, is joined, or is called', () => {
    expect(
      identifiersIn('`retry` calls sendRequest, max_delay and open() of HTTPClient; not Hello or e.g. this'),
    ).toEqual(['retry', 'sendRequest', 'max_delay', 'HTTPClient', 'open']);
  });

  test('pieces are what stands between the values of a message', () => {
    const { pieces } = readTask("In shop: no lease of 'a.b' is left for /tmp/x (see the wiki), try later");
    expect(pieces).toEqual(['no lease of', 'is left for', 'see the wiki']);
  });

  test('phrases are quoted texts and messages of errors', () => {
    expect(phrasesIn('it says "no attempt is left" and\nError: cannot reach the bank (5)')).toEqual([
      'no attempt is left',
      'cannot reach the bank',
    ]);
  });
});

test('what stands before the colon of the first line is its scope', () => {
  const scopes = (task: string): readonly string[] => readTask(task).scopes;
  expect(scopes('fix(parser): loop')).toEqual(['parser']);
  expect(scopes('net/http: loop')).toEqual(['net/http']);
  expect(scopes('feat: loop')).toEqual([]);
  expect(scopes('no scope here')).toEqual([]);
});

test('texts made to be slow to read are read all the same', () => {
  const words = ['a', 'A', '_', 'a.', 'A_', 'aB', 'a@', 'a.a@a.', 'a::', 'a->b', 'd$'];
  const hostile = [...words, '<', 'a/', '`', '"', "'", 'Error ', '<!--', 'x@', 'fixes ', '(', '../'];
  for (const piece of hostile) expect(readTask(piece.repeat(100_000)).words.length).toBeLessThan(50);
});
