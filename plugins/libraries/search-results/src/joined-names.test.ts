import { expect, test } from 'vitest';
import { JoinedNames, shareDefined, textsNeeded } from './joined-names.ts';

test('words that follow one another make up names, however these are written', () => {
  const names = new JoinedNames(['parse', 'config', 'file']);
  expect(names.mostParts).toBe(3);
  const parts = ['parseConfigFile', 'PARSE_CONFIG_FILE', 'ConfigFile', 'parse_config', 'parseFile', 'parse', 'file_'];
  expect(parts.map((name) => names.partsOf(name))).toEqual([3, 3, 2, 2, 0, 0, 0]);
  expect(names.ofParts(2)).toEqual(['parseconfig', 'parse_config', 'configfile', 'config_file']);
  expect(names.ofParts(3)).toEqual(['parseconfigfile', 'parse_config_file']);
});

test('what is no part of a name makes up none', () => {
  expect(new JoinedNames(['parse', 'a file', 'name']).mostParts).toBe(1);
  expect(new JoinedNames(['größe', 'name']).mostParts).toBe(1);
  expect(new JoinedNames([]).mostParts).toBe(1);
  expect(new JoinedNames(['a', 'b', 'c', 'd', 'e', 'f', 'g']).mostParts).toBe(5);
});

test('a definition counts as much as it has of the texts that a file must have', () => {
  const text = { kind: 'text' };
  const and = (...children: { kind: string }[]): { kind: string; children: { kind: string }[] } => ({
    kind: 'and',
    children,
  });
  const or = (...children: { kind: string }[]): { kind: string; children: { kind: string }[] } => ({
    kind: 'or',
    children,
  });
  expect(textsNeeded(text)).toBe(1);
  expect(textsNeeded(and(text, text, { kind: 'path' }, { kind: 'not' }))).toBe(2);
  expect(textsNeeded(or(text, and(text, text)))).toBe(1);
  expect(textsNeeded({ kind: 'all' })).toBe(0);
  expect([1, 2, 3].map((parts) => shareDefined(parts, 2))).toEqual([0.5, 1, 1]);
  expect(shareDefined(1, 0)).toBe(1);
});
