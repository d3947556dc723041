import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { callerOf } from '@sextant/core/testing';
import type {
  Localisation,
  ResearchAnswer,
  ResearchLocation,
  ResearchQuestion,
  ResearchTask,
  Researcher,
} from '../code/research/researcher.ts';
import { RepositoryBuilder } from './repository-builder.ts';
import type { ServedRepositories } from './served-repositories.ts';

export interface ResearcherConformanceCase {
  /** A sentence about behaviour. */
  readonly name: string;
  run(researcher: Researcher): Promise<void>;
}

const pointed = '4d'.repeat(32);
const filler = 'const nothing = 1;\n'.repeat(80);

/** What the cases are about, built below a folder. */
export function researchedRepositories(folder: string): ServedRepositories {
  const builder = (name: string): RepositoryBuilder =>
    new RepositoryBuilder({ folder: join(folder, name), isBare: true });
  const shop = builder('shop.git');
  shop.commit({
    files: { 'src/bank/wire.ts': 'export const wire = 1;\n' },
    message: 'Slow transfers are announced by mail',
  });
  shop.commit({
    files: {
      'src/retry.ts': `${filler}/** Retries a failed request with growing delays. */\nexport function retryRequest(attempt: number) {\n  throw new Error('no attempt is left for this request');\n}\n${filler}`,
      'src/cart.ts': `export class Cart {\n  addItem(): void {}\n}\n${filler}`,
      'src/request.ts': `import { retryRequest } from './retry.js';\n${filler}export const sendRequest = () => retryRequest(1);\n${filler}`,
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
  const ledger = builder('ledger.git');
  ledger.commit({ files: { 'src/ledger.ts': 'export class Ledger {}\n' } });
  ledger.commit({ files: { 'src/ledger.ts': 'export class Ledger {\n  addEntry(): void {}\n}\n' } });
  const shallow = join(folder, 'shallow.git');
  const source = `file://${ledger.folder}`;
  execFileSync('git', ['clone', '--quiet', '--bare', '--depth=1', source, shallow], { stdio: 'pipe' });
  const vault = builder('vault.git');
  vault.commit({ files: { 'src/retry.ts': 'retry every failed request of the vault\n' } });
  return {
    folder,
    repositories: {
      'acme/shop': shop.folder,
      'acme/tools': tools.folder,
      'acme/torn': torn.folder,
      'acme/shallow': shallow,
      'acme/vault': vault.folder,
    },
    hidden: ['acme/vault'],
  };
}

const alice = callerOf('alice');
/** No case is about time. */
const work = { signal: new AbortController().signal, reportProgress: (): void => {}, maxSeconds: 3600 };

type MoreOfTask = Omit<ResearchTask, 'task'>;
type MoreOfQuestion = Omit<ResearchQuestion, 'question'>;

const locate = (researcher: Researcher, task: string, more: MoreOfTask = {}): Promise<Localisation> =>
  researcher.locate(alice, { task, ...more }, work);

async function files(researcher: Researcher, task: string, more?: MoreOfTask): Promise<string[]> {
  const { locations } = await locate(researcher, task, more);
  return [...new Set(locations.map(({ path }) => path))];
}

async function first(researcher: Researcher, task: string, more?: MoreOfTask): Promise<ResearchLocation> {
  const { locations } = await locate(researcher, task, more);
  assert.ok(locations[0], 'something is found');
  return locations[0];
}

interface Told {
  readonly code: string;
  readonly message: string;
}

const declined = (asked: Promise<unknown>): Promise<Told> =>
  asked.then(
    () => assert.fail('it answered'),
    ({ code, message }: Told) => ({ code, message }),
  );

const ask = (researcher: Researcher, question: string, more: MoreOfQuestion = {}): Promise<ResearchAnswer> =>
  researcher.answer(alice, { question, ...more }, work);

async function repos(researcher: Researcher, question: string, more?: MoreOfQuestion): Promise<string[]> {
  const { sources } = await ask(researcher, question, more);
  return [...new Set(sources.map(({ repo }) => repo))];
}

const locating: readonly ResearcherConformanceCase[] = [
  {
    name: 'the likeliest file comes first, source before tests and documents, with the lines that matter',
    async run(researcher) {
      const found = await first(researcher, 'In acme/shop: failed requests are retried too often', { revision: 'v1' });
      const { repo, path, revision, score, startLine, endLine, best } = found;
      assert.deepEqual(
        { repo, path, revision, score },
        { repo: 'acme/shop', path: 'src/retry.ts', revision: 'v1', score: 1 },
      );
      assert.ok(startLine <= 81 && endLine >= 84);
      assert.match(found.commit, /^[0-9a-f]{40}$/);
      assert.deepEqual(best, { line: 81, text: '/** Retries a failed request with growing delays. */' });
    },
  },
  {
    name: 'tests are found first when they are asked for',
    async run(researcher) {
      const task = 'acme/shop: the tests of retrying failed requests are flaky';
      assert.equal((await first(researcher, task, { revision: 'v1' })).path, 'test/retry.test.ts');
    },
  },
  {
    name: 'a definition comes before its uses, and says so',
    async run(researcher) {
      const found = await first(researcher, '`retryRequest` of acme/shop is too slow', { revision: 'v1' });
      assert.equal(found.path, 'src/retry.ts');
      assert.match(found.reason, /defines retryRequest/);
    },
  },
  {
    name: 'the frames of a stack trace lead to files and lines',
    async run(researcher) {
      const { path, reason, startLine, endLine } = await first(
        researcher,
        'acme/shop crashes:\nError: boom\n    at Cart.addItem (/home/me/shop/src/cart.ts:70:9)\n    at main (node:internal:1)',
      );
      assert.equal(path, 'src/cart.ts');
      assert.match(reason, /the task names it/);
      assert.ok(startLine <= 70 && endLine >= 70);
    },
  },
  {
    name: 'the text of an error leads to where it is made',
    async run(researcher) {
      const task = 'acme/shop fails with "no attempt is left for this request"';
      const { path, reason } = await first(researcher, task, { revision: 'v1' });
      assert.equal(path, 'src/retry.ts');
      assert.match(reason, /has a text of the task/);
    },
  },
  {
    name: 'what earlier commits were about leads to the files that they changed',
    async run(researcher) {
      const { path, reason } = await first(researcher, 'acme/shop: announce slow transfers earlier');
      assert.equal(path, 'src/bank/wire.ts');
      assert.match(reason, /earlier commits/);
    },
  },
  {
    name: 'commits after the revision have no part in it',
    async run(researcher) {
      assert.deepEqual(await files(researcher, 'acme/shop: zebra crossings'), ['src/bank/wire.ts']);
      assert.deepEqual(await files(researcher, 'acme/shop: zebra crossings', { revision: 'v1' }), []);
    },
  },
  {
    name: 'texts in a script without spaces are searched, too',
    async run(researcher) {
      assert.equal((await first(researcher, 'acme/shop の支払いの再試行')).path, 'src/übersicht.ts');
    },
  },
  {
    name: 'what a pointer of Git LFS says is no text of the file',
    async run(researcher) {
      const { locations } = await locate(researcher, `acme/shop: the voice of ${pointed}`);
      assert.deepEqual(
        locations.map(({ path, reason, startLine, endLine }) => ({ path, reason, startLine, endLine })),
        [{ path: 'assets/voice.json', reason: 'its path fits', startLine: 1, endLine: 1 }],
      );
    },
  },
  {
    name: 'the same task has the same answer',
    async run(researcher) {
      const once = await locate(researcher, 'acme/shop: request');
      assert.deepEqual(await locate(researcher, 'acme/shop: request'), once);
    },
  },
  {
    name: 'a task of 100 kB is read as far as it helps',
    async run(researcher) {
      const task = `In acme/shop: why is this?\n${'INFO retrying failed request\n'.repeat(4000)}`;
      assert.equal((await first(researcher, task, { revision: 'v1' })).path, 'src/retry.ts');
    },
  },
];

const broad = [
  'Give me an overview of acme/shop',
  'acme/shop',
  'Explain the architecture of the repository acme/shop',
  'acme/shop: how does the codebase work?',
];

const declining: readonly ResearcherConformanceCase[] = [
  {
    name: 'a repository that the caller may not read is like one that does not exist',
    async run(researcher) {
      const of = (task: string, more?: MoreOfTask): Promise<Told> => declined(locate(researcher, task, more));
      const hidden = await of('In the repository acme/vault: retry');
      const absent = await of('In the repository acme/vaulx: retry');
      assert.deepEqual(hidden, { code: 'not_found', message: absent.message.replaceAll('vaulx', 'vault') });
      assert.deepEqual(await of('retry in vault'), await of('retry in vaulx'));
      assert.equal((await of('retry', { repo: 'acme/vault' })).code, 'not_found');
    },
  },
  {
    name: 'a task without a repository is told how to name one, and the near one',
    async run(researcher) {
      const unnamed = await declined(locate(researcher, 'failed requests are retried too often'));
      assert.equal(unnamed.code, 'invalid_argument');
      assert.match(unnamed.message, /list_repos/);
      const near = await declined(locate(researcher, 'retry requests in acme/shpo'));
      assert.match(near.message, /Did you mean "acme\/shop"\?/);
    },
  },
  {
    name: 'broad discovery is declined with what to do instead',
    async run(researcher) {
      for (const task of broad) {
        const { code, message } = await declined(locate(researcher, task));
        assert.equal(code, 'invalid_argument', task);
        assert.match(message, /overview.*identifier/, task);
      }
    },
  },
  {
    name: 'an empty task and an unknown revision are named',
    async run(researcher) {
      assert.equal((await declined(locate(researcher, '  \n'))).code, 'invalid_argument');
      const unknown = await declined(locate(researcher, 'acme/shop: retry', { revision: 'nope' }));
      assert.equal(unknown.code, 'not_found');
    },
  },
];

const limits: readonly ResearcherConformanceCase[] = [
  {
    name: 'with few calls it answers with what it has',
    async run(researcher) {
      const task = { task: 'acme/shop: addItem to the cart' };
      const { locations } = await researcher.locate(alice, task, { ...work, maxCalls: 4 });
      assert.ok(locations.some(({ path }) => path === 'src/cart.ts'));
    },
  },
  {
    name: 'files that could not be searched are told of',
    async run(researcher) {
      const { summary } = await locate(researcher, 'acme/torn: the needle is wrong');
      assert.match(summary, /Not searched: 1 file of acme\/torn \(content missing or damaged\)\./);
    },
  },
  {
    name: 'it stops when its caller leaves, and says what it does until then',
    async run(researcher) {
      const said: string[] = [];
      const leaving = new AbortController();
      const reportProgress = ({ message = '' }: { message?: string }): void => {
        said.push(message);
        leaving.abort();
      };
      const given = { ...work, signal: leaving.signal, reportProgress };
      await assert.rejects(researcher.locate(alice, { task: 'acme/shop: cart' }, given));
      assert.deepEqual(said, ['searching acme/shop']);
    },
  },
];

const answering: readonly ResearcherConformanceCase[] = [
  {
    name: 'an answer quotes what was found, with links to those lines at that commit',
    async run(researcher) {
      const { title, markdown, sources } = await ask(researcher, 'Where are items added to the cart?');
      const [source] = sources;
      assert.equal(title, 'Where are items added to the cart?');
      assert.ok(source);
      assert.deepEqual([source.repo, source.path], ['acme/shop', 'src/cart.ts']);
      assert.ok(source.startLine <= 2 && source.endLine >= 2);
      assert.ok(markdown.includes('2:   addItem(): void {}'));
      assert.ok(markdown.includes(`/acme/shop@${source.commit}/-/blob/src/cart.ts?L${source.startLine}`));
    },
  },
  {
    name: 'the parts of an answer are its markdown, each with the sources that it rests on',
    async run(researcher) {
      const { markdown, sources, parts = [] } = await ask(researcher, 'cart in acme/shop');
      assert.equal(parts.map((part) => part.markdown).join('\n\n'), markdown);
      assert.deepEqual(
        parts.flatMap((part) => part.sources),
        sources,
      );
      for (const part of parts)
        for (const { path } of sources) if (part.markdown.includes(path)) assert.notEqual(part.sources.length, 0);
    },
  },
  {
    name: 'a question is asked of its scope, else of repositories that are named, else of those that say most',
    async run(researcher) {
      assert.equal((await repos(researcher, 'what lints everything?'))[0], 'acme/tools');
      assert.deepEqual(await repos(researcher, 'what is exported by acme/tools?'), ['acme/tools']);
      assert.deepEqual(await repos(researcher, 'what is exported?', { scope: ['acme/tools'] }), ['acme/tools']);
      const hidden = await declined(ask(researcher, 'retry', { scope: ['acme/vault'] }));
      assert.equal(hidden.code, 'not_found');
    },
  },
  {
    name: 'a follow-up is about what was asked before',
    async run(researcher) {
      const history = [{ question: 'How does the cart of acme/shop work?', answer: 'Like this.' }];
      const { sources } = await ask(researcher, 'and where is an item added?', { history });
      assert.deepEqual([sources[0]?.repo, sources[0]?.path], ['acme/shop', 'src/cart.ts']);
    },
  },
  {
    name: 'an answer about a shallow clone says that its history begins late',
    async run(researcher) {
      const question = 'when was addEntry added to the ledger?';
      const { markdown, notes = [], sources } = await ask(researcher, question, { scope: ['acme/shallow'] });
      assert.deepEqual(
        sources.map(({ repo }) => repo),
        ['acme/shallow'],
      );
      assert.match(notes.join(), /only the later part of the history/);
      assert.ok(notes.every((note) => markdown.includes(note) && !note.includes('acme/shallow')));
      assert.match((await locate(researcher, 'acme/shallow: addEntry')).summary, /only the later part of the history/);
      assert.equal((await ask(researcher, question, { scope: ['acme/shop'] })).notes, undefined);
    },
  },
  {
    name: 'an answer says that something could not be searched, without the name of a repository',
    async run(researcher) {
      const { markdown, notes = [] } = await ask(researcher, 'where is the needle?', { scope: ['acme/torn'] });
      assert.match(notes.join(), /^Not everything could be searched/);
      assert.ok(notes.every((note) => markdown.includes(note) && !note.includes('acme/torn')));
    },
  },
  {
    name: 'an answer says so when nothing is found, and never shows what the caller may not read',
    async run(researcher) {
      const nothing = await ask(researcher, 'zebra quagga okapi');
      assert.deepEqual(nothing.sources, []);
      assert.match(nothing.markdown, /Nothing/);
      const { markdown } = await ask(researcher, 'retry every failed request of the vault');
      assert.ok(!markdown.includes('of the vault'));
      assert.equal((await declined(ask(researcher, ' '))).code, 'invalid_argument');
    },
  },
];

/** What the built-in research must do over `researchedRepositories`; run each case as a test of its own. */
export const researcherConformance: readonly ResearcherConformanceCase[] = [
  ...locating,
  ...declining,
  ...limits,
  ...answering,
];
