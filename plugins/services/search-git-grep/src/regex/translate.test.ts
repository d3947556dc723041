import { describe, expect, test } from 'vitest';
import { literalSource } from './classes.ts';
import { translate } from './translate.ts';

const matches = (pattern: string, text: string, isAnyCase = false): boolean =>
  new RegExp(translate(pattern, isAnyCase), 'u').test(text);

describe('RE2 syntax means the same in JavaScript', () => {
  test.each([
    ['^a.c$', 'abc', true],
    ['^a.c$', 'a😀c', true],
    ['a.c', 'a\nc', false],
    ['(?s)a.c', 'a\nc', true],
    ['\\Aab\\z', 'ab', true],
    ['\\Aab\\z', 'abc', false],
    ['^(?:foo|ba[rz])+$', 'foobarbaz', true],
    ['^(?P<name>x)(?<other>y)$', 'xy', true],
    ['^a{2,3}$', 'aaaa', false],
    ['^a{,3}$', 'a{,3}', true],
    ['x{', 'x{', true],
    ['[]a]', ']', true],
    ['[^]a]', ']', false],
    ['[a-]', '-', true],
    ['[[:alpha:]_]+$', '12', false],
    ['[[:^digit:]]', 'x', true],
    ['^[\\S]$', '\t', false],
    ['^\\s$', '\v', false],
    ['^[\\D]$', '5', false],
    ['\\pL', 'é', true],
    ['\\p{Greek}', 'λ', true],
    ['\\P{Greek}', 'λ', false],
    ['(?i)\\P{Lu}', 'a', false],
    ['(?i)[[:^upper:]]', 'a', false],
    ['(?i)\\P{Lu}', '1', true],
    ['(?i)[^\\P{Lu}]', 'a', true],
    ['\\p{^Lu}', 'A', false],
    ['\\x41\\x{1F600}', 'A😀', true],
    ['\\101', 'A', true],
    ['\\Q.*\\E', 'a', false],
    ['\\Q.*\\E', '.*', true],
    ['^\\Qab\\E+$', 'abbb', true],
    ['\\bfoo\\b', 'a foo.', true],
    ['\\Bfoo', 'xfoo', true],
    ['^^*a$', 'a', true],
    ['a/b\\/c', 'a/b/c', true],
    ['\\a\\f', '\u0007\f', true],
  ])('%s of %j: %s', (pattern, text, expected) => expect(matches(pattern, text)).toBe(expected));
});

describe('any case', () => {
  test.each([
    ['foo', 'FOO', true],
    ['[a-c]x', 'BX', true],
    ['[^a]', 'A', false],
    ['straße', 'STRAẞE', true],
    ['straße', 'STRASSE', false],
    ['é', 'É', true],
    ['[à-ü]', 'É', true],
    ['ΣΑΣ', 'σας', true],
    ['\\p{Lu}', 'a', true],
    ['k', '\u212a', false],
    ['s', 'ſ', false],
    ['İ', 'i', false],
    ['(?-i:a)b', 'AB', false],
    ['(?-i:a)b', 'aB', true],
  ])('%s of %j: %s', (pattern, text, expected) => expect(matches(pattern, text, true)).toBe(expected));

  test('is what flags say, to the end of their group', () => {
    expect(matches('^(a(?i)b|c)d$', 'aBd')).toBe(true);
    expect(matches('^(a(?i)b|c)d$', 'Cd')).toBe(true);
    expect(matches('^(a(?i)b|c)d$', 'cD')).toBe(false);
  });
});

test('repetitions take as much as they should, and as little with ? or (?U)', () => {
  const taken = (pattern: string): string | undefined => new RegExp(translate(pattern, false), 'u').exec('aaa')?.[0];
  expect([taken('a+'), taken('a+?'), taken('(?U)a+'), taken('(?U)a+?')]).toEqual(['aaa', 'a', 'a', 'aaa']);
});

describe('what cannot be searched is refused, with the place', () => {
  test.each([
    ['(', /never closed.*character 1\)/],
    ['a)', /closes nothing.*character 2\)/],
    ['[a', /never closed.*character 1\)/],
    ['a**', /cannot be repeated/],
    ['*a', /nothing to repeat/],
    ['a{1001}', /at most to 1000/],
    ['a{3,2}', /backwards/],
    ['[b-a]', /backwards/],
    ['(?=a)', /look-around/],
    ['(?<!a)', /look-around/],
    ['(?>a)', /a group begins with/],
    ['(a)\\1', /back references/],
    ['\\y', /no meaning/],
    ['a\\', /ends with a backslash/],
    ['\\p{Klingon}', /no category or script Klingon/],
    ['[[:nope:]]', /no class/],
    ['\\x{110000}', /no such character/],
    ['a\\nb', /within one line/],
    ['((a{100}){100}){100}', /more than 10000 parts/],
    ['('.repeat(300), /more than 250 deep/],
  ])('%s', (pattern, message) => expect(() => translate(pattern, false)).toThrow(message));
});

test('a literal is nothing but itself', () => {
  const source = literalSource('a.b*[c]\\d$-/😀\n', false);
  expect(new RegExp(`^${source}$`, 'u').test('a.b*[c]\\d$-/😀\n')).toBe(true);
  expect(new RegExp(source, 'u').test('axb*[c]\\d$-/😀\n')).toBe(false);
});
