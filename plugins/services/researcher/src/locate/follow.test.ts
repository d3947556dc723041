import type { SymbolFile, Symbols } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { expect, test } from 'vitest';
import { followNames } from './follow.ts';
import type { Followable } from './follow.ts';
import { scan } from '../ranking/scan.ts';
import { Vocabulary } from '../ranking/vocabulary.ts';
import { Work } from '../work.ts';

const snapshot = { caller: callerOf('ada'), repo: 'shop', revision: undefined, commit: 'c1', tree: new Map() };
const { signal } = new AbortController();
const work = new Work({ signal, reportProgress: () => undefined, maxCalls: 10, maxSeconds: 10 });

function rankingOf(name: string, texts: Readonly<Record<string, string>>): Followable {
  const vocabulary = new Vocabulary({ words: [], identifiers: [name] });
  const files = Object.entries(texts).map(([path, text]) => ({
    path,
    scan: scan(text, vocabulary),
  }));
  return { files, vocabulary };
}

const at = (path: string): SymbolFile => ({
  repo: 'shop',
  path,
  chunks: [{ startLine: 4, endLine: 5, lines: ['a', 'b'] }],
  places: [{ line: 5, kind: 'call' }],
});
const symbols: Pick<Symbols, 'findReferences' | 'findDefinition'> = {
  findReferences: async () => ({
    files: [at('known.ts'), at('user.ts')],
    precision: 'syntactic',
    totalCount: 2,
    limitHit: false,
  }),
  findDefinition: async () => ({ files: [at('definer.ts')], precision: 'syntactic' }),
};
const known = new Set(['known.ts']);

test('from the definition of a name to the files that use it, without those that were found already', async () => {
  const ranking = rankingOf('pay', { 'known.ts': 'pay();\n', 'pay.ts': 'function pay() {}\n' });
  expect(await followNames(symbols, { snapshot, ranking, known, work })).toEqual([
    expect.objectContaining({
      path: 'user.ts',
      startLine: 4,
      endLine: 5,
      best: [5],
      reason: 'uses pay, which pay.ts defines',
    }),
  ]);
});

test('from a use to the definition', async () => {
  const ranking = rankingOf('pay', { 'known.ts': 'pay();\n' });
  const [place] = await followNames(symbols, { snapshot, ranking, known, work });
  expect(place).toMatchObject({ path: 'definer.ts', reason: 'defines pay' });
});

test('a name that leads nowhere is left', async () => {
  const findDefinition = async (): Promise<never> => {
    throw new SextantError('not_found', 'known.ts has no symbol "pay"');
  };
  const ranking = rankingOf('pay', { 'known.ts': '// pay\n' });
  expect(await followNames({ ...symbols, findDefinition }, { snapshot, ranking, known, work })).toEqual([]);
});
