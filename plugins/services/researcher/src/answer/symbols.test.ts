import type { OutlineEntry } from '@sextant/contracts';
import { describe, expect, test } from 'vitest';
import { readTask } from '../task/read-task.ts';
import { chooseSymbols } from './symbols.ts';
import type { ChosenSymbol } from './symbols.ts';

/** Definitions are lines with their name in capitals, as `LEASE: method of 4 lines in Store`. */
const definition = /^(?:\s*)([A-Z_]+): (\w+) of (\d+) lines(?: in (\w+))?/;

function outlineOf(text: string): OutlineEntry[] {
  return text.split('\n').flatMap((line, index) => {
    const [, name, kind = '', count, container] = definition.exec(line) ?? [];
    if (name === undefined) return [];
    const entry = { name, kind, line: index + 1, endLine: index + Number(count), signature: line };
    return [{ ...entry, ...(container !== undefined && { container }) }];
  });
}

function choose(question: string, ...texts: string[]): readonly ChosenSymbol[] {
  const read = readTask(question);
  const files = texts.map((text) => ({ text, outline: outlineOf(text), score: 1 }));
  return chooseSymbols({ read, weights: read.words.map(({ weight }) => weight), files }, () => false);
}

const names = (symbols: readonly ChosenSymbol[]): string[] => symbols.map(({ name }) => name);

describe('the definitions that answer a question', () => {
  test('are whole, with the documentation above them', () => {
    const text = 'x\n\n// Renews a lease\n// that expires.\nRENEW: function of 4 lines\n  a\n  b\nend\n\ny';
    const [symbol] = choose('How does a lease expire?', text);
    expect(symbol).toMatchObject({ name: 'RENEW', startLine: 3, endLine: 8 });
    expect(symbol?.lines).toEqual(text.split('\n').slice(2, 8));
    expect(symbol?.said).toEqual({ name: [], docs: ['lease', 'expire'], code: [] });
  });

  test('are two of a file at most', () => {
    const of = (name: string): string => `${name}_LEASE: function of 3 lines\n  expire\nend\n`;
    const chosen = choose('How does a lease expire?', ['A', 'B', 'C'].map(of).join(''), of('D'));
    expect(names(chosen).toSorted()).toEqual(['A_LEASE', 'B_LEASE', 'D_LEASE']);
  });

  test('are one of a name: overloads say the same', () => {
    const overload = 'RENEW: function of 3 lines\n  lease\nend\n';
    const other = 'END_LEASE: function of 3 lines\n  lease\nend\n';
    expect(names(choose('How does a lease expire?', overload, overload, other))).toEqual(['END_LEASE', 'RENEW']);
  });

  test('are named for it before they speak of it, and functions before types', () => {
    const named = 'EXPIRE_LEASE: function of 4 lines\n  a\n  b\nend\n';
    const speaking = '// Pays. A lease may expire.\nPAY: function of 4 lines\n  a\n  b\nend\n';
    const type = 'EXPIRED_LEASE: struct of 4 lines\n  a\n  b\nend\n';
    expect(names(choose('How does a lease expire?', speaking, type, named))[0]).toBe('EXPIRE_LEASE');
  });

  test('of Python take words of a parameter list for code, not for documentation', () => {
    const text = 'PAY: function of 6 lines\n  lease,\n) -> None:\n  """\n  Pays when they expire.\n  """\n  pay\n';
    expect(choose('How does a lease expire?', text)[0]?.said).toEqual({ name: [], docs: ['expire'], code: ['lease'] });
  });

  test('do not hold one another: a type ends where its first member begins', () => {
    const text =
      '// Leases expire here.\nLEASES: class of 8 lines\n\n  // Expires a lease.\n  EXPIRE: method of 4 lines in LEASES\n    lease\n    lease\n  end\nend';
    const chosen = choose('How do leases expire?', text);
    expect(chosen.map(({ name, startLine, endLine }) => [name, startLine, endLine])).toEqual(
      expect.arrayContaining([
        ['EXPIRE', 4, 8],
        ['LEASES', 1, 2],
      ]),
    );
  });

  test('say all of the question before they say one word of it often', () => {
    const often = `OTHER: function of 6 lines\n${'  lease lease lease\n'.repeat(4)}end\n`;
    const all = 'RENEW: function of 6 lines\n  lease\n  expire\n  a\n  b\nend\n';
    expect(names(choose('How does a lease expire?', often, all))).toEqual(['RENEW', 'OTHER']);
  });

  test('are functions and types before fields of one line', () => {
    const field = '// When the lease expires.\nLEASE: field of 1 lines\n';
    const method = 'RENEW: method of 4 lines\n  lease\n  expire\nend\n';
    expect(names(choose('How does a lease expire?', field, method))).toEqual(['RENEW', 'LEASE']);
  });

  test('are no tests that stand beside the code', () => {
    const text =
      'EXPIRE: function of 3 lines\n  lease\nend\nEXPIRES_LEASE: function of 3 lines in tests\n  lease\nend\n';
    expect(names(choose('How does a lease expire?', text))).toEqual(['EXPIRE']);
  });

  test('are none where nothing is said', () => {
    expect(choose('How does a lease expire?', 'CART: function of 2 lines\nend\n')).toEqual([]);
  });
});
