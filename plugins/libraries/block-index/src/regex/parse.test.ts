import { describe, expect, test } from 'vitest';
import { LimitError, QueryError } from '../errors.ts';
import { Arena } from '../kernel/arena.ts';
import { LineMatcher } from '../match/patterns.ts';
import { Workspace } from '../workspace.ts';
import { parseRegex } from './parse.ts';

const workspace = new Workspace(Arena.create(32 << 20));

function matches(regex: string, text: string, foldCase = false): boolean {
  const matcher = new LineMatcher(workspace, regex, { foldCase });
  const result = matcher.test(text);
  matcher.release();
  return result;
}

describe('what cannot be searched is refused with its position and what to do', () => {
  test.each([
    ['a(b', 1, 'this ( is never closed'],
    ['a)b', 1, 'this ) closes nothing'],
    ['a[b', 1, 'the class has no closing ]'],
    ['[z-a]', 1, 'runs backwards'],
    ['[a-\\d]', 1, 'ends with one character'],
    ['[[:alfa:]]', 1, 'there is no class [:alfa:]'],
    ['*a', 0, 'nothing to repeat'],
    ['a**', 1, 'cannot be repeated'],
    ['a{2}{3}', 1, 'cannot be repeated'],
    ['a{3,2}', 1, 'run backwards'],
    ['a{1001}', 1, 'at most to 1000'],
    ['(x?){5000}', 4, 'at most to 1000'],
    ['(a)\\1', 3, 'back references'],
    ['\\k<name>', 0, 'back references'],
    ['a(?=b)', 1, 'look-around'],
    ['a(?!b)', 1, 'look-around'],
    ['(?<=a)b', 0, 'look-around'],
    ['(?<!a)b', 0, 'look-around'],
    ['(?>a)', 0, 'atomic groups'],
    ['(?P=name)', 0, 'not part of RE2'],
    ['\\y', 0, '\\y has no meaning'],
    ['a\\', 1, 'ends with a backslash'],
    ['\\p{Klingon}', 0, 'no category or script Klingon'],
    ['\\x{110000}', 0, 'no character'],
    ['a\\nb', 1, 'within one line'],
    ['\ud800', 0, 'half of a surrogate pair'],
  ])('%s', (pattern, position, message) => {
    const parse = (): unknown => parseRegex(pattern);
    expect(parse).toThrow(QueryError);
    expect(parse).toThrow(message);
    expect(parse).toThrow(expect.objectContaining({ position }));
  });

  test('groups nested too deep', () => {
    expect(() => parseRegex('('.repeat(10_000) + ')'.repeat(10_000))).toThrow(/nested more than 250 deep/);
  });
});

describe('RE2 syntax', () => {
  test.each([
    ['(?P<name>a+)(?<other>b)', 'xaab'],
    ['(?i)ABC', 'xabc'],
    ['a(?i)B', 'ab'],
    ['(?i:A)b', 'ab'],
    ['a{,2}', 'a{,2}'],
    ['a{', 'a{'],
    ['[]a]', ']'],
    ['[^]a]', 'b'],
    ['[a-]', '-'],
    ['[[:^digit:]]', 'x'],
    ['\\Qa.b\\E+', 'a.bbb'],
    ['\\Qa.b', 'a.b'],
    ['\\x41\\x{42}', 'AB'],
    ['\\101', 'A'],
    ['\\pN', '٣'],
    ['\\p{Greek}', 'λ'],
    ['\\p{^Greek}', 'a'],
    ['\\PL', '1'],
    ['(?i)\\P{Lu}', '1'],
    ['(?i)\\p{Lu}', 'a'],
    ['(?U)a+?b', 'aab'],
    ['\\Aab\\z', 'ab'],
    ['a||b', ''],
    ['()', ''],
    ['^$', ''],
    ['\\bfoo\\b', 'a foo!'],
    ['\\Boo', 'foo'],
    ['(?s).', 'a'],
    ['(?-s).', 'a'],
    ['[\\d_]', '_'],
    ['\\ \\-\\_', ' -_'],
  ])('%s matches %s', (pattern, text) => expect(matches(pattern, text)).toBe(true));

  test.each([
    ['a(?i:B)c', 'abC'],
    ['(?i)a(?-i)B', 'ab'],
    ['^a$', 'ab'],
    ['\\bfoo\\b', 'foods'],
    ['[^a]', 'a'],
    ['\\d', '٣'],
    ['\\w', 'é'],
    ['\\s', '\v'],
    ['(?i)[^k]', 'K'],
    ['(?i)\\P{Lu}', 'a'],
    ['(?i)[[:^upper:]]', 'a'],
    ['(?i)\\PL', 'ι'], // U+0345, which is no letter, is its other case
    ['(?i)[\\PL]', 'ι'],
  ])('%s does not match %s', (pattern, text) => expect(matches(pattern, text)).toBe(false));
});

describe('letters in any case', () => {
  test.each([
    ['straße', 'STRAẞE', true], // ẞ folds to ß, simply
    ['ß', 'ss', false], // full folding changes lengths
    ['İ', 'i', false], // has no simple folding
    ['İ', 'İ', true],
    ['ı', 'I', false],
    ['k', '\u212a', false], // the Kelvin sign: ASCII folds within ASCII
    ['\u212a', 'k', false],
    ['s', 'ſ', false],
    ['å', '\u212b', true], // the Angstrom sign
    ['σ', 'ς', true],
    ['ǆ', 'ǅ', true],
    ['[à-ö]', 'É', true],
    ['ДОМ', 'дом', true],
    ['𐐀', '𐐨', true],
  ])('%s and %s: %s', (pattern, text, expected) => expect(matches(pattern, text, true)).toBe(expected));
});

describe('a pattern that is made to be slow', () => {
  const long = 'a'.repeat(20_000);

  test.each([
    ['(a+)+$', `${long}b`],
    ['(a|a)*c', long],
    ['(a*)*b', long],
    ['(x+x+)+y', 'x'.repeat(20_000)],
    ['^(.*,){12}P', '1,2,3,4,5,'.repeat(2000)],
    ['(a|b)*a(a|b){14}c', 'ab'.repeat(10_000)],
  ])('%s takes time linear in the text', (pattern, text) => expect(matches(pattern, text)).toBe(false));

  test('one that needs too many states is refused, and says what would help', () => {
    for (const pattern of ['((a{100}){100}){100}', '(?:.{1,1000}){20}', '((((x?){1000}){1000}){1000}){1000}']) {
      expect(() => matches(pattern, 'a')).toThrow(LimitError);
      expect(() => matches(pattern, 'a')).toThrow('needs more than 10000 states; use smaller repetition counts');
    }
  });

  test('counted repetitions up to the limit work', () => {
    expect(matches('.{1,1000}.{1,1000}', long)).toBe(true);
    expect(matches('^.{1000}.{1000}$', 'é'.repeat(2000))).toBe(true);
    expect(matches('(x?){1000}y', 'x'.repeat(900))).toBe(false);
  });
});
