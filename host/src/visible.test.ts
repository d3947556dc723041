import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { visible } from './visible.ts';

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

test('no command writes to a terminal past it', async () => {
  const folder = join(import.meta.dirname, 'commands');
  const names = (await readdir(folder)).filter((name) => !name.includes('.test.') && name !== 'terminal.ts');
  for (const name of names)
    expect([name, /(stdout|stderr)\.write|console\./.test(await readFile(join(folder, name), 'utf8'))]).toEqual([
      name,
      false,
    ]);
  expect(names.length).toBeGreaterThan(10);
});
