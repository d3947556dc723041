import { join } from 'node:path';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { FoundFile } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands } from './commands.ts';
import { startSearch } from './testing/start-search.ts';
import type { StartedSearch } from './testing/start-search.ts';

let started: StartedSearch;
const folder = temporaryFolder();
const { signal } = new AbortController();

beforeAll(async () => {
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r.git'), isBare: true });
  builder.commit({
    files: {
      'src/cart.ts': 'export function checkout(cart) {\n  return cart.items;\n}\n',
      'src/use.ts': 'const total = checkout(cart);\n',
      'test/cart.test.ts': 'checkout(cart);\n',
      'docs/cart.md': 'How to checkout a cart.\n',
    },
  });
  started = await startSearch({ folder: folder.path, repositories: { r: builder.folder } });
  await started.ready();
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function explained(query: string, mode: 'keyword' | 'natural'): Promise<readonly FoundFile[]> {
  const request = { ...parseQuery(query), mode, limits: defaultSearchLimits, explain: true };
  return (await started.search.find(callerOf('alice'), request, signal)).files;
}

/** The score that parts make up. */
function scoreOf(parts: Readonly<Record<string, number>>): number {
  const all = Object.entries(parts);
  const sum = all.reduce((score, [name, value]) => (name.startsWith('×') ? score : score + value), 0);
  return all.reduce((score, [name, value]) => (name.startsWith('×') ? score * value : score), sum);
}

describe('a search that explains', () => {
  test.each([
    ['checkout', 'keyword'],
    ['checkout cart', 'keyword'],
    ['type:path cart', 'keyword'],
    ['how is a cart checked out', 'natural'],
  ] as const)('says what the score of each file is made of: %s', async (query, mode) => {
    const files = await explained(query, mode);
    expect(files.length).toBeGreaterThan(1);
    for (const { score = { total: 0, parts: {} } } of files) {
      expect(Object.keys(score.parts)).toContain('×class');
      expect(scoreOf(score.parts)).toBeCloseTo(score.total, 4);
    }
  });

  test('says which line is better', async () => {
    const [defines, uses] = await explained('checkout', 'keyword');
    expect([defines?.path, uses?.path]).toEqual(['src/cart.ts', 'src/use.ts']);
    expect(defines?.score?.parts['bestLine.definition']).toBeGreaterThan(0);
    expect(uses?.score?.parts['bestLine.definition']).toBe(0);
  });

  test('and others do not', async () => {
    const request = { ...parseQuery('checkout'), mode: 'keyword', limits: defaultSearchLimits } as const;
    const { files } = await started.search.find(callerOf('alice'), request, signal);
    expect(files.every(({ score }) => score === undefined)).toBe(true);
  });
});

test('the command prints the parts that tell files apart', async () => {
  const explain = commands.find(({ name }) => name === 'search explain');
  if (!explain) throw new Error('there is no such command');
  const principals = { named: async (name: string) => (name === 'alice' ? callerOf(name) : undefined) };
  const io = { signal, readSecret: async () => '', showProgress: () => undefined };
  const run = async (as: string): Promise<unknown> =>
    explain.run(explain.input.parse({ query: 'checkout', as }), { search: started.search, principals }, io);
  const text = explain.toText(await run('alice'));
  expect(text.split('\n')[0]).toMatch(/^\d+\.\d{3} r src\/cart\.ts$/);
  expect(text).toContain('1.500 bestLine.definition');
  await expect(run('nobody')).rejects.toMatchObject({ code: 'not_found' });
});
