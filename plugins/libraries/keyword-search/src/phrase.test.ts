import { expect, test } from 'vitest';
import { definedShare, PhraseTerms, termsNeeded } from './phrase.ts';
import type { MatchPlace } from './phrase.ts';

const isOfWord = (character: string | undefined): boolean => character !== undefined && /\w/.test(character);

/** Where any of some words stand in a line, in any case. */
function matchesIn(line: string, words: readonly string[]): MatchPlace[] {
  const lower = line.toLowerCase();
  const found = words.flatMap((word) =>
    [...lower].flatMap((_, start) => {
      if (!lower.startsWith(word.toLowerCase(), start)) return [];
      const end = start + word.length;
      const [isWordStart, isWordEnd] = [
        !(isOfWord(line[start - 1]) && isOfWord(line[start])),
        !(isOfWord(line[end - 1]) && isOfWord(line[end])),
      ];
      return { start, end, isWordStart, isWordEnd };
    }),
  );
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** The phrases of a line, as they stand there. */
function phrasesIn(line: string, query: string): string[] {
  const words = query.split(' ');
  const phrases = new PhraseTerms(words).phrasesIn(matchesIn(line, words), (start, end) => line.slice(start, end));
  return phrases.map(
    (phrase) => `${phrase.terms}${phrase.isName ? ' name' : ''}: ${line.slice(phrase.start, phrase.end)}`,
  );
}

test.each([
  ['parse config file', 'parseConfigFile(name)', ['3 name: parseConfigFile', '2 name: ConfigFile']],
  ['parse config file', 'PARSE_CONFIG', ['2 name: PARSE_CONFIG']],
  ['parse config file', 'parse4config', ['2: parse4config']],
  ['parse config file', 'reparseConfigs', ['2 name: parseConfig']],
  ['parse config file', 'parse config, file', ['2: parse config']],
  ['parse config file', 'config/file: ', ['2: config/file']],
  ['parse config file', 'parseConfig file', ['3: parseConfig file', '2: Config file'].slice(0, 1)],
  ['parse config file', 'config parse', []],
  ['parse config file', 'parseFile', []],
  ['parse config file', 'parse  config', []],
  ['is not', 'this not', []],
  ['it cannot drop can', 'it cannot drop', ['3: it cannot drop', '2: cannot drop']],
  ['err != nil', 'if err != nil {', ['3: err != nil', '2: != nil']],
  ['a b c d e f', 'a b c d e f', ['5: a b c d e', '5: b c d e f', '4: c d e f', '3: d e f', '2: e f']],
  ['größe name', 'die Größe name', ['2: Größe name']],
])('of %j the line %j has the phrases %j', (query, line, phrases) => {
  expect(phrasesIn(line, query)).toEqual(phrases);
});

test('phrases and names have at most so many terms', () => {
  const words = new PhraseTerms(['parse', 'config', 'file']);
  expect(words.longest).toBe(3);
  expect(new PhraseTerms('abcdefgh'.split(''))).toMatchObject({ longest: 5, longestName: 5 });
  expect(new PhraseTerms('abcdefghi'.split(''))).toMatchObject({ longest: 5, longestName: 1 });
  expect(new PhraseTerms([]).longest).toBe(1);
});

test('a definition counts as much as it has of the texts that a file must have', () => {
  const text = { kind: 'text' };
  type Shape = { kind: string; children?: Shape[] };
  const and = (...children: Shape[]): Shape => ({ kind: 'and', children });
  const or = (...children: Shape[]): Shape => ({ kind: 'or', children });
  expect(termsNeeded(text)).toBe(1);
  expect(termsNeeded(and(text, text, { kind: 'path' }, { kind: 'not' }))).toBe(2);
  expect(termsNeeded(or(text, and(text, text)))).toBe(1);
  expect(termsNeeded({ kind: 'all' })).toBe(0);
  expect([1, 2, 3].map((words) => definedShare(words, 2))).toEqual([0.5, 1, 1]);
  expect(definedShare(1, 0)).toBe(1);
});
