import { expect, test } from 'vitest';
import { loadConfig } from './config/config.ts';
import { run } from './testing/run-sextant.ts';
import { configOf, pluginSource, scratch } from './testing/scratch.ts';

/** Beside it others are unfit: it provides what only services may need. */
const vault = `import { definePlugin, token } from '@sextant/core';
export default definePlugin({ name: 'vault', provides: { vault: token('vault', { isForServices: true }) }, start: async () => ({ vault: { value: 'secret' } }) });`;

const thief = pluginSource('thief', '').replace(
  'needs: {}',
  "needs: { vault: (await import('@sextant/core')).token('vault') }",
);

test.each([
  [
    'has a tool of a name that is taken',
    {
      first: pluginSource('first', ''),
      second: pluginSource('second', '').replace("name: 'second', t", "name: 'first', t"),
    },
    { plugin: 'second', reason: 'first has a tool named first, too' },
  ],
  [
    'makes a token of its own for what only services may need',
    { first: vault, thief },
    { plugin: 'thief', reason: 'tool thief of thief must not need "vault", which knows no caller; only a service may' },
  ],
  [
    'provides what another one provides',
    { first: vault, second: vault.replace("name: 'vault'", "name: 'second'") },
    { plugin: 'second', reason: 'vault provides "vault", too' },
  ],
])('an optional plugin that %s is left out, and the others stay', async (_, plugins, quarantined) => {
  await using place = await scratch();
  for (const [name, source] of Object.entries(plugins)) await place.write(`${name}.ts`, source);
  const keys = Object.keys(plugins).map((name) => [`./${name}`, { optional: name === quarantined.plugin }]);
  const file = await place.write('sextant.config.json', configOf(Object.fromEntries(keys)));
  const configuration = await loadConfig({ file, workingDirectory: place.folder, repositories: [] });
  expect(configuration.quarantined).toEqual([quarantined]);
  expect(configuration.plugins).toHaveLength(1);
});

test('a check of the configuration names what only shows when it is used', async () => {
  await using place = await scratch();
  await place.write(
    'go.ts',
    `import { defineCommand, definePlugin, token } from '@sextant/core'; import { z } from 'zod';
export default definePlugin({ name: 'go', commands: [defineCommand({ name: 'go', summary: 'Go.', input: z.object({}), needs: { x: token('nothing') }, output: z.object({}), run: async () => ({}), toText: () => '' })] });`,
  );
  await place.write('sextant.config.json', configOf({ './go': {} }));
  const needs = await run(['config', 'check'], { cwd: place.folder });
  expect([needs.code, needs.stderr]).toEqual([
    1,
    'the command go of go needs "nothing", which no loaded plugin provides\n',
  ]);
  await place.write('sextant.config.json', JSON.stringify({ 'mcp.tools.disabled': ['read_fil'] }));
  const disabled = await run(['config', 'check'], { cwd: place.folder });
  expect([disabled.code, disabled.stderr]).toEqual([
    1,
    expect.stringContaining('mcp.tools.disabled: no plugin brings a tool "read_fil". Did you mean "read_file"?'),
  ]);
});

test('what a plugin prints or throws while it is loaded does not disturb the protocol of stdio', async () => {
  await using place = await scratch();
  const noise = `console.log('noise'); process.stdout.write('more noise');
setTimeout(() => { throw new Error('in a timer'); }); void Promise.reject(new Error('rejected'));`;
  await place.write('noisy.ts', noise + pluginSource('noisy', 'fine'));
  await place.write('sextant.config.json', JSON.stringify({ plugins: { './noisy': { trusted: true } } }));
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const messages = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'noisy', arguments: {} } },
  ];
  const input = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
  const { code, stdout, stderr } = await run(['stdio'], { cwd: place.folder, input });
  const lines = stdout.trim().split('\n');
  expect([code, lines.map((line) => JSON.parse(line))]).toMatchObject([
    0,
    [{ id: 1 }, { id: 2, result: { content: [{ text: 'fine' }] } }],
  ]);
  for (const said of ['noise', 'more noise', 'in a timer', 'rejected']) expect(stderr).toContain(said);
});

test('a plugin that changes the prototype of all objects fails at that line', async () => {
  await using place = await scratch();
  await place.write('pollutes.mjs', 'Object.prototype.everywhere = 1;');
  await place.write('sextant.config.json', configOf({ './pollutes.mjs': { optional: true } }));
  const { stdout } = await run(['plugin', 'list'], { cwd: place.folder });
  expect(stdout).toContain(
    'pollutes.mjs:1 failed while loading: Cannot add property everywhere, object is not extensible',
  );
});

test('a start that fails shows when plugins are listed with it', async () => {
  await using place = await scratch();
  await place.write(
    'fails.ts',
    `import { definePlugin } from '@sextant/core';
export default definePlugin({ name: 'fails', start: async () => { throw new Error('no database'); } });`,
  );
  await place.write('sextant.config.json', configOf({ './fails': { optional: true } }));
  const { stdout } = await run(['plugin', 'list', '--start', '--json'], { cwd: place.folder });
  expect(JSON.parse(stdout)).toMatchObject({ plugins: [{ name: 'fails', state: 'failed', reason: 'no database' }] });
});
