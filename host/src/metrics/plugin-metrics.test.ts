import { expect, test } from 'vitest';
import { PluginMetrics } from './plugin-metrics.ts';

function counted(): { metrics: PluginMetrics; warnings: string[] } {
  const warnings: string[] = [];
  return { metrics: new PluginMetrics({ warn: (_fields, message) => void warnings.push(message) }), warnings };
}

test('what a plugin counts is shown under its name, for the plugins that run', async () => {
  const { metrics } = counted();
  const mine = metrics.of('tool-tickets');
  mine.counter({ name: 'requests_total', help: 'Requests', labels: ['outcome'] }).add(2, { outcome: 'ok' });
  mine.gauge({ name: 'open', help: 'Open tickets' }).set(7);
  mine.histogram({ name: 'answer_seconds', help: 'Durations', buckets: [1, 5] }).observe(3);
  metrics.of('gone').gauge({ name: 'open', help: 'Of one that is gone' }).set(1);
  const text = await metrics.text(['tool-tickets', 'silent']);
  expect(text).toContain('sextant_plugin_tool_tickets_requests_total{outcome="ok"} 2\n');
  expect(text).toContain('sextant_plugin_tool_tickets_open 7\n');
  expect(text).toContain('sextant_plugin_tool_tickets_answer_seconds_bucket{le="5"} 1\n');
  expect(text).not.toContain('gone');
});

test('a plugin that is loaded again goes on counting, and may change its labels', async () => {
  const { metrics } = counted();
  const count = (labels: Record<string, string>): void =>
    metrics
      .of('p')
      .counter({ name: 'x', help: 'X', labels: Object.keys(labels) })
      .add(1, labels);
  count({ a: '1' });
  count({ a: '1' });
  expect(await metrics.text(['p'])).toContain('sextant_plugin_p_x{a="1"} 2\n');
  count({ b: '1' });
  expect(await metrics.text(['p'])).toContain('sextant_plugin_p_x{b="1"} 1\n');
});

test('counting never throws, and what cannot be counted is told once', async () => {
  const { metrics, warnings } = counted();
  const counter = metrics.of('p').counter({ name: 'x', help: 'X', labels: ['who'] });
  for (let who = 0; who < 1100; who += 1) counter.add(1, { who: String(who) });
  counter.add(-1, { who: '1' });
  metrics.of('p').gauge({ name: 'y', help: 'Y' }).set(1, { nothing: 'x' });
  expect(warnings).toEqual([
    'a metric is not counted: it has more than 1000 series',
    expect.stringContaining('a metric is not counted: '),
  ]);
  expect((await metrics.text(['p'])).match(/_x\{/g)).toHaveLength(1000);
});

test('a name that Prometheus cannot have is refused', () => {
  const { metrics } = counted();
  expect(() => metrics.of('p').gauge({ name: 'open tickets', help: '' })).toThrow('must be in snake_case');
});
