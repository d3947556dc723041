import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Assembly } from './lifecycle.ts';
import { silentLogger } from './logger.ts';
import { silentMetrics } from './metrics.ts';
import { definePlugin } from './plugin.ts';
import type { Plugin } from './plugin.ts';
import { closureOf, startOrder } from './start-order.ts';
import { thisPlugin } from './this-plugin.ts';
import { optional, token } from './token.ts';
import { defineWrapper } from './wrapper.ts';
import { defineTool } from '../surface/tool.ts';

interface Greeter {
  greet(): string;
}
const Greeter = token<Greeter>('greeter');
const greeter = definePlugin({
  name: 'greeter',
  provides: { it: Greeter },
  start: async () => ({ it: { value: { greet: () => 'hello' } } }),
});

/** Its wrapper adds a word. */
const adds = (word: string, order?: number): Plugin =>
  definePlugin({
    name: `adds-${word}`,
    wrappers: [
      defineWrapper({
        service: Greeter,
        ...(order !== undefined && { order }),
        wrap: (inner) => ({ greet: () => `${word} ${inner.greet()}` }),
      }),
    ],
  });
const user = definePlugin({
  name: 'user',
  needs: { it: Greeter },
  provides: { said: token<string>('said') },
  start: async (_config, { it }) => ({ said: { value: it.greet() } }),
});

const start = (plugins: readonly (readonly [Plugin, object?])[], previous?: Assembly): Promise<Assembly> =>
  Assembly.start({
    plugins: plugins.map(([plugin, config = {}]) => ({ plugin, config, isOptional: plugin.name === 'adds-bad' })),
    contextOf: () => ({
      log: silentLogger,
      metrics: silentMetrics,
      dataFolder: '/data',
      externalURL: 'http://localhost',
      configFolder: '/',
    }),
    ...(previous && { previous }),
  });
const said = ({ services }: Assembly): unknown => services.resolve({ said: token<string>('said') }).said;

test('whoever needs a wrapped service gets the wrapped one, whatever the order of the plugins', async () => {
  for (const plugins of [
    [user, adds('a'), greeter],
    [greeter, adds('a'), user],
  ])
    expect(said(await start(plugins.map((plugin) => [plugin])))).toBe('a hello');
});

test('wrappers of a lower order are passed first, of equal ones that of the first plugin', async () => {
  const plugins = [adds('c', 5), adds('a', -1), user, adds('b'), greeter, adds('b2')];
  expect(said(await start(plugins.map((plugin) => [plugin])))).toBe('a b b2 c hello');
});

test('a wrapper of a service that nobody provides is named', () => {
  expect(() => startOrder([adds('a')])).toThrow(
    'wrapper of "greeter" of adds-a needs "greeter", which no loaded plugin provides',
  );
});

test('a wrapper may do without its service', async () => {
  const wrapper = defineWrapper({
    service: optional(Greeter),
    wrap: (inner) => inner && { greet: () => `dear ${inner.greet()}` },
  });
  const polite = definePlugin({ name: 'polite', wrappers: [wrapper] });
  const assembly = await start([[polite]]);
  expect(assembly.plugins).toEqual([polite]);
  expect(said(await start([[polite], [greeter], [user]]))).toBe('dear hello');
});

test('a plugin cannot wrap what it needs or provides itself', () => {
  const wrappers = [defineWrapper({ service: Greeter, wrap: (inner) => inner })];
  for (const more of [{ needs: { it: Greeter } }, { provides: { it: Greeter } }])
    expect(() => definePlugin({ name: 'both', wrappers, ...more, start: async () => ({}) as never })).toThrow(
      'plugin both must not wrap "greeter", which it needs or provides itself',
    );
});

test('an optional plugin whose wrapper fails is left out, and the service stays as it is', async () => {
  const bad = definePlugin({
    name: 'adds-bad',
    wrappers: [defineWrapper({ service: Greeter, wrap: () => Promise.reject(new Error('no')) })],
  });
  const assembly = await start([[bad], [greeter], [user]]);
  expect([said(assembly), assembly.quarantined]).toEqual(['hello', [{ plugin: 'adds-bad', reason: 'no' }]]);
});

interface Doorman {
  open(): string;
}
const Doorman = token<Doorman>('doorman');
const doorman = definePlugin({
  name: 'doorman',
  needs: { greeter: Greeter },
  provides: { it: Doorman },
  start: async (_config, { greeter: { greet } }) => ({ it: { value: { open: () => `open, ${greet()}` } } }),
});
const opened = ({ services }: Assembly): unknown => services.resolve({ it: Doorman }).it.open();

test('a plugin can wrap several services of which one needs another', async () => {
  const loud = definePlugin({
    name: 'loud',
    wrappers: [
      defineWrapper({ service: Doorman, wrap: (inner) => ({ open: () => `${inner.open()}!` }) }),
      defineWrapper({ service: Greeter, wrap: (inner) => ({ greet: () => inner.greet().toUpperCase() }) }),
    ],
  });
  for (const plugins of [
    [loud, doorman, greeter],
    [greeter, doorman, loud],
  ])
    expect(opened(await start(plugins.map((plugin) => [plugin])))).toBe('open, HELLO!');
});

test('an optional plugin whose second wrapper fails is left out of all that it wraps', async () => {
  const bad = definePlugin({
    name: 'adds-bad',
    wrappers: [
      defineWrapper({ service: Greeter, wrap: () => ({ greet: () => 'bad' }) }),
      defineWrapper({ service: Doorman, wrap: () => Promise.reject(new Error('no')) }),
    ],
  });
  const assembly = await start([[bad], [greeter], [doorman]]);
  expect([opened(assembly), assembly.quarantined]).toEqual(['open, hello', [{ plugin: 'adds-bad', reason: 'no' }]]);
});

test('a following assembly shares a wrapped service, and those that need it', async () => {
  const plugins = [[greeter], [adds('a')], [user]] as const;
  const first = await start(plugins);
  const second = await start([...plugins, [definePlugin({ name: 'more' })]], first);
  const of = ({ services }: Assembly): unknown => services.resolve({ it: Greeter }).it;
  expect(of(second)).toBe(of(first));
});

test('a part that needs a service is started with what wraps it', () => {
  const wrapper = adds('a');
  expect(closureOf([greeter, wrapper, user], ['greeter'])).toEqual([greeter, wrapper]);
});

const config = z.object({ word: z.string() });
const tellsItself = (name: string): Plugin =>
  definePlugin({
    name,
    config,
    tools: [
      defineTool({
        name: name.replaceAll('-', '_'),
        title: '',
        description: '',
        endpoints: [],
        needs: { plugin: thisPlugin(config) },
        input: z.object({}),
        output: z.object({ word: z.string() }),
        run: async (_input, { plugin }) => ({ word: plugin.settings.word }),
        toText: () => '',
      }),
    ],
  });

test('what a plugin brings gets the settings and a data folder of its own plugin', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'sextant-core-'));
  onTestFinished(() => rm(dataFolder, { recursive: true }));
  const assembly = await Assembly.start({
    plugins: ['one', 'two'].map((name) => ({ plugin: tellsItself(name), config: { word: name }, isOptional: false })),
    contextOf: () => ({
      log: silentLogger,
      metrics: silentMetrics,
      dataFolder,
      externalURL: 'http://localhost',
      configFolder: '/',
    }),
  });
  const own = assembly.plugins.map(({ tools: [tool] }) => assembly.services.resolve(tool?.needs ?? {})['plugin']);
  expect(own).toMatchObject([
    { settings: { word: 'one' }, dataFolder: join(dataFolder, 'plugins', 'one') },
    { settings: { word: 'two' }, dataFolder: join(dataFolder, 'plugins', 'two') },
  ]);
  expect((await stat(join(dataFolder, 'plugins', 'one'))).mode & 0o777).toBe(0o700);
});

test('no plugin gets the settings of another', () => {
  const needs = { other: Object.freeze({ name: 'plugin:one', isOwn: true }) };
  const [tool] = tellsItself('two').tools;
  if (!tool) throw new Error('no tool');
  expect(() => definePlugin({ name: 'thief', tools: [{ ...tool, needs }] })).toThrow(
    'tool two of thief must not need "plugin:one"; only that plugin may',
  );
  const forged = definePlugin({ name: 'thief', tools: [{ ...tool, needs: { other: token('plugin:one') } }] });
  expect(() => startOrder([tellsItself('one'), forged])).toThrow(
    'tool two of thief needs "plugin:one", which no loaded plugin provides',
  );
});
