import { createServer } from 'node:http';
import { mkdir, symlink } from 'node:fs/promises';
import { once } from 'node:events';
import { isSextantError, runGuarded, silentLogger } from '@sextant/core';
import type { Logger, Outcome } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../config/config.ts';
import type { Generation } from '../server/generation.ts';
import { startGeneration } from '../server/start.ts';
import { run } from '../testing/run-sextant.ts';
import { configOf, scratch } from '../testing/scratch.ts';
import type { Scratch } from '../testing/scratch.ts';

const imports = `import { all, contribute, defineCommand, definePlugin, defineTool, point, thisPlugin, token } from '@sextant/core'; import { z } from 'zod';
import { readFileSync, writeFileSync } from 'node:fs'; import { join } from 'node:path';`;

const tool = (
  body: string,
  more = '',
): string => `defineTool({ name: 'it', title: 'It', description: 'Does it.', endpoints: [], needs: { plugin: thisPlugin(config) },
  input: z.object({ text: z.string().default('').describe('A text') }), output: z.object({ text: z.string() }), activity: 'reading', ${more}
  async run({ text }, { plugin, ...services }, call) { ${body} }, toText: ({ text }) => text })`;

const plugin = (body: string, { more = '', toolMore = '', config = '' } = {}): string => `${imports}
const config = z.object({ ${config} });
export default definePlugin({ name: 'own', config, tools: [${tool(body, toolMore)}], ${more} });`;

async function started(
  source: string,
  settings: object = {},
  { others = {}, log = silentLogger }: { others?: object; log?: Logger } = {},
): Promise<{ place: Scratch; generation: Generation; ask(text?: string, signal?: AbortSignal): Promise<Outcome> }> {
  const place = await scratch();
  onTestFinished(() => place[Symbol.asyncDispose]());
  await place.write('plugins/own.ts', source);
  await mkdir(place.path('data'));
  const file = await place.write(
    'sextant.config.json',
    configOf({ ...others, './plugins/own': { isolation: 'process', ...settings } }),
  );
  const configuration = await loadConfig({ file, workingDirectory: place.folder, repositories: [] });
  // Of the log of the host only what tests look at is here.
  const options = { dataFolder: place.path('data'), listeningURL: 'http://127.0.0.1:1', log: log as never };
  const generation = await startGeneration(configuration, options);
  onTestFinished(() => generation.retire(0));
  return {
    place,
    generation,
    ask(text = '', signal = new AbortController().signal) {
      const found = generation.registry.find('/.api/mcp/all', 'it');
      if (!found) throw new Error('no tool');
      const call = { caller: callerOf('ann'), endpoint: '/', signal, log, reportProgress() {} };
      return runGuarded({ tool: found.tool, input: { text }, services: generation.servicesOf(found.tool), call });
    },
  };
}

const textOf = (outcome: Outcome): string =>
  outcome.ok ? outcome.text : `${outcome.error.code} ${outcome.error.message}`;

test('a tool in a process of its own has its arguments, settings, data folder and errors', async () => {
  const body = `
    if (text === 'bad') throw Object.assign(new Error('not this one'), { name: 'SextantError', code: 'not_found' });
    writeFileSync(join(plugin.dataFolder, 'x'), text);
    return { text: plugin.settings.word + readFileSync(join(plugin.dataFolder, 'x'), 'utf8') + call.caller.user.name };`;
  const { ask, generation } = await started(
    plugin(body, { config: `word: z.string().default('hm').transform((word) => word + '!')` }),
    {
      word: 'oh',
    },
  );
  expect(textOf(await ask('x'))).toBe('oh!xann');
  expect(textOf(await ask('bad'))).toBe('not_found not this one');
  const listed = generation.registry.find('/.api/mcp/all', 'it')?.tool;
  expect(listed).toMatchObject({
    activity: 'reading',
    isReadOnly: true,
    inputSchema: { properties: { text: { type: 'string' } } },
  });
  const wrong = await runGuarded({
    tool: listed as never,
    input: { txt: 1 },
    services: generation.servicesOf(listed as never),
    call: {
      caller: callerOf('ann'),
      endpoint: '/',
      signal: new AbortController().signal,
      log: silentLogger,
      reportProgress() {},
    },
  });
  expect(textOf(wrong)).toMatch(/^invalid_argument .*txt/);
});

test('what the caller cancels is canceled in the other process', async () => {
  const { ask } = await started(
    plugin(`if (text === 'seen') return { text: globalThis.seen ?? 'nothing' };
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve)); globalThis.seen = call.signal.reason.code; return { text: '' };`),
  );
  const controller = new AbortController();
  const running = ask('', controller.signal);
  await ask('seen');
  controller.abort();
  expect(textOf(await running)).toMatch(/^canceled/);
  await expect.poll(async () => textOf(await ask('seen'))).toBe('canceled');
});

test('a capability is used only where it is declared and allowed', async () => {
  const server = createServer((_request, response) => void response.end('reached')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const source = plugin(`return { text: await (await fetch(text)).text() };`, { more: `capabilities: ['network'],` });
  await expect(started(source)).rejects.toThrow(
    'the plugin own wants network, which the configuration does not allow; "allow: [network]" does',
  );
  expect(textOf(await (await started(source, { allow: ['network'] })).ask(url))).toBe('reached');
  const undeclared = await started(source.replace(`capabilities: ['network'],`, ''), { allow: ['network'] });
  expect(textOf(await undeclared.ask(url))).toMatch(/^internal/);
});

const unfit: readonly (readonly [string, string, RegExp])[] = [
  [
    'a command',
    `commands: [defineCommand({ name: 'x', summary: 'X', input: z.object({}), needs: {}, output: z.object({}), run: async () => ({}), toText: () => '' })],`,
    /has commands; a process of its own .* "trusted: true"/,
  ],
  ['a service', `provides: { x: token('x') }, start: async () => ({ x: { value: {} } }),`, /has provides;/],
  ['needs at its start', `needs: { x: all(point('x')) },`, /has needs;/],
];
test.each(unfit)('what cannot run in a process of its own is refused: %s', async (_what, more, reason) => {
  await expect(started(plugin(`return { text: '' };`, { more }))).rejects.toThrow(reason);
});

test('a service that does not say what of it may leave the server is refused', async () => {
  const place = await scratch();
  onTestFinished(() => place[Symbol.asyncDispose]());
  const vault = await place.write(
    'vault.ts',
    `import { definePlugin, token } from '@sextant/core';
export default definePlugin({ name: 'vault', provides: { it: token('vault') }, start: async () => ({ it: { value: { open() {} } } }) });`,
  );
  const source = plugin(`return { text: '' };`).replace(
    'plugin: thisPlugin(config)',
    `plugin: thisPlugin(config), vault: token('vault')`,
  );
  await expect(started(source, {}, { others: { [vault]: {} } })).rejects.toThrow(
    `the tool it needs "vault", which only a plugin in the server's process can have`,
  );
});

test('a plugin that ends its process while it starts is not started again', async () => {
  const more = `start: async () => { setImmediate(() => process.exit(3)); await new Promise(() => {}); },`;
  const lines: string[] = [];
  const note = (_fields: object, message: string): void => void lines.push(message);
  const log = { ...silentLogger, error: note, info: note };
  await expect(started(plugin(`return { text: '' };`, { more }), {}, { log })).rejects.toThrow(
    'it ended itself with code 3',
  );
  // Longer than the first pause.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(lines.filter((line) => line.includes('was stopped'))).toHaveLength(1);
});

test('a start that fails in the other process is told, as is a mistake at its load with its line', async () => {
  await expect(
    started(plugin(`return { text: '' };`, { more: `start: async () => { throw new Error('no key'); },` })),
  ).rejects.toThrow('plugin own failed to start: no key');
  await expect(started(`${imports}\n\nthrow new Error('broken');`)).rejects.toThrow(
    /own\.ts:4 failed while loading: broken/,
  );
});

test('a plugin reads its own folder and nothing beside it', async () => {
  const { ask, place } = await started(
    plugin(`try { return { text: readFileSync(text, 'utf8') }; } catch (error) { return { text: error.code }; }`),
  );
  await place.write('plugins/notes.txt', 'private');
  for (const path of ['sextant.config.json', 'plugins/notes.txt', 'data/x'])
    expect(textOf(await ask(place.path(path)))).toBe('ERR_ACCESS_DENIED');
  expect(textOf(await ask(place.path('plugins/own.ts')))).toContain('definePlugin');
});

test('a plugin whose folder holds the configuration is refused', async () => {
  const place = await scratch();
  onTestFinished(() => place[Symbol.asyncDispose]());
  await place.write('index.ts', plugin(`return { text: '' };`));
  await place.write('sextant.config.json', configOf({ './index.ts': { isolation: 'process' } }));
  const { stderr } = await run(['plugin', 'list', '--start'], { cwd: place.folder });
  expect(stderr).toContain('which an isolated plugin must not read; keep it in a folder of its own');
});

test('a folder whose files lead out of it is refused', async () => {
  const place = await scratch();
  onTestFinished(() => place[Symbol.asyncDispose]());
  await place.write('secret.ts', '');
  await place.write('own/index.ts', plugin(`return { text: '' };`));
  await symlink('../secret.ts', place.path('own/linked.ts'));
  const file = await place.write('c.json', configOf({ './own': { isolation: 'process' } }));
  const error = await loadConfig({ file, workingDirectory: place.folder, repositories: [] }).catch(
    (thrown: unknown) => thrown,
  );
  expect(isSextantError(error) || error instanceof Error ? String(error) : '').toContain(
    'leads out of the folder of its plugin',
  );
});

test('`plugin list` shows which plugins are isolated, and what they may do', async () => {
  const place = await scratch();
  onTestFinished(() => place[Symbol.asyncDispose]());
  await place.write('own.ts', plugin(`return { text: '' };`, { more: `capabilities: ['network'],` }));
  await place.write('sextant.config.json', configOf({ './own': { isolation: 'process', allow: ['network'] } }));
  const { stdout } = await run(['plugin', 'list'], { cwd: place.folder });
  expect(stdout).toBe('own  loaded  it; in a process of its own; capabilities network\n');
  await place.write('sextant.config.json', configOf({ './own': { isolation: 'thread' } }));
  const { stderr } = await run(['plugin', 'list'], { cwd: place.folder });
  expect(stderr).toContain('isolation: expected "in-process" or "process", found "thread"');
});
