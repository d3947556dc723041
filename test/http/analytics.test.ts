import { CallRecorder, definePlugin, visible } from '@sextant/core';
import type { CallRecord, Plugin } from '@sextant/core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadPreset } from '../support/preset.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const recordOf = (record: Partial<CallRecord>): CallRecord => ({
  kind: 'tool',
  name: 'read_file',
  endpoint: '/.api/mcp',
  userId: 1,
  clientName: 'probe',
  files: ['a.ts'],
  startedAt: Date.parse('2026-03-01T00:00:00Z'),
  milliseconds: 1,
  outcome: 'ok',
  credits: 0,
  ...record,
});

/** Hostile names of clients and files, and calls on both sides of a month's end. */
const recorded = [
  recordOf({ userId: 2, clientName: '=HYPERLINK("https://evil.example")' }),
  recordOf({ userId: 2, clientName: 'a,"b"\r\nc', startedAt: Date.parse('2026-03-31T23:59:59Z') }),
  recordOf({ userId: 3, outcome: 'internal', startedAt: Date.parse('2026-04-01T00:00:00Z') }),
];

const names = [
  'service-sqlite',
  'service-directory',
  'service-usage',
  'service-credits',
  'report-by-user-client-date',
  'report-credits',
  'report-user-registry',
  'page-analytics',
];

/** Puts calls into the record as the host does. */
const history = definePlugin({
  name: 'service-history',
  needs: { recorder: CallRecorder },
  start: async (_, { recorder }) => {
    for (const record of recorded) recorder.record(record);
    return {};
  },
});

const configs = {
  'service-directory': {
    users: [
      { name: 'bob', email: 'bob@example.com' },
      { name: 'robot', serviceAccount: true },
    ],
  },
  'service-usage': { receiveFrom: [{ instance: 'eu.example.com', users: ['root'] }] },
  'service-credits': {
    credits: [{ name: '=2026', allocation: 1000, startDate: '2026-01-01', endDate: '2026-12-31' }],
  },
};

let server: TestServer;
beforeAll(async () => {
  const plugins: Plugin[] = (await loadPreset()).filter(({ name }) => names.includes(name));
  server = await startServer({ plugins: [...plugins, history], configs });
  await vi.waitFor(
    async () => expect((await csv(`${usage}&granularity=by_user`)).split('\r\n')).toHaveLength(4),
    120_000,
  );
});
afterAll(() => server.close());

const get = (path: string, token = 'root-token', headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } });
const csv = async (path: string, token?: string): Promise<string> => (await get(path, token)).text();

const instance = 'instanceURL=code.example.com';
const usage = `/api/reports/by-user-client-date?${instance}`;
const counts =
  'Searches,Code Navigation Events,History Queries,File Reads,Code Finder Calls,Deep Search Questions,Evaluator Runs,Tool Calls,Tool Errors,Credits Used';

describe('/api/reports/by-user-client-date', () => {
  test('has the columns of its granularity, in order, and one row a group', async () => {
    expect(await csv(`${usage}&granularity=by_user_day_client_language`)).toBe(
      [
        `Instance user ID,User Email,Username,Active User,Client Name,Timestamp Date,Language,${counts}`,
        `2,bob@example.com,bob,true,"'=HYPERLINK(""https://evil.example"")",2026-03-01,TypeScript,0,0,0,1,0,0,0,1,0,0`,
        `2,bob@example.com,bob,true,"a,""b""\r\nc",2026-03-31,TypeScript,0,0,0,1,0,0,0,1,0,0`,
        '3,,robot,true,probe,2026-04-01,TypeScript,0,0,0,1,0,0,0,1,1,0',
        '',
      ].join('\r\n'),
    );
    const user = 'Instance user ID,User Email,Username,Active User';
    const header = async (granularity: string): Promise<string | undefined> =>
      (await csv(`${usage}&granularity=${granularity}`)).split('\r\n')[0];
    expect(await header('by_user')).toBe(`${user},${counts}`);
    expect(await header('by_user_day')).toBe(`${user},Timestamp Date,${counts}`);
    expect(await header('by_user_month')).toBe(`${user},Timestamp Month,${counts}`);
  });

  test('is bounded by dates, and has its header row even when empty', async () => {
    const ids = async (query: string): Promise<string[]> =>
      (await csv(`${usage}&granularity=by_user${query}`))
        .split('\r\n')
        .slice(1, -1)
        .map((row) => row.charAt(0));
    expect(await ids('&startDate=2026-04-01')).toEqual(['3']);
    expect(await ids('&endDate=2026-03-31')).toEqual(['2']);
    expect(await ids('&startDate=2027-01-01')).toEqual([]);
  });

  test('gives the same rows as JSON', async () => {
    const response = await get(`${usage}&granularity=by_user_month&format=json`);
    const { rows } = (await response.json()) as { rows: Record<string, unknown>[] };
    expect(rows[1]).toMatchObject({ 'Instance user ID': 3, 'Timestamp Month': '2026-04', 'Tool Errors': 1 });
  });
});

test('/api/reports/user-registry lists everyone by id', async () => {
  expect(await csv(`/api/reports/user-registry?${instance}`)).toBe(
    'Instance user ID,Service Account,Site Admin\r\n1,false,true\r\n2,false,false\r\n3,true,false\r\n',
  );
});

test('/api/credits shows each bucket with allocation, consumption and active period', async () => {
  expect(await csv(`/api/credits?${instance}`)).toBe(
    "Name,Allocation,Consumed,Start Date,End Date\r\n'=2026,1000,0,2026-01-01,2026-12-31\r\n",
  );
  expect(await (await get(`/api/credits?${instance}&startDate=2027-01-01&format=json`)).json()).toEqual({
    buckets: [],
  });
});

const paths = ['/api/reports/by-user-client-date', '/api/reports/user-registry', '/api/credits'];

describe.each(paths)('%s', (path) => {
  test('is for administrators whole, for others their own rows', async () => {
    const rows = async (token: string): Promise<number> => {
      const answer = (await (await get(`${path}?${instance}&format=json`, token)).json()) as Record<string, unknown[]>;
      return Object.values(answer)[0]?.length ?? 0;
    };
    const whole = path.endsWith('credits') ? [1, 1] : [3, path.endsWith('registry') ? 1 : 2];
    expect([await rows('root-token'), await rows('bob-token')]).toEqual(whole);
  });

  test('needs the scope `analytics`', async () => {
    const statuses = ['analyst-token', 'agent-token', 'nobody'].map(
      async (token) => (await get(`${path}?${instance}`, token)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 403, 401]);
  });

  test('an instance that is unknown or of someone else is 403, indistinguishable', async () => {
    const refusals = ['other.example.com', 'https://code.example.com.evil.example', 'localhost', '%00', '..'].map(
      async (name) => {
        const response = await get(`${path}?instanceURL=${name}`, 'bob-token');
        return [response.status, await response.text()];
      },
    );
    const [first, ...others] = await Promise.all(refusals);
    expect(first?.[0]).toBe(403);
    for (const other of others) expect(other).toEqual(first);
    expect((await get(`${path}?instanceURL=https://CODE.example.com/`)).status).toBe(200);
  });

  test.each([
    ['', 'Missing parameter "instanceURL".'],
    ['instanceURL=', 'Parameter "instanceURL": must be the host of an instance'],
    [`${instance}&instanceURL=b`, 'Parameter "instanceURL" is given more than once'],
    [`${instance}&colour=red`, 'Unknown parameter "colour".'],
  ])('refuses ?%s, and says what is allowed', async (query, message) => {
    const response = await get(`${path}?${query}`);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code]).toEqual([400, 'invalid_argument']);
    expect(error.message).toContain(message);
  });
});

test.each([
  ['granularity=by_week', 'Parameter "granularity": must be one of "by_user_day_client_language", "by_user_day"'],
  ['startDate=2026-02-30', 'Parameter "startDate": is no day of the calendar; give a date such as 2026-01-31.'],
  ['startDate=01.02.2026', 'Parameter "startDate": must be a date such as 2026-01-31.'],
  ['endDate=', 'Parameter "endDate": must be a date such as 2026-01-31.'],
  ['endDate=2026-1-1', 'Parameter "endDate": must be a date such as 2026-01-31. Allowed parameters:'],
  ['startDate=2026-03-02&endDate=2026-03-01', 'Parameter "startDate": must not be after endDate.'],
  ['startDate=2026-03-01&startDate=2026-03-01', 'Parameter "startDate" is given more than once'],
  ["startDate=2026-03-01'--", 'Parameter "startDate": must be a date'],
])('a report refuses %s', async (query, message) => {
  const response = await get(`${usage}&${query}`);
  const { error } = (await response.json()) as { error: { message: string } };
  expect([response.status, error.message]).toEqual([400, expect.stringContaining(message)]);
});

test('what is no report is 404, in JSON as every error, and names those that are', async () => {
  for (const path of ['/api/reports/by-user', '/api/reports', '/api/credits/2026']) {
    const response = await get(path);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code, error.message]).toEqual([
      404,
      'not_found',
      expect.stringContaining(paths[0] ?? ''),
    ]);
  }
});

describe('/analytics', () => {
  const page = (token?: string): Promise<Response> => get('/analytics?startDate=2026-03-01&endDate=2026-04-30', token);

  test('shows everyone to administrators, and others themselves', async () => {
    const [all, own] = [await page(), await page('bob-token')];
    expect([all.status, own.status]).toEqual([200, 200]);
    expect(await all.text()).toContain('robot');
    const text = await own.text();
    expect(text).toContain('What you did');
    expect(text).not.toContain('robot');
  });

  test('needs the scope `analytics`', async () => {
    expect((await page('analyst-token')).status).toBe(200);
    expect((await page('nobody')).status).toBe(401);
  });

  test('an instance that is unknown is answered as in the reports', async () => {
    const response = await get('/analytics?instance=other.example.com', 'bob-token');
    const report = await get(`${usage.replace('code.example.com', 'other.example.com')}`, 'bob-token');
    expect([response.status, await response.text()]).toEqual([403, await report.text()]);
  });
});

describe('/api/ingest', () => {
  const sums = (count: number): string =>
    Array.from({ length: count }, (_, number) => {
      const key = {
        userId: 7,
        day: '2026-03-01',
        client: `client ${number}`,
        language: 'Go',
        tool: 'read_file',
        kind: 'tool',
      };
      return JSON.stringify({ sum: { ...key, calls: 2, errors: 0, milliseconds: 1, credits: 0 } });
    }).join('\n');
  const send = (body: BodyInit, token = 'root-token'): Promise<Response> =>
    fetch(`${server.url}/api/ingest?instanceURL=https://eu.example.com`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body,
      // A body in pieces is sent before its answer comes.
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    });

  test('takes what another instance sends, in pieces, and shows it beside its own', async () => {
    const response = await send(new Blob([sums(3000)]).stream());
    expect([response.status, await response.json()]).toEqual([200, { users: 0, sums: 3000, changed: 3000 }]);
    const rows = await csv(usage.replace('code.example.com', 'eu.example.com') + '&granularity=by_user');
    expect(rows.split('\r\n')[1]).toBe('7,,,false,0,0,0,6000,0,0,0,6000,0,0');
    expect(await csv(`/api/credits?instanceURL=eu.example.com`)).toBe(
      'Name,Allocation,Consumed,Start Date,End Date\r\n',
    );
    expect((await csv(`${usage}&granularity=by_user`)).split('\r\n')).toHaveLength(4);
    expect((await get(`${usage.replace('code.example.com', 'eu.example.com')}`, 'bob-token')).status).toBe(403);
  });

  test.each([
    ['nobody', 401],
    ['bob-token', 403],
    ['analyst-token', 403],
  ])('needs a token of whom the configuration names: %s', async (token, status) => {
    expect((await send(sums(1), token)).status).toBe(status);
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', ' a,"b"\r\nc;d'])(
    'what begins like a formula is text in every column of text: %j',
    async (text) => {
      const id = text.length * 100 + text.charCodeAt(0);
      const flags = { isActive: true, isServiceAccount: false, isSiteAdmin: false };
      const key = { userId: id, day: '2026-03-01', client: text, language: text, tool: text, kind: 'tool' };
      const lines = [
        { user: { id, name: text, email: text, ...flags } },
        { sum: { ...key, calls: 1, errors: 0, milliseconds: 1, credits: 0 } },
      ];
      expect((await send(lines.map((line) => JSON.stringify(line)).join('\n'))).status).toBe(200);
      const rows = await csv(usage.replace('code.example.com', 'eu.example.com'));
      const begin = rows.indexOf(`\r\n${id},`) + 2;
      const kept = visible(text);
      const cell = /^[=+@\t\r\n-]/.test(kept) ? `'${kept}` : kept;
      const written = /[,"\t\r\n;]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
      const expected = [id, written, written, true, written, '2026-03-01', written, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0];
      expect(rows.slice(begin)).toContain(`${expected.join()}\r\n`);
    },
  );

  test('names the line that is wrong', async () => {
    const response = await send(`${sums(2)}\n{"sum":{}}`);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code, error.message]).toEqual([
      400,
      'invalid_argument',
      expect.stringContaining('line 3: '),
    ]);
  });
});
