import { readFile, rename } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { place } from '../testing/place.ts';
import { start } from '../testing/run-sextant.ts';

test('`sextant plugin new NAME` writes a working package with a test, and `plugin check` finds nothing wrong with it', async () => {
  const { sextant, path } = await place();
  const written = await sextant('plugin', 'new', '@acme/tool-line-stats');
  expect(written).toMatchObject({ code: 0, stderr: '' });
  expect(written.stdout).toContain(path('tool-line-stats/src/index.test.ts'));
  const checked = await sextant('plugin', 'check', 'tool-line-stats');
  expect(checked.code, checked.stdout).toBe(0);
  for (const passed of ['line_stats: answer', 'line_stats: hidden repositories', 'test: a file is measured'])
    expect(checked.stdout).toMatch(new RegExp(`^ok +\\S*.*${passed}$`, 'm'));
  expect(await sextant('plugin', 'new', 'tool-line-stats')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not empty'),
  });
});

/** Isolated, and trusted. `npm run test:packages` checks the other kinds as a stranger has them, built and installed. */
test.each(['service', 'authenticator'] as const)(
  '`plugin new --kind %s` writes a plugin that `plugin check` finds nothing wrong with',
  async (kind) => {
    const { sextant, path } = await place();
    expect(await sextant('plugin', 'new', '@acme/my-own', '--kind', kind)).toMatchObject({ code: 0, stderr: '' });
    const manifest = JSON.parse(await readFile(path('my-own/package.json'), 'utf8')) as { scripts: { test: string } };
    const [, settings] = / --settings (.*)$/.exec(manifest.scripts.test) ?? [];
    const given = settings === undefined ? [] : ['--settings', JSON.parse(settings) as string];
    const checked = await sextant('plugin', 'check', 'my-own', ...given);
    expect(checked.code, checked.stdout + checked.stderr).toBe(0);
    expect(checked.stdout).toMatch(/^ok +my-own: test: /m);
    expect(checked.stdout).toContain(
      kind === 'service' ? 'my-own: runs in a process of its own' : 'runs with "trusted: true" alone: ',
    );
    expect(await readFile(path('my-own/README.md'), 'utf8')).toContain(
      kind === 'service'
        ? '"@acme/my-own": { words: { cart: '
        : '"@acme/my-own": { trusted: true, secret: "${env:PROXY_SECRET}" }',
    );
  },
);

/** Everything wrong at once: it never stops, answers JSON, tells what exists, and has bugs for odd values. */
const careless = `import { Repositories } from '@sextant/contracts';
import { definePlugin, defineTool } from '@sextant/core';
import { z } from 'zod';
const tool = defineTool({
  name: 'careless', title: 'Careless', description: 'short', endpoints: [],
  needs: { repositories: Repositories },
  input: z.object({ repo: z.string().describe('Name') }), output: z.object({ answer: z.string() }),
  async run({ repo }, { repositories }, { caller, signal }) {
    if (signal.aborted) await new Promise(() => {});
    if (repo === 'sample-hidden') throw new Error('may not be read');
    await repositories.open(caller, repo);
    return { answer: repo };
  },
  toText: (output) => JSON.stringify(output),
});
export default definePlugin({ name: 'tool-careless', tools: [tool] });`;

test('what is wrong with a plugin is said tool by tool, and the command exits 1', async () => {
  const { sextant, write } = await place();
  await write('careless.ts', careless);
  const { code, stdout } = await sextant('plugin', 'check', 'careless.ts', '--json');
  const { findings } = JSON.parse(stdout) as { findings: { check: string; problem?: string }[] };
  const problems = Object.fromEntries(findings.map(({ check, problem }) => [check, problem]));
  expect(code).toBe(1);
  expect(problems).toEqual({
    starts: undefined,
    'runs in a process of its own': undefined,
    description: expect.stringContaining('in a sentence'),
    'token budget': undefined,
    answer: 'toText gave JSON; write it for a reader',
    'wrong arguments': undefined,
    'odd values': undefined,
    cancellation: 'it was still running 5 s after it was canceled',
    'hidden repositories': expect.stringContaining('answered differently'),
  });
});

/** One of each kind, each with a mistake, except those named `fine`. */
const kinds = `import { contribute, defineAuthenticator, defineCommand, definePage, definePlugin, defineReport, point, token } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { z } from 'zod';
const report = (name, cells) => defineReport({ name, path: '/api/' + name, query: z.object({}), needs: {}, columns: () => ['a', 'b'],
  async *rows() { yield [cells]; } });
const page = (name, respond) => definePage({ name, method: 'GET', path: '/' + name, access: 'anyone', needs: {}, respond });
const authenticator = (name, authenticate) => defineAuthenticator({ name, needs: {}, authenticate });
let starts = 0;
export default definePlugin({
  name: 'kinds',
  reports: [report('fine-report', [1, 2]), report('short-report', [1])],
  pages: [page('fine-page', async () => new Response('x')), page('bad-page', async () => { throw new Error('page'); })],
  authenticators: [authenticator('fine-door', async () => undefined), authenticator('open-door', async ({ headers }) => headers.has('cookie') ? callerOf('eve') : undefined)],
  commands: [defineCommand({ name: 'kinds show', summary: '', input: z.object({}), needs: {}, output: z.object({}), run: async () => ({}), toText: () => '' })],
  contributions: [contribute(point('nowhere'), 1)],
  provides: { it: token('kinds-service') },
  start: async () => {
    if ((starts += 1) > 1) throw new Error('the lock is still held');
    return { it: { value: {}, status: () => { throw new Error('no state'); } } };
  },
});`;

test('every kind of contribution is checked, and whether the plugin closes and starts again', async () => {
  const { sextant, write } = await place();
  await write('kinds.ts', kinds);
  const { stdout } = await sextant('plugin', 'check', 'kinds.ts', '--json');
  const { findings } = JSON.parse(stdout) as { findings: { subject: string; problem?: string }[] };
  expect(Object.fromEntries(findings.map(({ subject, problem }) => [subject, problem]))).toEqual({
    'fine-report': undefined,
    'short-report': 'a row has 1 cells, and there are 2 columns',
    'fine-page': undefined,
    'bad-page': 'page',
    'fine-door': undefined,
    'open-door': expect.stringContaining('as eve'),
    'kinds show': 'it has no summary for --help',
    'kinds-service': 'cannot tell its state: no state',
    nowhere: 'nobody takes what is put to "nowhere"; use the point of the contract',
    kinds: 'plugin kinds failed to start: the lock is still held',
  });
});

test('other plugins may be loaded beside one that is checked, and others of the preset left out', async () => {
  const { sextant, write } = await place();
  const source = (name: string, more: string): string =>
    `import { definePlugin, token } from '@sextant/core'; export default definePlugin({ name: '${name}', ${more} });`;
  await write(
    'giver.ts',
    source('giver', `provides: { it: token('gift') }, start: async () => ({ it: { value: {} } })`),
  );
  await write('taker.ts', source('taker', `needs: { it: token('gift') }`));
  const alone = await sextant('plugin', 'check', 'taker');
  expect([alone.code, alone.stdout]).toEqual([1, expect.stringContaining('provides; "--with PATH" loads one that')]);
  expect(alone.stdout).not.toContain('sextant.config');
  expect(await sextant('plugin', 'check', './taker', '--with', 'giver.ts')).toMatchObject({ code: 0 });
  // An isolated plugin may have a service of a trusted one, if its token says what crosses the border.
  const owners = `token('owners', { remote: { ownersOf: 'caller' } })`;
  await write('node_modules/owners/package.json', '{ "type": "module", "exports": "./index.js" }');
  await write(
    'node_modules/owners/index.js',
    source('owners', `provides: { it: ${owners} }, start: async () => ({ it: { value: { async ownersOf() {} } } })`),
  );
  await write('asks.ts', source('asks', `needs: { it: ${owners} }, tools: []`));
  const asked = await sextant('plugin', 'check', 'asks.ts', '--with', 'owners');
  expect([asked.code, asked.stdout]).toEqual([0, expect.stringContaining('asks: runs in a process of its own')]);
  await write(
    'audit.ts',
    source('own-audit', `provides: { it: token('audit') }, start: async () => ({ it: { value: {} } })`),
  );
  const taken = await sextant('plugin', 'check', 'audit.ts');
  expect([taken.code, taken.stdout]).toEqual([1, expect.stringContaining('both provide "audit"')]);
});

test('`plugin check --watch` checks after each change, also of a file that an editor replaces again and again', async () => {
  const { folder, path, write } = await place();
  const replace = async (word: string): Promise<void> => {
    await write('new.txt', `throw new Error('${word}');`);
    await rename(path('new.txt'), path('watched.ts'));
  };
  await replace('first');
  await using checking = start(['plugin', 'check', 'watched.ts', '--watch'], { cwd: folder });
  for (const [word, next] of [
    ['first', 'second'],
    ['second', 'third'],
    ['third', 'fourth'],
  ] as const) {
    await checking.untilWritten('stderr', new RegExp(`failed while loading: ${word}[^]*waiting for a change`));
    await replace(next);
  }
  await checking.untilWritten('stderr', /failed while loading: fourth/);
});

test('a plugin that does not start, and a path without one, say why', async () => {
  const { sextant, write } = await place();
  await write('lost.ts', careless.replace('import { Repositories }', 'import { Nothing as Repositories }'));
  expect(await sextant('plugin', 'check', 'lost.ts')).toMatchObject({ code: 1 });
  expect(await sextant('plugin', 'check', 'nowhere')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is neither a file nor a folder with a plugin'),
  });
});
