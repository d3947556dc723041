import { expect, it } from 'vitest';
import { textTable } from './text-table.ts';

it('makes columns as wide as their longest cell', () => {
  expect(
    textTable([
      ['ID', 'NAME', 'STATE'],
      ['1', 'alice', ''],
      ['12', 'bo', 'off'],
    ]),
  ).toBe('ID  NAME   STATE\n1   alice\n12  bo     off');
});

it('shows a line end in a cell as a space', () => {
  expect(textTable([['NAME'], ['alice\n2  root']])).toBe('NAME\nalice 2  root');
});
