import { CallRecorder, definePlugin, defineReport, definePage, defineTool } from '@sextant/core';
import type { CallRecord } from '@sextant/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const records: CallRecord[] = [];

const spend = defineTool({
  name: 'spend',
  title: 'Spend',
  description: 'Spends credits.',
  endpoints: ['default'],
  needs: {},
  input: z.object({ credits: z.int().max(9).describe('How many') }),
  output: z.object({ file: z.string() }),
  run: async ({ credits }, _, call) => {
    call.noteCredits?.(credits);
    call.noteCredits?.(1);
    for (const name of ['rest', 'shop', 'shop', 'vault']) call.noteRepository?.(name);
    return { file: 'src/a.ts' };
  },
  toText: ({ file }) => file,
  filesOf: ({ file }) => {
    if (records.length > 0) throw new Error('no idea');
    return [file];
  },
});

const plugin = definePlugin({
  name: 'service-records',
  provides: { recorder: CallRecorder },
  start: async () => ({ recorder: { value: { record: (record) => void records.push(record) } } }),
  tools: [spend],
  reports: [
    defineReport({
      name: 'empty',
      path: '/api/empty',
      query: z.object({}),
      needs: {},
      columns: () => ['A'],
      async *rows() {},
    }),
  ],
  pages: [
    definePage({
      name: 'gone',
      method: 'GET',
      path: '/gone',
      access: 'anyone',
      needs: {},
      respond: async () => new Response('', { status: 404 }),
    }),
    definePage({
      name: 'spending',
      method: 'GET',
      path: '/spending',
      access: { scope: 'all' },
      needs: {},
      respond: async (_request, _services, call) => {
        call.countAs?.('spend', ['src/b.ts']);
        call.noteRepository?.('shop');
        return new Response('spent');
      },
    }),
    definePage({
      name: 'look',
      method: 'GET',
      path: '/.assets/look.css',
      access: 'anyone',
      needs: {},
      respond: async () => new Response(''),
    }),
  ],
});

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ plugins: [plugin] });
});
afterAll(() => server.close());
beforeEach(() => void records.splice(0));

const spendCredits = (credits: number): Promise<Response> =>
  fetch(`${server.url}/.api/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: 'Bearer bob-token',
      'user-agent': 'probe/1.0',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'spend', arguments: { credits } },
    }),
  });
const get = (path: string, headers: Record<string, string>): Promise<string> =>
  fetch(`${server.url}${path}`, { headers }).then((response) => response.text());

test('every tool call is recorded: user, client name, tool, endpoint, files, repository, duration, outcome, credits', async () => {
  const before = Date.now();
  await spendCredits(3);
  const [{ startedAt, milliseconds, ...record } = { startedAt: 0, milliseconds: -1 }] = records;
  expect(record).toEqual({
    kind: 'tool',
    name: 'spend',
    activity: 'other',
    endpoint: '/.api/mcp',
    userId: 2,
    clientName: 'probe',
    files: ['src/a.ts'],
    repository: 'shop',
    outcome: 'ok',
    credits: 4,
  });
  expect(milliseconds).toBeGreaterThan(0);
  expect(startedAt).toBeGreaterThanOrEqual(before - 1);
});

test('a call that fails is recorded with its code, and one whose files cannot be told is answered all the same', async () => {
  await spendCredits(10);
  expect(records[0]).toMatchObject({ outcome: 'invalid_argument', credits: 0, files: [] });
  expect(await (await spendCredits(1)).text()).toContain('src/a.ts');
  expect(records[1]).toMatchObject({ outcome: 'ok', files: [] });
});

test('views of reports and pages are recorded when the answer is sent; who is not signed in and what pages load are not', async () => {
  const authorization = 'Bearer alice-token';
  await get('/.assets/look.css', { authorization });
  await get('/api/empty', { authorization });
  await get('/gone', { authorization });
  await get('/gone', {});
  await expect.poll(() => records).toHaveLength(2);
  expect(records).toMatchObject([
    { kind: 'report', name: 'empty', endpoint: '/api/empty', userId: 1, outcome: 'ok' },
    { kind: 'page', name: 'gone', endpoint: '/gone', userId: 1, outcome: 'not_found' },
  ]);
});

test('a page that does what a tool does is recorded as a call of it by the client web, too', async () => {
  await get('/spending', { authorization: 'Bearer alice-token', 'user-agent': 'Mozilla/5.0' });
  await expect.poll(() => records).toHaveLength(2);
  expect(records).toMatchObject([
    { kind: 'page', name: 'spending', endpoint: '/spending', clientName: 'Mozilla', files: [] },
    {
      kind: 'tool',
      name: 'spend',
      activity: 'other',
      endpoint: '/spending',
      clientName: 'web',
      files: ['src/b.ts'],
      repository: 'shop',
      outcome: 'ok',
    },
  ]);
});
