import { Credits } from '@sextant/contracts';
import { definePlugin, defineTool } from '@sextant/core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import creditsReport from '../../plugins/reports/credits/src/index.ts';
import creditsPlugin from '../../plugins/services/credits/src/index.ts';
import directory from '../../plugins/services/directory/src/index.ts';
import sqlite from '../../plugins/services/sqlite/src/index.ts';
import usage from '../../plugins/services/usage/src/index.ts';
import { call, post } from '../support/rpc.ts';
import { startServer } from './support/server.ts';

/** Spends what a metered tool spends, and does nothing for it. */
const metered = defineTool({
  name: 'metered',
  title: 'Metered',
  description: 'Costs one credit.',
  endpoints: ['default'],
  needs: { credits: Credits },
  input: z.object({}),
  output: z.object({ done: z.boolean() }),
  async run(_input, { credits }, toolCall) {
    await using hold = await credits.reserve(toolCall, { tool: 'metered', credits: 1 });
    await hold.settle();
    return { done: true };
  },
  toText: () => 'done',
});

interface Answer {
  result: { isError?: boolean; content: { text: string }[]; _meta?: object };
}

test('200 concurrent callers at a limit of 100 credits: exactly 100 succeed, the others are told when credits renew', async () => {
  const now = { name: 'now', allocation: 100, startDate: '2020-01-01', endDate: '2998-12-31' };
  const next = { name: 'next', allocation: 100, startDate: '2999-01-01', endDate: '2999-12-31' };
  await using server = await startServer({
    plugins: [
      sqlite,
      directory,
      usage,
      creditsPlugin,
      creditsReport,
      definePlugin({ name: 'tool-metered', tools: [metered] }),
    ],
    settings: { limits: { callsPerCaller: 200, callsPerServer: 200 } },
    configs: { 'service-credits': { credits: [now, next] } },
  });
  const answers = await Promise.all(
    Array.from(
      { length: 200 },
      async (_, id) => (await post(server.url, call('metered', {}, id))).json() as Promise<Answer>,
    ),
  );
  const refused = answers.filter(({ result }) => result.isError === true);
  expect(refused).toHaveLength(100);
  for (const { result } of refused) {
    expect(result.content[0]?.text).toContain(
      'metered needs credits, and the credits of "now" (100) are used up; they renew on 2999-01-01',
    );
    expect(result._meta, 'for programs').toEqual({
      'sextant/error': { code: 'exhausted', retryAfterSeconds: expect.any(Number) },
    });
  }
  const report = await fetch(`${server.url}/api/credits?instanceURL=code.example.com`, {
    headers: { authorization: 'Bearer root-token' },
  });
  expect(await report.text()).toContain('now,100,100,');
});
