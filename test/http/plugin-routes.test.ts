import { SextantError, definePage, definePlugin, defineReport } from '@sextant/core';
import type { ReportRow } from '@sextant/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const shares = defineReport({
  name: 'shares',
  path: '/api/reports/shares',
  query: z.object({
    instanceURL: z.string(),
    granularity: z.enum(['by_user', 'by_user_day']).default('by_user'),
    rows: z.coerce.number().int().max(100).default(1),
  }),
  needs: {},
  columns: () => ['Name', 'Share', 'Active User'],
  async *rows({ instanceURL, rows }, _, { caller }): AsyncGenerator<ReportRow[]> {
    if (instanceURL !== 'here') throw new SextantError('forbidden', 'this instance is not yours');
    for (let row = 0; row < rows; row += 1) yield [[caller.user.name, -1.5, true]];
  },
});

const stopped = Promise.withResolvers<boolean>();

const endless = defineReport({
  name: 'endless',
  path: '/api/endless',
  query: z.object({}),
  needs: {},
  columns: () => ['Row'],
  async *rows(_, __, { signal }): AsyncGenerator<ReportRow[]> {
    try {
      for (let row = 0; ; row += 1) yield [[row]];
    } finally {
      stopped.resolve(signal.aborted);
    }
  },
});

const cells = defineReport({
  name: 'cells',
  path: '/api/cells',
  query: z.object({}),
  needs: {},
  jsonKey: 'buckets',
  columns: () => ['Cell', 'Other'],
  async *rows() {
    yield ['=1+1', '+1', '-1', '@x', 'a,b', 'say "hi"', 'two\nlines', 'ü'].map((cell) => [cell, '']);
  },
});

const pages = [
  definePage({
    name: 'hello',
    method: 'GET',
    path: '/hello/:name/**',
    access: 'anyone',
    needs: {},
    respond: async ({ url }, _, { caller }) =>
      new Response(`${new URL(url).pathname} for ${caller.user.name || 'anyone'}`),
  }),
  definePage({
    name: 'secret',
    method: 'POST',
    path: '/secret',
    access: { scope: 'all', permission: 'SECRET#READ' },
    needs: {},
    respond: async (request) => new Response(`${(await request.text()).length}`),
  }),
  definePage({
    name: 'broken',
    method: 'GET',
    path: '/broken',
    access: 'anyone',
    needs: {},
    respond: () => Promise.reject(new Error('a secret path')),
  }),
];

const plugin = definePlugin({ name: 'report-test', reports: [shares, cells, endless], pages });
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ plugins: [plugin], settings: { limits: { requestBytes: 1024 } } });
});
afterAll(() => server.close());

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}${path}`, { headers: { authorization: 'Bearer analyst-token', ...headers } });

const report = '/api/reports/shares';

describe('a report', () => {
  test('is CSV with CRLF, a header row, booleans as words, and a file name', async () => {
    const response = await get(`${report}?instanceURL=here&rows=2`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="shares.csv"');
    expect(await response.text()).toBe('Name,Share,Active User\r\nanalyst,-1.5,true\r\nanalyst,-1.5,true\r\n');
  });

  test('has its header row even when empty', async () => {
    expect(await (await get(`${report}?instanceURL=here&rows=0`)).text()).toBe('Name,Share,Active User\r\n');
  });

  test('defuses cells that a spreadsheet would run, and quotes by RFC 4180', async () => {
    expect(await (await get('/api/cells')).text()).toBe(
      ['Cell,Other', "'=1+1,", "'+1,", "'-1,", "'@x,", '"a,b",', '"say ""hi""",', '"two\nlines",', 'ü,', ''].join(
        '\r\n',
      ),
    );
  });

  test.each([
    ['?format=json', {}],
    ['', { accept: 'application/json' }],
  ])('as JSON by %s %o has the same rows under its own key', async (query, headers) => {
    const response = await get(`/api/cells${query}`, headers);
    expect(response.headers.get('content-type')).toBe('application/json');
    const { buckets } = (await response.json()) as { buckets: unknown[] };
    expect([buckets.length, buckets[0]]).toEqual([8, { Cell: '=1+1', Other: '' }]);
    expect(await (await get(`${report}?instanceURL=here&rows=0&format=json`)).json()).toEqual({ rows: [] });
  });

  test.each([
    ['', 400, 'Missing parameter "instanceURL". Allowed parameters: instanceURL, granularity, rows, format.'],
    [
      '?instanceURL=here&granularity=by_week',
      400,
      /^Parameter "granularity": must be one of "by_user", "by_user_day"\./,
    ],
    ['?instanceURL=here&granularty=by_user', 400, /^Unknown parameter "granularty"\. Did you mean "granularity"\?/],
    ['?instanceURL=here&instanceURL=there', 400, 'Parameter "instanceURL" is given more than once; give it once.'],
    ['?instanceURL=here&format=xml', 400, 'Parameter "format": must be one of "csv", "json".'],
    ['?instanceURL=there', 403, 'this instance is not yours'],
  ])('%s: %i', async (query, status, message) => {
    const response = await get(`${report}${query}`);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code]).toEqual([status, status === 400 ? 'invalid_argument' : 'forbidden']);
    expect(error.message).toEqual(expect.stringMatching(message));
  });

  test('needs credentials, and the scope `analytics`', async () => {
    const anonymous = await get(report, { authorization: '' });
    expect([anonymous.status, await anonymous.json()]).toMatchObject([401, { error: { code: 'unauthenticated' } }]);
    expect((await get(`${report}?instanceURL=here`, { authorization: 'token alice-token' })).status).toBe(200);
  });

  test('is compressed where the client accepts that', async () => {
    const ask = (encoding: string): Promise<Response> =>
      get(`${report}?instanceURL=here`, { 'accept-encoding': encoding });
    const [packed, plain] = [await ask('gzip'), await ask('identity')];
    expect([packed.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual(['gzip', null]);
    // The client unpacks it.
    expect(await packed.text()).toBe(await plain.text());
  });

  test('is read only', async () => {
    const response = await fetch(`${server.url}${report}`, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await response.json()).toMatchObject({
      error: { message: 'method not allowed; this path answers GET, HEAD' },
    });
  });

  test('stops when the client goes away', async () => {
    const going = new AbortController();
    const headers = { authorization: 'Bearer analyst-token' };
    const { body } = await fetch(`${server.url}/api/endless`, { headers, signal: going.signal });
    await body?.getReader().read();
    going.abort();
    expect(await stopped.promise, 'its signal is aborted, too').toBe(true);
  });
});

describe('a page', () => {
  test('for anyone is called with or without a caller', async () => {
    expect(await (await get('/hello/you/and/more', { authorization: '' })).text()).toBe(
      '/hello/you/and/more for anyone',
    );
    expect(await (await get('/hello/you/x')).text()).toBe('/hello/you/x for analyst');
  });

  const post = (token: string, body: string): Promise<Response> =>
    fetch(`${server.url}/secret`, { method: 'POST', body, headers: { authorization: `Bearer ${token}` } });

  test('is kept from those who lack its scope or permission', async () => {
    const statuses = [];
    for (const token of ['nobody', 'analyst-token', 'alice-token']) statuses.push((await post(token, 'x')).status);
    expect(statuses).toEqual([401, 403, 403]);
    expect(await (await post('root-token', 'four')).text()).toBe('4');
  });

  test('gets no body over the limit', async () => {
    expect((await post('root-token', 'x'.repeat(1025))).status).toBe(413);
  });

  test.each(['/secret/', '/%73ecret', '/./secret/', '/secret%2f', '//secret'])(
    'spelled %s is another: its checks may go by the path',
    async (path) => {
      const headers = { authorization: 'Bearer root-token' };
      expect((await fetch(`${server.url}${path}`, { method: 'POST', body: 'x', headers })).status).toBe(404);
    },
  );

  test('with a slash at the end leads people to where it is', async () => {
    const { status, headers } = await fetch(`${server.url}/broken/?a=b`, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([308, '/broken?a=b']);
  });

  test('that fails is answered by an id, not by what failed', async () => {
    const response = await get('/broken');
    expect(response.status).toBe(500);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error).toEqual({
      code: 'internal',
      message: expect.stringContaining(response.headers.get('x-request-id') ?? 'no id'),
    });
  });
});

test('routes come and go with the configuration', async () => {
  await using changing = await startServer();
  const status = async (): Promise<number> => (await fetch(`${changing.url}/hello/you/x`)).status;
  expect(await status()).toBe(404);
  await changing.reload({ plugins: [plugin] });
  expect(await status()).toBe(200);
  await changing.reload({});
  expect(await status()).toBe(404);
});
