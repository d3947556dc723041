import { expect, test } from 'vitest';
import { fromOneLine, oneLine, visible } from './visible.ts';

test.each([
  ['\u001b]0;owned\u0007\u001b[2J', '\\u001b]0;owned\\u0007\\u001b[2J'],
  ['8-bit \u009b31m, delete \u007f, back\b', '8-bit \\u009b31m, delete \\u007f, back\\u0008'],
  ['over\rwritten', 'over\\u000dwritten'],
  ['turned \u202egpj.exe\u202c', 'turned \\u202egpj.exe\\u202c'],
])('what a terminal acts on is shown: %j', (text, shown) => expect(visible(text)).toBe(shown));

test.each(['tab\tand\nline ends\r\nof both kinds', 'Grüße, 日本語, 👩‍🚀'])('the rest stays: %j', (text) =>
  expect(visible(text)).toBe(text),
);

test('JSON stays the same JSON', () => {
  const value = { name: 'a\u009bb\u007fc\u202e\u001b' };
  expect(JSON.parse(visible(JSON.stringify(value)))).toEqual(value);
});

test('a name is on one line, and found again from what is shown', () => {
  const name = 'a\n\tb\r\n\u2028\u2029\u0085\u202e';
  const shown = String.raw`a\u000a\u0009b\u000d\u000a\u2028\u2029\u0085\u202e`;
  expect([oneLine(name), fromOneLine(shown)]).toEqual([shown, name]);
});

test.each(['a.ts', String.raw`C:\u0041\users\u00`, '\\'])(
  'what shows no such character is the name itself: %s',
  (name) => expect([oneLine(name), fromOneLine(name)]).toEqual([name, name]),
);
