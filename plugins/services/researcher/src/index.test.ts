import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Localisation, ResearchAnswer, ResearchQuestion, ResearchTask } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startResearcher } from './testing/start-researcher.ts';
import type { StartedResearcher } from './testing/start-researcher.ts';

let folder: TemporaryFolder;
let started: StartedResearcher;
const pointed = '4d'.repeat(32);
const filler = 'const nothing = 1;\n'.repeat(80);

beforeAll(async () => {
  folder = temporaryFolder();
  const builder = (name: string): RepositoryBuilder =>
    new RepositoryBuilder({ folder: join(folder.path, name), isBare: true });
  const shop = builder('shop.git');
  shop.commit({
    files: { 'src/bank/wire.ts': 'export const wire = 1;\n' },
    message: 'Slow transfers are announced by mail',
  });
  shop.commit({
    files: {
      'src/retry.ts': `${filler}/** Retries a failed request with growing delays. */\nexport function retryRequest(attempt: number) {\n  throw new Error('no attempt is left for this request');\n}\n${filler}`,
      'src/cart.ts': `export class Cart {\n  addItem(): void {}\n}\n${filler}`,
      'src/request.ts': `import { retryRequest } from './retry.ts';\n${filler}export const sendRequest = () => retryRequest(1);\n${filler}`,
      'test/retry.test.ts': `${"test('retries a failed request', () => retryRequest(2));\n".repeat(9)}${filler}`,
      'docs/retry.md': '# Retrying\nFailed requests are retried, and retried, and retried.\n',
      'src/übersicht.ts': '// 支払いの再試行を処理する\nexport const payments = 1;\n',
      'logo.bin': '\0retry',
      'assets/voice.json': `version https://git-lfs.github.com/spec/v1\noid sha256:${pointed}\nsize 12345\n`,
    },
    message: 'Add the shop',
  });
  shop.tag({ name: 'v1' });
  shop.commit({
    files: { 'src/retry.ts': null, 'src/bank/wire.ts': 'export const wire = 2;\n' },
    message: 'Zebra crossings are safer',
  });
  const tools = builder('tools.git');
  tools.commit({ files: { 'lint.ts': 'export function lintEverything() {}\n' } });
  const torn = builder('torn.git');
  torn.commit({ files: { 'a.ts': 'export const needle = 1;\n', 'b.ts': 'export const needle = 2;\n' } });
  const lost = torn.git('rev-parse', 'main:b.ts');
  rmSync(join(torn.folder, 'objects', lost.slice(0, 2), lost.slice(2)));
  const vault = builder('vault.git');
  vault.commit({ files: { 'src/retry.ts': 'retry every failed request of the vault\n' } });
  started = await startResearcher({
    folder: folder.path,
    repositories: {
      'acme/shop': shop.folder,
      'acme/tools': tools.folder,
      'acme/torn': torn.folder,
      'acme/vault': vault.folder,
    },
    hidden: ['acme/vault'],
  });
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const alice = callerOf('alice');
const work = { signal: new AbortController().signal, reportProgress: (): void => {} };
const locate = (task: string, more: Omit<ResearchTask, 'task'> = {}): Promise<Localisation> =>
  started.researcher.locate(alice, { task, ...more }, work);
const files = async (task: string, more?: Omit<ResearchTask, 'task'>): Promise<string[]> => [
  ...new Set((await locate(task, more)).locations.map(({ path }) => path)),
];

describe('locating', () => {
  test('the likeliest file comes first, source before tests and documents, with the lines that matter', async () => {
    const { locations } = await locate('In acme/shop: failed requests are retried too often', {
      revision: 'v1',
    });
    const [first] = locations;
    expect(first).toMatchObject({ repo: 'acme/shop', path: 'src/retry.ts', revision: 'v1', score: 1 });
    expect(first?.startLine).toBeLessThanOrEqual(81);
    expect(first?.endLine).toBeGreaterThanOrEqual(84);
    expect(first?.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(locations[0]?.best).toEqual({ line: 81, text: '/** Retries a failed request with growing delays. */' });
  });

  test('tests are found first when they are asked for', async () => {
    const [first] = await files('acme/shop: the tests of retrying failed requests are flaky', { revision: 'v1' });
    expect(first).toBe('test/retry.test.ts');
  });

  test('a definition comes before its uses, and says so', async () => {
    const { locations } = await locate('`retryRequest` of acme/shop is too slow', { revision: 'v1' });
    expect(locations[0]).toMatchObject({ path: 'src/retry.ts' });
    expect(locations[0]?.reason).toContain('defines retryRequest');
  });

  test('the frames of a stack trace lead to files and lines', async () => {
    const { locations } = await locate(
      'acme/shop crashes:\nError: boom\n    at Cart.addItem (/home/me/shop/src/cart.ts:70:9)\n    at main (node:internal:1)',
    );
    expect(locations[0]).toMatchObject({ path: 'src/cart.ts', reason: expect.stringContaining('the task names it') });
    expect(locations[0]?.startLine).toBeLessThanOrEqual(70);
    expect(locations[0]?.endLine).toBeGreaterThanOrEqual(70);
  });

  test('the text of an error leads to where it is made', async () => {
    const { locations } = await locate('acme/shop fails with "no attempt is left for this request"', {
      revision: 'v1',
    });
    expect(locations[0]).toMatchObject({
      path: 'src/retry.ts',
      reason: expect.stringContaining('has a text of the task'),
    });
  });

  test('what earlier commits were about leads to the files that they changed', async () => {
    const { locations } = await locate('acme/shop: announce slow transfers earlier');
    expect(locations[0]).toMatchObject({
      path: 'src/bank/wire.ts',
      reason: expect.stringContaining('earlier commits'),
    });
  });

  test('commits after the revision have no part in it', async () => {
    expect(await files('acme/shop: zebra crossings')).toEqual(['src/bank/wire.ts']);
    expect(await files('acme/shop: zebra crossings', { revision: 'v1' })).toEqual([]);
  });

  test('texts in a script without spaces are searched, too', async () => {
    expect((await files('acme/shop の支払いの再試行'))[0]).toBe('src/übersicht.ts');
  });

  test('what a pointer of Git LFS says is no text of the file', async () => {
    const { locations } = await locate(`acme/shop: the voice of ${pointed}`);
    const [path, reason] = ['assets/voice.json', 'its path fits'];
    expect(locations).toEqual([expect.objectContaining({ path, reason, startLine: 1, endLine: 1 })]);
  });

  test('the same task has the same answer', async () => {
    const ask = (): Promise<Localisation> => locate('acme/shop: request');
    expect(await ask()).toEqual(await ask());
  });

  test('a task of 100 kB is read as far as it helps', async () => {
    const log = 'INFO retrying failed request\n'.repeat(4000);
    expect((await files(`In acme/shop: why is this?\n${log}`, { revision: 'v1' }))[0]).toBe('src/retry.ts');
  });
});

describe('declining', () => {
  const error = (task: string, more: Omit<ResearchTask, 'task'> = {}): Promise<{ code: string; message: string }> =>
    locate(task, more).then(
      () => Promise.reject(new Error('it answered')),
      ({ code, message }: { code: string; message: string }) => ({ code, message }),
    );

  test('a repository that the caller may not read is like one that does not exist', async () => {
    const hidden = await error('In the repository acme/vault: retry');
    const absent = await error('In the repository acme/vaulx: retry');
    expect(hidden).toEqual({ code: 'not_found', message: absent.message.replaceAll('vaulx', 'vault') });
    const [bare, other] = [await error('retry in vault'), await error('retry in vaulx')];
    expect(bare).toEqual(other);
    expect(await error('retry', { repo: 'acme/vault' })).toMatchObject({ code: 'not_found' });
  });

  test('a task without a repository is told how to name one, and the near one', async () => {
    expect(await error('failed requests are retried too often')).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('list_repos'),
    });
    expect((await error('retry requests in acme/shpo')).message).toContain('Did you mean "acme/shop"?');
  });

  test.each([
    'Give me an overview of acme/shop',
    'acme/shop',
    'Explain the architecture of the repository acme/shop',
    'acme/shop: how does the codebase work?',
  ])('broad discovery is declined with what to do instead: %s', async (task) => {
    expect(await error(task)).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/overview.*identifier/),
    });
  });

  test('an empty task and an unknown revision are named', async () => {
    expect(await error('  \n')).toMatchObject({ code: 'invalid_argument' });
    expect(await error('acme/shop: retry', { revision: 'nope' })).toMatchObject({ code: 'not_found' });
  });
});

describe('limits', () => {
  test('with few calls it answers with what it has', async () => {
    const { locations } = await started.researcher.locate(
      alice,
      { task: 'acme/shop: addItem to the cart' },
      { ...work, maxCalls: 4 },
    );
    expect(locations.map(({ path }) => path)).toContain('src/cart.ts');
  });

  test('files that could not be searched are told of', async () => {
    expect((await locate('acme/torn: the needle is wrong')).summary).toContain(
      'Not searched: 1 file of acme/torn (content missing or damaged).',
    );
  });

  test('it stops when its caller leaves, and says what it does until then', async () => {
    const said: string[] = [];
    const leaving = new AbortController();
    const asked = started.researcher.locate(
      alice,
      { task: 'acme/shop: cart' },
      {
        signal: leaving.signal,
        reportProgress: ({ message = '' }) => {
          said.push(message);
          leaving.abort();
        },
      },
    );
    await expect(asked).rejects.toThrow();
    expect(said).toEqual(['searching acme/shop']);
  });
});

describe('answering', () => {
  const ask = (question: string, more: Omit<ResearchQuestion, 'question'> = {}): Promise<ResearchAnswer> =>
    started.researcher.answer(alice, { question, ...more }, work);

  test('quotes what it found, with links to those lines at that commit', async () => {
    const { title, markdown, sources } = await ask('Where are items added to the cart?');
    const [first] = sources;
    expect(title).toBe('Where are items added to the cart?');
    expect(first).toMatchObject({ repo: 'acme/shop', path: 'src/cart.ts', startLine: 1 });
    expect(markdown).toContain('2:   addItem(): void {}');
    expect(markdown).toContain(`/acme/shop@${first?.commit}/-/blob/src/cart.ts?L1-${first?.endLine}`);
  });

  test('its parts are its markdown, each with the sources that it rests on', async () => {
    const { markdown, sources, parts = [] } = await ask('cart in acme/shop');
    expect(parts.map((part) => part.markdown).join('\n\n')).toBe(markdown);
    expect(parts.flatMap((part) => part.sources)).toEqual(sources);
    for (const part of parts)
      for (const { path } of sources) if (part.markdown.includes(path)) expect(part.sources).not.toEqual([]);
  });

  test('looks in the repositories of its scope, else in those that are named, else in those that say most', async () => {
    const repos = async (question: string, more?: Omit<ResearchQuestion, 'question'>): Promise<string[]> => [
      ...new Set((await ask(question, more)).sources.map(({ repo }) => repo)),
    ];
    expect((await repos('what lints everything?'))[0]).toBe('acme/tools');
    expect(await repos('what is exported by acme/tools?')).toEqual(['acme/tools']);
    expect(await repos('what is exported?', { scope: ['acme/tools'] })).toEqual(['acme/tools']);
    await expect(ask('retry', { scope: ['acme/vault'] })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a follow-up is about what was asked before', async () => {
    const history = [{ question: 'How does the cart of acme/shop work?', answer: 'Like this.' }];
    const { sources } = await ask('and where is an item added?', { history });
    expect(sources[0]).toMatchObject({ repo: 'acme/shop', path: 'src/cart.ts' });
  });

  test('says so when nothing is found, and never shows what the caller may not read', async () => {
    expect(await ask('zebra quagga okapi')).toMatchObject({
      sources: [],
      markdown: expect.stringContaining('Nothing'),
    });
    expect((await ask('retry every failed request of the vault')).markdown).not.toContain('of the vault');
    await expect(ask(' ')).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
