import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Search, defaultSearchLimits } from '@sextant/contracts';
import type { SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf, startPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import index from '@sextant/service-search-index';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startSearch } from './testing/start-search.ts';

const { signal } = new AbortController();

const words = ['parse', 'Config', 'é', 'É', 'straße', 'K', 'k', '\u212a', '😀', 'x_1', '42', 'a'] as const;
const pieces = [
  ...words,
  '.',
  '\\w',
  '\\W',
  '\\d',
  '\\s',
  '\\S',
  '[a-c]',
  '[^a-c]',
  '[[:upper:]]',
  '\\pL',
  '\\P{Lu}',
  '^',
  '$',
  '\\b',
] as const;
const repetitions = ['*', '+', '?', '{2}', '+?'] as const;

const expression = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...pieces),
    fc.tuple(tie('node'), tie('node')).map((parts) => parts.join('')),
    fc.tuple(tie('node'), tie('node')).map((parts) => `(${parts.join('|')})`),
    fc.tuple(tie('node'), fc.constantFrom(...repetitions)).map(([body, more]) => `(?:${body})${more}`),
  ),
})).node;

const term = fc.oneof(
  fc.constantFrom(...words),
  fc.tuple(fc.constantFrom(...words), fc.constantFrom(...words)).map(([a, b]) => `"${a} ${b}"`),
  expression.map((pattern) => `/${pattern}/`),
  fc.constantFrom('file:\\.ts$', 'lang:go', 'file:ü', 'repo:has.path(b)', 'rev:old', 'rev:new:old'),
);
const query = fc
  .tuple(
    fc.array(fc.tuple(fc.boolean(), term), { minLength: 1, maxLength: 3 }),
    fc.constantFrom(' ', ' OR '),
    fc.constantFrom('', '-', '-x_1 -'),
    fc.constantFrom('', ' case:yes'),
  )
  .map(([terms, between, sign, option]) => {
    const printed = terms.map(([isNot, text]) => (isNot && !text.startsWith('rev:') ? `-${text}` : text));
    return `${sign}(${printed.join(between)})${option} count:all`;
  });

const line = fc
  .array(fc.constantFrom(...words, 'ſ', 'ẞ', 'İ', 'foo(', '\t'), { maxLength: 6 })
  .map((all) => all.join(' '));
const text = fc
  .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), fc.constantFrom('', '\n'))
  .map(([lines, between, end]) => lines.join(between) + end);

const names = ({ files }: SearchResult): string[] =>
  files.map(({ path, revision = '' }) => `${path}@${revision}`).sort();
const counts = ({ files }: SearchResult): string[] =>
  files.map(({ path, revision = '', matchCount }) => `${path}@${revision}: ${matchCount} lines`).sort();

test('agrees with the index: the same files for any query, the same lines for one term', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  const texts = fc.sample(text, { seed: 5, numRuns: 60 });
  const filesOf = (from: number): Record<string, string> =>
    Object.fromEntries(
      texts
        .slice(from, from + 40)
        .map((content, i) => [`${['src', 'ü', 'b'][i % 3]}/k${i}.${['ts', 'go'][i % 2]}`, content]),
    );
  builder.commit({ branch: 'old', files: filesOf(0) });
  builder.commit({ branch: 'new', files: filesOf(10) });
  builder.commit({ files: filesOf(20) });
  const repositories = { shop: builder.folder };
  const dataFolder = join(folder.path, 'index');
  mkdirSync(dataFolder);
  await using indexed = await startPlugins(dataFolder, [
    [git, { repositories: [{ name: 'shop', path: builder.folder }] }],
    [index, { threads: 1, memoryBytes: 128 << 20 }],
  ]);
  await using served = await startSearch({ folder: folder.path, repositories });
  const engines = [served.search, indexed.services.resolve({ search: Search }).search];
  const ask = (engine: Search, asked: string, read: typeof names): Promise<string[] | string> =>
    engine
      .find(callerOf('alice'), { query: asked, mode: 'keyword', limits: defaultSearchLimits }, signal)
      .then(read, (error: { code: string }) => error.code);
  const agree = async (asked: string, read: typeof names): Promise<void> => {
    const [own, other] = await Promise.all(engines.map((engine) => ask(engine, asked, read)));
    expect(own, asked).toEqual(other);
  };
  await fc.assert(
    fc.asyncProperty(query, (asked) => agree(asked, names)),
    { seed: 11, numRuns: 250 },
  );
  await fc.assert(
    fc.asyncProperty(term, (asked) => agree(`${asked} count:all`, counts)),
    { seed: 12, numRuns: 100 },
  );
});
