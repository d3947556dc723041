import { describe, expect, expectTypeOf, test } from 'vitest';
import { all, contribute, point } from './contribution.ts';
import { Assembly } from '../plugins/lifecycle.ts';
import type { ConfiguredPlugin } from '../plugins/lifecycle.ts';
import { silentLogger } from '../plugins/logger.ts';
import { silentMetrics } from '../plugins/metrics.ts';
import { definePlugin } from '../plugins/plugin.ts';
import type { Plugin } from '../plugins/plugin.ts';
import { closureOf } from '../plugins/start-order.ts';
import { token } from '../plugins/token.ts';

const Words = point<string>('words');
const Speaker = token<{ words: readonly string[] }>('speaker');

/** Takes the words of all plugins, its own too. */
const speaker = definePlugin({
  name: 'speaker',
  needs: { words: all(Words) },
  provides: { speaker: Speaker },
  contributions: [contribute(Words, 'own')],
  async start(_config, { words }) {
    expectTypeOf(words).toEqualTypeOf<readonly string[]>();
    return { speaker: { value: { words } } };
  },
});
const giver = (name: string, start?: () => Promise<never>): Plugin =>
  definePlugin({ name, contributions: [contribute(point<string>('words'), name)], ...(start && { start }) });

const start = (plugins: readonly Plugin[], previous?: Assembly): Promise<Assembly> =>
  Assembly.start({
    plugins: plugins.map((plugin): ConfiguredPlugin => ({ plugin, config: {}, isOptional: plugin.name === 'broken' })),
    contextOf: () => ({
      log: silentLogger,
      metrics: silentMetrics,
      dataFolder: '/data',
      externalURL: 'http://localhost',
      configFolder: '/',
    }),
    ...(previous && { previous }),
  });
const wordsOf = ({ services }: Assembly): readonly string[] => services.resolve({ speaker: Speaker }).speaker.words;

describe('many plugins may contribute to one point', () => {
  test('and who needs it gets everything, whatever starts first', async () => {
    expect(wordsOf(await start([speaker, giver('a'), giver('b')]))).toEqual(['own', 'a', 'b']);
    expect(wordsOf(await start([giver('b'), speaker, giver('a')]))).toEqual(['b', 'own', 'a']);
  });

  test('or nobody: the list is empty', async () => {
    const { services } = await start([]);
    expect(services.resolve({ words: all(Words) })).toEqual({ words: [] });
  });

  test('also a plugin whose start failed: what it gives was there before', async () => {
    const broken = giver('broken', () => Promise.reject(new Error('no disk')));
    const assembly = await start([speaker, broken]);
    expect(wordsOf(assembly)).toEqual(['own', 'broken']);
    expect(assembly.quarantined).toEqual([{ plugin: 'broken', reason: 'no disk' }]);
  });
});

test('a following assembly starts anew who takes contributions only when there are others', async () => {
  const a = giver('a');
  const first = await start([speaker, a]);
  const same = await start([a, speaker], first);
  expect(wordsOf(same)).not.toBe(wordsOf(first));
  const again = await start([speaker, a], first);
  expect(wordsOf(again)).toBe(wordsOf(first));
  const more = await start([speaker, a, giver('b')], first);
  expect(wordsOf(more)).toEqual(['own', 'a', 'b']);
});

test('a part is started with those that contribute to what it needs', () => {
  const names = closureOf([giver('a'), definePlugin({ name: 'other' }), speaker], ['speaker']).map(({ name }) => name);
  expect(names).toEqual(['a', 'speaker']);
});
