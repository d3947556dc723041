import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadConfig } from '../config/config.ts';
import { createLog } from '../log/log.ts';
import { LiveServing } from './reload.ts';
import { startGeneration } from './start.ts';
import { configOf, pluginSource, scratch } from '../testing/scratch.ts';
import type { Scratch } from '../testing/scratch.ts';

/** A plugin that writes down when it starts and closes. */
const noted = (name: string): string =>
  `import { appendFile } from 'node:fs/promises'; import { join } from 'node:path'; import { token } from '@sextant/core';${pluginSource(
    name,
    name,
    `config: z.object({ word: z.string().default('') }), provides: { it: token('${name}') },
     async start({ word }, _services, { dataFolder }) {
       const note = (what) => appendFile(join(dataFolder, 'notes'), what + ' ${name}' + word + '\\n');
       if (word === 'bad') throw new Error('bad word');
       await note('started');
       return { it: { value: {}, close: () => note('closed') } };
     }`,
  )}`;

async function serving(
  place: Scratch,
  { isNamed = true } = {},
): Promise<{ live: LiveServing; messages: string[]; lines: object[]; [Symbol.asyncDispose](): Promise<void> }> {
  const messages: string[] = [];
  const lines: object[] = [];
  const destination = {
    write: (line: string) => {
      lines.push(JSON.parse(line));
      messages.push(JSON.parse(line).msg);
    },
  };
  const log = createLog('info', { destination });
  const source = { file: place.path('sextant.config.json'), workingDirectory: place.folder, repositories: [] };
  const options = { source, dataFolder: place.folder, listeningURL: 'http://127.0.0.1:1', log };
  const generation = await startGeneration(await loadConfig(source), options);
  const live = new LiveServing(generation, isNamed ? options : { ...options, source: { ...source, file: undefined } });
  return { live, messages, lines, [Symbol.asyncDispose]: () => live.close() };
}

const write = (place: Scratch, plugins: object, settings: object = {}): Promise<string> =>
  place.write('sextant.config.json', configOf(plugins, settings));
const notes = async (place: Scratch): Promise<string[]> =>
  (await readFile(place.path('notes'), 'utf8')).trim().split('\n');
const tools = ({ current }: LiveServing): string[] =>
  (current.registry.list('/.api/mcp') ?? []).map(({ name }) => name);

async function twoPlugins(): Promise<Scratch> {
  const place = await scratch();
  await place.write('a.ts', noted('a'));
  await place.write('b.ts', noted('b'));
  return place;
}

test('new plugins load and removed ones drain, while what is unchanged goes on', async () => {
  await using place = await twoPlugins();
  await write(place, { './a.ts': {} });
  await using running = await serving(place);
  const { live } = running;
  await write(place, { './a.ts': {}, './b.ts': {} });
  await live.reload();
  expect(tools(live)).toEqual(['a', 'b']);
  await write(place, { './a.ts': {} });
  await live.reload();
  expect(tools(live)).toEqual(['a']);
  await live.close();
  expect(await notes(place)).toEqual(['started a', 'started b', 'closed b', 'closed a']);
});

test('the log says which plugins are new, those too whose file has changed, and which are left out, and why', async () => {
  await using place = await twoPlugins();
  await write(place, { './a.ts': {}, './b.ts': {} });
  await using running = await serving(place);
  const { live, lines } = running;
  await place.write('a.ts', `${noted('a')}\n// changed`);
  await write(place, { './a.ts': {}, './b.ts': { optional: true, word: 'bad' } });
  await live.reload();
  expect(lines.slice(-2)).toMatchObject([
    { loaded: ['a'], removed: ['b'], failed: ['b'] },
    { level: 'error', msg: expect.stringMatching(/^serving without the plugin b: .*bad word/) },
  ]);
});

test('a server that began without a configuration file finds the one that was written since', async () => {
  await using place = await twoPlugins();
  await write(place, {});
  await using running = await serving(place, { isNamed: false });
  await write(place, { './a.ts': {} });
  await running.live.reload();
  expect(tools(running.live)).toEqual(['a']);
});

test('a call in flight keeps what it began with until it ends', async () => {
  await using place = await twoPlugins();
  await write(place, { './a.ts': {}, './b.ts': {} });
  await using running = await serving(place);
  const { live } = running;
  const before = live.current;
  const release = before.hold();
  await write(place, { './a.ts': {} });
  await live.reload();
  expect(live.current).not.toBe(before);
  expect(before.assembly.plugins.map(({ name }) => name)).toEqual(['host', 'a', 'b']);
  expect(await notes(place)).toEqual(['started a', 'started b']);
  release();
  await expect.poll(() => notes(place)).toEqual(['started a', 'started b', 'closed b']);
});

const invalid = {
  'a value that is not allowed': { logLevel: 'loud' },
  'an endpoint of a tool that is not loaded': { endpoints: { '/.api/mcp/x': ['nope'] } },
} as const;

test.each(Object.entries(invalid))(
  'an invalid edit keeps the running configuration and says so: %s',
  async (_what, settings) => {
    await using place = await twoPlugins();
    await write(place, { './a.ts': {} });
    await using running = await serving(place);
    const { live, messages } = running;
    const before = live.current;
    await write(place, { './a.ts': {}, './b.ts': {} }, settings);
    await live.reload();
    expect(live.current).toBe(before);
    expect(live.configurationError).toMatch(/logLevel|nope/);
    expect(messages.at(-1)).toMatch(/^the changed configuration is not in force, the one before goes on: /);
    await write(place, { './a.ts': {} });
    await live.reload();
    expect(live.configurationError).toBeUndefined();
  },
);

test('a plugin that fails to start leaves nothing of the new configuration running', async () => {
  await using place = await twoPlugins();
  await write(place, { './a.ts': {} });
  await using running = await serving(place);
  const { live } = running;
  await write(place, { './b.ts': {}, './a.ts': { word: 'bad' } });
  await live.reload();
  expect(live.configurationError).toMatch(/^plugin a failed to start: bad word \(.*a\.ts:\d+\)$/);
  expect(tools(live)).toEqual(['a']);
  expect(await notes(place)).toEqual(['started a', 'started b', 'closed b']);
});

test('a start that fails is shown with the line of the plugin', async () => {
  await using place = await twoPlugins();
  await write(place, { './a.ts': {} });
  await using running = await serving(place);
  await place.write(
    'c.ts',
    `import { definePlugin } from '@sextant/core';
export default definePlugin({ name: 'c', start: async () => {
  throw new Error('no key');
} });`,
  );
  await write(place, { './a.ts': {}, './c.ts': {} });
  await running.live.reload();
  expect(running.live.configurationError).toBe(`plugin c failed to start: no key (${place.path('c.ts')}:3)`);
});

test('changes during a reload lead to one more, not to many', async () => {
  await using place = await twoPlugins();
  await write(place, { './a.ts': {} });
  await using running = await serving(place);
  const { live, messages } = running;
  await Promise.all([live.reload(), live.reload(), live.reload()]);
  expect(messages).toEqual(['the changed configuration is in force', 'the changed configuration is in force']);
});

test('a changed log level counts at once, for plugins that go on running too', async () => {
  await using place = await scratch();
  const more = `provides: { it: token('it') }, async start(_config, _services, { log }) { return { it: { value: log } }; }`;
  await place.write('a.ts', `import { token } from '@sextant/core';${pluginSource('a', 'a', more)}`);
  await write(place, { './a.ts': {} });
  await using running = await serving(place);
  const { live, messages } = running;
  const { it: log } = live.current.assembly.services.resolve({ it: { name: 'it' } });
  await write(place, { './a.ts': {} }, { logLevel: 'debug' });
  await live.reload();
  expect(log).toHaveProperty('debug');
  if (typeof log === 'object' && log !== null && 'debug' in log && typeof log.debug === 'function')
    log.debug({}, 'now heard');
  expect(messages.at(-1)).toBe('now heard');
});
