import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Assembly } from './lifecycle.ts';
import type { AssemblyOptions, ConfiguredPlugin } from './lifecycle.ts';
import { silentLogger } from './logger.ts';
import { silentMetrics } from './metrics.ts';
import { definePlugin } from './plugin.ts';
import type { Plugin, Provider } from './plugin.ts';
import { closureOf, startOrder } from './start-order.ts';
import { optional, token } from './token.ts';
import type { Needs } from './token.ts';
import { ContributionError, all, contribute, point } from '../surface/contribution.ts';
import { defineTool } from '../surface/tool.ts';

interface Service {
  name: string;
}
const tokenOf = (name: string) => token<Service>(name);

interface ServiceOptions {
  needs?: readonly string[];
  log?: string[];
  start?: () => Promise<void>;
  provider?: Partial<Provider<Service>>;
}

/** A plugin that provides the service of its own name. */
function service(name: string, { needs = [], log = [], start, provider }: ServiceOptions = {}): Plugin {
  return definePlugin({
    name,
    config: z.object({ level: z.number().optional() }),
    needs: Object.fromEntries(needs.map((need) => [need, tokenOf(need)])),
    provides: { own: tokenOf(name) },
    async start() {
      log.push(`start ${name}`);
      await start?.();
      const ready = async (): Promise<void> => void log.push(`ready ${name}`);
      const close = async (): Promise<void> => void log.push(`close ${name}`);
      return { own: { value: { name }, ready, close, ...provider } };
    },
  });
}

function toolPlugin(name: string, needs: Needs): Plugin {
  const tool = defineTool({
    name: name.replaceAll('-', '_'),
    title: '',
    description: '',
    endpoints: [],
    needs,
    input: z.object({}),
    output: z.object({}),
    run: async () => ({}),
    toText: () => '',
  });
  return definePlugin({ name, tools: [tool] });
}

const configured = (plugin: Plugin, change: Partial<ConfiguredPlugin> = {}): ConfiguredPlugin => ({
  plugin,
  config: {},
  isOptional: false,
  ...change,
});

const start = (plugins: readonly ConfiguredPlugin[], options: Partial<AssemblyOptions> = {}): Promise<Assembly> =>
  Assembly.start({
    plugins,
    contextOf: () => ({
      log: silentLogger,
      metrics: silentMetrics,
      dataFolder: '/data',
      externalURL: 'http://localhost',
      configFolder: '/',
    }),
    ...options,
  });

describe('the host orders the start', () => {
  const names = (plugins: readonly Plugin[]): string[] => plugins.map(({ name }) => name);
  const a = service('a', { needs: ['b', 'c'] });
  const b = service('b', { needs: ['c'] });
  const c = service('c');

  test('what a plugin needs starts before it, the rest as given', () => {
    expect(names(startOrder([a, b, c]))).toEqual(['c', 'b', 'a']);
    expect(names(startOrder([service('z'), c, service('y')]))).toEqual(['z', 'c', 'y']);
  });

  test('and names what is missing, tool and token, and what to switch off', () => {
    expect(() => startOrder([toolPlugin('tool-x', { b: tokenOf('b') }), a])).toThrow(
      'tool tool_x of tool-x needs "b", which no loaded plugin provides; plugin a needs "b", which no loaded plugin provides; ' +
        'plugin a needs "c", which no loaded plugin provides; ' +
        'load a plugin that does, or do without: `plugins: { tool-x: false, a: false }`',
    );
  });

  test('a circle is named', () => {
    const circle = [service('a', { needs: ['b'] }), service('b', { needs: ['c'] }), service('c', { needs: ['a'] })];
    expect(() => startOrder(circle)).toThrow('plugins need each other in a circle: a → b → c → a');
  });

  test('two providers of one service, and two plugins of one name, are refused', () => {
    const other = definePlugin({ name: 'other', provides: { c: tokenOf('c') } });
    expect(() => startOrder([c, other])).toThrow(
      'c and other both provide "c"; switch one off with `plugins: { c: false }`',
    );
    expect(() => startOrder([c, c])).toThrow('two plugins are named c; switch one off');
  });

  test('a part is started with all that it needs and nothing else', () => {
    expect(names(closureOf([a, b, c, service('d')], ['b']))).toEqual(['b', 'c']);
  });
});

describe('start, ready, close', () => {
  test('in the order of the needs, and closed in reverse', async () => {
    const log: string[] = [];
    const assembly = await start([configured(service('a', { needs: ['b'], log })), configured(service('b', { log }))]);
    await assembly.ready();
    await assembly.close();
    expect(log).toEqual(['start b', 'start a', 'ready b', 'ready a', 'close a', 'close b']);
  });

  test('a plugin gets exactly what it needs', async () => {
    let received: object = {};
    const user = definePlugin({
      name: 'user',
      needs: { b: tokenOf('b') },
      start: async (_config, services) => {
        received = services;
        return {};
      },
    });
    await start([configured(service('b')), configured(service('c')), configured(user)]);
    expect(received).toEqual({ b: { name: 'b' } });
  });

  test('a start that fails names the plugin, and what had started is closed', async () => {
    const log: string[] = [];
    const failing = service('a', { needs: ['b'], log, start: () => Promise.reject(new Error('no disk')) });
    await expect(start([configured(failing), configured(service('b', { log }))])).rejects.toThrow(
      'plugin a failed to start: no disk',
    );
    expect(log).toEqual(['start b', 'start a', 'close b']);
  });

  test('each step has a time limit', async () => {
    const limits = { startMs: 10, optionalStartMs: 5, readyMs: 10, closeMs: 10 };
    const forever = (): Promise<never> => new Promise(() => {});
    await expect(start([configured(service('a', { start: forever }))], { limits })).rejects.toThrow(
      'a starting took longer than 0.01 s',
    );
    const left = await start([configured(service('a', { start: forever }), { isOptional: true })], { limits });
    expect(left.quarantined).toEqual([{ plugin: 'a', reason: 'a starting took longer than 0.005 s' }]);
    const slow = await start([configured(service('a', { provider: { ready: forever, close: forever } }))], { limits });
    await expect(slow.ready()).rejects.toThrow('a getting ready took longer than 0.01 s');
    await expect(slow.close()).rejects.toThrow('a closing took longer than 0.01 s');
  });

  test('one that fails to close does not keep the others open', async () => {
    const log: string[] = [];
    const failing = service('a', { needs: ['b'], provider: { close: () => Promise.reject(new Error('stuck')) } });
    const assembly = await start([configured(failing), configured(service('b', { log }))]);
    await expect(assembly.close()).rejects.toThrow('stuck');
    expect(log).toEqual(['start b', 'close b']);
  });

  test('a start that does not return what it declares is refused', async () => {
    const forgetful = definePlugin({ name: 'a', provides: { a: tokenOf('a') }, start: async () => ({}) as never });
    await expect(start([configured(forgetful)])).rejects.toThrow(
      'plugin a failed to start: it declares "a" but its start did not return it as "a"',
    );
  });

  test('states are shown by service', async () => {
    const status = () => ({ isReady: false, detail: { done: 3 } });
    const assembly = await start([configured(service('a', { provider: { status } })), configured(service('b'))]);
    expect(assembly.status()).toEqual({ a: { isReady: false, detail: { done: 3 } } });
  });
});

describe('a contribution that a service cannot use', () => {
  const words = point<string>('words');
  const bad = definePlugin({ name: 'bad-word', contributions: [contribute(words, 'bad')] });
  const good = definePlugin({ name: 'good-word', contributions: [contribute(words, 'good')] });
  const reader = (seen: unknown[]): Plugin =>
    definePlugin({
      name: 'reader',
      needs: { words: all(words) },
      provides: { own: tokenOf('reader') },
      async start(_config, services) {
        if (services.words.includes('bad')) throw new ContributionError('bad', 'the word "bad" cannot be used');
        seen.push(...services.words);
        return { own: { value: { name: 'reader' } } };
      },
    });

  test.each([
    ['that starts before', (service: Plugin) => [configured(bad, { isOptional: true }), configured(service)]],
    ['that starts after', (service: Plugin) => [configured(service), configured(bad, { isOptional: true })]],
  ])('leaves out the optional plugin %s, with the reason', async (_when, pluginsOf) => {
    const seen: unknown[] = [];
    const assembly = await start([...pluginsOf(reader(seen)), configured(good)]);
    expect(assembly.quarantined).toEqual([{ plugin: 'bad-word', reason: 'the word "bad" cannot be used' }]);
    expect(assembly.plugins.map(({ name }) => name).toSorted()).toEqual(['good-word', 'reader']);
    expect(seen).toEqual(['good']);
    await assembly.close();
  });

  test('stops the start where its plugin is required', async () => {
    await expect(start([configured(bad), configured(reader([]))])).rejects.toThrow(
      'plugin reader failed to start: contribution of bad-word: the word "bad" cannot be used',
    );
  });
});

describe('an optional plugin that fails is quarantined and reported', () => {
  const failing = service('a', { start: () => Promise.reject(new Error('no key')) });

  test('the server starts without it', async () => {
    const assembly = await start([configured(failing, { isOptional: true }), configured(service('b'))]);
    expect(assembly.plugins.map(({ name }) => name)).toEqual(['b']);
    expect(assembly.quarantined).toEqual([{ plugin: 'a', reason: 'no key' }]);
  });

  test('and without the optional plugins and tools that need it', async () => {
    const user = configured(service('user', { needs: ['a'] }), { isOptional: true });
    const tool = configured(toolPlugin('tool-x', { a: tokenOf('a') }), { isOptional: true });
    const assembly = await start([configured(failing, { isOptional: true }), user, tool, configured(service('b'))]);
    expect(assembly.plugins.map(({ name }) => name)).toEqual(['b']);
    expect(assembly.quarantined).toEqual([
      { plugin: 'a', reason: 'no key' },
      { plugin: 'user', reason: 'needs "a", whose plugin failed' },
      { plugin: 'tool-x', reason: 'tool tool_x of tool-x needs "a", whose plugin failed' },
    ]);
  });

  test('but not without one that needs it and is not optional', async () => {
    const optional = configured(failing, { isOptional: true });
    await expect(start([optional, configured(service('user', { needs: ['a'] }))])).rejects.toThrow(
      'plugin user failed to start: needs "a", whose plugin failed',
    );
    await expect(start([optional, configured(toolPlugin('tool-x', { a: tokenOf('a') }))])).rejects.toThrow(
      'tool tool_x of tool-x needs "a", whose plugin failed: a: no key',
    );
  });

  test('one whose need nobody provides is left out too', async () => {
    const assembly = await start([configured(service('user', { needs: ['nobody'] }), { isOptional: true })]);
    expect(assembly.quarantined).toEqual([
      { plugin: 'user', reason: 'plugin user needs "nobody", which no loaded plugin provides' },
    ]);
  });
});

describe('a following assembly shares what is unchanged', () => {
  test('the same plugin with the same configuration and services is not started again, and the last holder closes it', async () => {
    const log: string[] = [];
    const [a, b] = [service('a', { needs: ['b'], log }), service('b', { log })];
    const first = await start([configured(a), configured(b)]);
    const second = await start([configured(a), configured(b), configured(service('c', { log }))], { previous: first });
    await second.ready();
    await first.close();
    expect(log).toEqual(['start b', 'start a', 'start c', 'ready c']);
    await second.close();
    expect(log.slice(4)).toEqual(['close c', 'close a', 'close b']);
  });

  test('a changed configuration starts the plugin anew, and all that need it', async () => {
    const log: string[] = [];
    const [a, b, c] = [service('a', { needs: ['b'], log }), service('b', { log }), service('c', { log })];
    const first = await start([configured(a), configured(b), configured(c)]);
    const second = await start([configured(a), configured(b, { config: { level: 2 } }), configured(c)], {
      previous: first,
    });
    expect(log.splice(0)).toEqual(['start b', 'start a', 'start c', 'start b', 'start a']);
    await first.close();
    expect(log.splice(0)).toEqual(['close a', 'close b']);
    await second.close();
    expect(log).toEqual(['close c', 'close a', 'close b']);
  });

  test('a following start that fails leaves the running one as it is', async () => {
    const log: string[] = [];
    const a = service('a', { log });
    const first = await start([configured(a)]);
    const failing = service('b', { start: () => Promise.reject(new Error('no')) });
    await expect(start([configured(a), configured(failing)], { previous: first })).rejects.toThrow(
      'plugin b failed to start: no',
    );
    expect(log).toEqual(['start a']);
    await first.close();
    expect(log).toEqual(['start a', 'close a']);
  });
});

describe('an optional need', () => {
  const taker = (seen: unknown[]): Plugin =>
    definePlugin({
      name: 'taker',
      needs: { other: optional(tokenOf('other')) },
      start: async (_config, { other }) => {
        seen.push(other?.name);
        return {};
      },
    });

  test('is undefined where nobody provides it, and started before where somebody does', async () => {
    const seen: unknown[] = [];
    for (const plugins of [[taker(seen)], [taker(seen), service('other')]]) {
      const assembly = await start(plugins.map((plugin) => configured(plugin)));
      await assembly.close();
    }
    expect(seen).toEqual([undefined, 'other']);
  });

  test('does not keep a plugin from running when what provides it failed', async () => {
    const seen: unknown[] = [];
    const failing = service('other', { start: () => Promise.reject(new Error('no disk')) });
    const assembly = await start([configured(taker(seen)), configured(failing, { isOptional: true })]);
    await assembly.close();
    expect(seen).toEqual([undefined]);
  });
});
