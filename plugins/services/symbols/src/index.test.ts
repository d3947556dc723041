import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alice, startSymbols } from './testing/start-symbols.ts';
import type { StartedSymbols } from './testing/start-symbols.ts';

const { signal } = new AbortController();
const root = callerOf('root', { isSiteAdmin: true });
const long = 'x = 1;\n'.repeat(20_000);

let served: StartedSymbols;
let first: string;
beforeAll(async () => {
  served = await startSymbols(
    {
      shop: {
        'a.ts': `${'// line\n'.repeat(9)}export function parseConfig() {\n${'  work();\n'.repeat(60)}}\nfunction work() {}\n`,
        'b.ts': "import { parseConfig } from './a';\nimport { vaultKey } from '@acme/vault';\nparseConfig(vaultKey);\n",
        'chain.ts': "import { deepKey } from '@acme/vault';\ndeepKey();\n",
        'notes.txt': 'parseConfig is explained here, parseConfigs is not\n',
        'old.ts': 'export const gone = 1;\n',
        'data.bin': 'a\0b',
        'min.js': `var minified=1;${'f(minified);'.repeat(5000)}`,
        'deep.ts': `const deep = ${'['.repeat(20_000)}1${']'.repeat(20_000)};\n`,
        'long.ts': `const wanted = 1;\n${long.repeat(8)}`,
        'broken.ts':
          'export function before() {}\nconst broken = = ];\nexport function after() { before(); }\nafter(;\n',
      },
      vault: {
        'package.json': '{ "name": "@acme/vault" }',
        'index.ts': "export const vaultKey = 1;\nexport { deepKey } from '@acme/lib';\n",
        'use.ts': "import { deepKey } from '@acme/lib';\ndeepKey();\n",
      },
      lib: { 'package.json': '{ "name": "@acme/lib" }', 'index.ts': 'export function deepKey() {}\n' },
    },
    { hidden: ['vault'] },
  );
  first = served.builders['shop']?.git('rev-parse', 'main') ?? '';
  served.builders['shop']?.commit({ branch: 'apart', parents: [], files: { 'other.ts': 'export {};\n' } });
  served.builders['shop']?.commit({ files: { 'old.ts': null, 'a.ts': 'export const parseConfig = () => 2;\n' } });
});
afterAll(() => served[Symbol.asyncDispose]());

const define = (request: object, caller = alice): ReturnType<StartedSymbols['symbols']['findDefinition']> =>
  served.symbols.findDefinition(caller, { repo: 'shop', path: 'b.ts', symbol: 'parseConfig', ...request }, signal);

describe('lines', () => {
  it('of a definition are two before it and up to 50 of it', async () => {
    const { files } = await define({ revision: first });
    expect(files[0]?.chunks[0]).toMatchObject({ startLine: 8, endLine: 59 });
  });

  it('of a use are four before it and two after it', async () => {
    const request = { repo: 'shop', path: 'a.ts', symbol: 'work', revision: first, limit: 1 };
    const { files, totalCount, limitHit } = await served.symbols.findReferences(alice, request, signal);
    expect(files[0]?.chunks).toMatchObject([{ startLine: 7, endLine: 13 }]);
    expect([totalCount, limitHit]).toEqual([60, true]);
  });
});

it('any revision is answered as it was then', async () => {
  expect((await define({ revision: first })).files[0]?.places[0]?.line).toBe(10);
  expect((await define({})).files[0]?.places[0]?.line).toBe(1);
  expect((await define({ path: 'old.ts', symbol: 'gone', revision: first })).precision).toBe('syntactic');
  await expect(define({ path: 'old.ts', symbol: 'gone' })).rejects.toMatchObject({ code: 'not_found' });
});

describe('a language without a grammar', () => {
  it('is answered from the text, whole words only', async () => {
    const { files, precision } = await define({ path: 'notes.txt' });
    expect(precision).toBe('text');
    expect(files.map(({ path }) => path).toSorted()).toEqual(['a.ts', 'b.ts', 'notes.txt']);
    await expect(define({ path: 'notes.txt', symbol: 'parseConf' })).rejects.toThrow(
      'notes.txt has no symbol "parseConf". Did you mean "parseConfig"?',
    );
  });

  it('has the line first that looks like the definition, and the file of the name', async () => {
    const source = '! solve_all of a matrix\n\n\n\nsubroutine solve_all(a)\nend\n';
    const files = { 'a.f90': 'call solve_all(a)\n', 'z.f90': source, 'run.cob': 'call add-tax.\ncall add-tax.\n' };
    await using math = await startSymbols({ math: { ...files, 'src/add-tax.cob': 'program-id. add-tax.\n' } });
    expect((await math.definition('math a.f90', 'solve_all')).slice(0, 2)).toEqual(['z.f90:4 text', 'z.f90:1 text']);
    expect((await math.definition('math run.cob', 'add-tax'))[0]).toBe('src/add-tax.cob:1 text');
  });

  it('has no references but lines with the word', async () => {
    const request = { repo: 'shop', path: 'notes.txt', symbol: 'explained', limit: 10 };
    const answer = await served.symbols.findReferences(alice, request, signal);
    expect(answer).toMatchObject({ precision: 'text', totalCount: 1, limitHit: false });
  });
});

describe('what is wrong is said', () => {
  it.each([
    ['a name that is not there, with a near one', { symbol: 'parseConfi' }, 'not_found', 'Did you mean "parseConfig"?'],
    ['a path that is not there', { path: 'c.ts' }, 'not_found', 'c.ts'],
    ['a path that is not there any more', { path: 'old.ts', symbol: 'gone' }, 'not_found', 'old.ts'],
    ['a path that is not there yet', { path: 'b.ts', revision: 'apart' }, 'not_found', 'b.ts'],
    ['a revision that is not there', { revision: 'aprt' }, 'not_found', 'Did you mean "apart"?'],
    [
      'a name of a file without a grammar, with a near one',
      { path: 'notes.txt', symbol: 'explaind' },
      'not_found',
      'Did you mean "explained"?',
    ],
    ['a binary file', { path: 'data.bin', symbol: 'a' }, 'invalid_argument', 'binary'],
    ['a name with dots, of neither part', { symbol: 'Store.load' }, 'not_found', 'has no symbol "load"'],
    ['a name with an empty part', { symbol: '.load' }, 'invalid_argument', 'a simple name'],
    ['an operator', { symbol: 'operator+' }, 'invalid_argument', 'a simple name'],
    ['only an operator', { symbol: '<<=' }, 'invalid_argument', 'a simple name'],
    ['nothing but spaces', { symbol: '  ' }, 'invalid_argument', 'a simple name'],
    ['two lines', { symbol: 'parse\nConfig' }, 'invalid_argument', 'a simple name'],
    ['a name of 10 kB', { symbol: 'x'.repeat(10_000) }, 'invalid_argument', 'at most 200 characters'],
    ['a query in place of a name', { symbol: 'a" repo:vault "' }, 'invalid_argument', 'a simple name'],
  ])('%s', async (_what, request, code, text) => {
    await expect(define(request)).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
  });
});

describe('a file that is hard to parse', () => {
  it.each([
    ['in one long line', 'min.js', 'minified'],
    ['over a million characters', 'long.ts', 'wanted'],
  ])('%s is answered from the text', async (_what, path, symbol) => {
    expect((await define({ path, symbol })).precision).toBe('text');
  });

  it('with errors of syntax is answered from the rest of it', async () => {
    const { files, precision } = await define({ path: 'broken.ts', symbol: 'after' });
    expect([precision, files[0]?.places[0]?.line]).toEqual(['syntactic', 3]);
    const request = { repo: 'shop', path: 'broken.ts', symbol: 'before', limit: 10 };
    expect((await served.symbols.findReferences(alice, request, signal)).totalCount).toBe(1);
  });

  it('nested very deeply is answered', async () => {
    expect((await define({ path: 'deep.ts', symbol: 'deep' })).files.map(({ path }) => path)).toEqual(['deep.ts']);
  });
});

describe('a repository that the caller may not read', () => {
  it('is not part of a chain of imports', async () => {
    const { files } = await define({ symbol: 'vaultKey' });
    expect(files.map(({ repo }) => repo)).toEqual(['shop']);
    const allowed = await define({ symbol: 'vaultKey' }, root);
    expect(allowed.files.map(({ repo, path }) => `${repo} ${path}`)).toEqual(['vault index.ts']);
  });

  it('is outside in the middle of a chain, and so is what lies behind it', async () => {
    const { files, outside } = await define({ path: 'chain.ts', symbol: 'deepKey' });
    expect(files.map(({ repo, path }) => `${repo} ${path}`)).toEqual(['shop chain.ts']);
    expect(outside).toEqual({ module: '@acme/vault' });
  });

  it('is in no count', async () => {
    const request = { repo: 'lib', path: 'index.ts', symbol: 'deepKey', limit: 10 };
    const seen = await served.symbols.findReferences(alice, request, signal);
    expect(seen.files.filter(({ repo }) => repo === 'vault')).toEqual([]);
    expect(seen.totalCount).toBe(seen.files.flatMap(({ places }) => places).length);
    const all = await served.symbols.findReferences(root, request, signal);
    expect(all.files.filter(({ repo }) => repo === 'vault').map(({ path }) => path)).toContain('use.ts');
  });

  it('is answered in the words for one that does not exist', async () => {
    const wordsFor = (repo: string): Promise<string> =>
      define({ repo }).then(
        () => 'an answer',
        (error: Error) => error.message.replaceAll(repo, 'it'),
      );
    expect(await wordsFor('vault')).toBe(await wordsFor('nowhere'));
    expect(await wordsFor('vaul')).not.toContain('vault');
  });

  it('has no uses', async () => {
    const request = { repo: 'vault', path: 'index.ts', symbol: 'vaultKey', limit: 10 };
    await expect(served.symbols.findReferences(alice, request, signal)).rejects.toMatchObject({ code: 'not_found' });
    expect((await served.symbols.findReferences(root, request, signal)).totalCount).toBe(2);
  });
});

it('a call that is canceled stops', async () => {
  const request = { repo: 'shop', path: 'b.ts', symbol: 'parseConfig' };
  await expect(served.symbols.findDefinition(alice, request, AbortSignal.abort())).rejects.toThrow();
});
