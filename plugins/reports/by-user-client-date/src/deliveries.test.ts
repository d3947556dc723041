import { createHmac } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Database, Usage } from '@sextant/contracts';
import { CallRecorder, definePlugin, silentLogger } from '@sextant/core';
import type { CallRecord, Logger } from '@sextant/core';
import { csvCells, startPlugins } from '@sextant/core/testing';
import { temporaryFolder } from '@sextant/contracts/testing';
import directory from '@sextant/service-directory';
import { testDatabase } from '@sextant/service-postgres/testing';
import usage from '@sextant/service-usage';
import { expect, test } from 'vitest';
import { Deliveries, deliveryConfig } from './deliveries.ts';
import type { DeliveriesOptions } from './deliveries.ts';
import plugin from './index.ts';
import { duePeriods } from './periods.ts';

const secret = 'a secret of sixteen characters';

interface Message {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** All messages, once there are so many. */
  taken(count: number): Promise<readonly Message[]>;
}

/** A place that refuses the first messages, and keeps all. */
async function startReceiver(refusals: number): Promise<Receiver> {
  const messages: Message[] = [];
  const events = new EventEmitter();
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    messages.push({ headers: request.headers, body: Buffer.concat(pieces).toString() });
    const isTaken = messages.length > refusals;
    response.writeHead(isTaken ? 204 : 503);
    // As many servers do, with the address that was asked for.
    response.end(isTaken ? '' : `Cannot POST ${request.url}`, () => events.emit('message'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`,
    async taken(count) {
      while (messages.length < count) await once(events, 'message');
      return messages;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const start = (folder: string, deliveries: readonly object[]) =>
  startPlugins(folder, [
    [testDatabase],
    [directory, { users: [{ name: 'alice' }] }],
    [usage],
    [plugin, { deliveries }],
  ]);

test('a report of the period before is sent signed, with the rights of its user', async () => {
  using folder = temporaryFolder();
  await using receiver = await startReceiver(0);
  const delivery = { url: receiver.url, secret, as: 'admin', every: 'day', granularity: 'by_user' };
  {
    await using started = await start(folder.path, [delivery]);
    const { recorder } = started.services.resolve({ recorder: CallRecorder });
    const yesterday: CallRecord = {
      kind: 'tool',
      name: 'read_file',
      endpoint: '/.api/mcp',
      userId: 2,
      clientName: 'probe',
      files: [],
      startedAt: Date.now() - 86_400_000,
      milliseconds: 1,
      outcome: 'ok',
      credits: 0,
    };
    recorder.record(yesterday);
    await (recorder as CallRecorder & { flush(): Promise<void> }).flush();
    await started.ready();
    await receiver.taken(1);
  }
  const [message] = await receiver.taken(1);
  const { headers = {}, body = '' } = message ?? {};
  expect(body).toMatch(/^Instance user ID,User Email,[^\r]*\r\n2,,alice,true,[^\r]*\r\n$/);
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', secret).update(signed).digest('base64')}`);
  expect(headers['content-type']).toContain('text/csv');
});

test('a report that is sent runs nothing in a spreadsheet', async () => {
  const user = { id: 2, name: 'alice', email: '', isActive: true, isServiceAccount: false, isSiteAdmin: false };
  const calls = { searches: 1, codeNavigations: 0, historyQueries: 0, fileReads: 0, toolCalls: 1, toolErrors: 0 };
  const counts = { ...calls, codeFinderCalls: 0, deepSearchQuestions: 0, evaluatorRuns: 0, creditsUsed: 0 };
  const row = { user, date: '2026-01-02', language: '', counts };
  const unused = () => Promise.reject(new Error('nobody asks this'));
  const value: Usage = {
    open: async () => ({
      isOwn: true,
      users: unused,
      overview: unused,
      cohorts: unused,
      async *rows() {
        yield csvCells.map(([client]) => ({ ...row, client }));
      },
    }),
    instances: unused,
  };
  const texts = definePlugin({
    name: 'service-texts',
    provides: { usage: Usage },
    start: async () => ({ usage: { value } }),
  });
  using folder = temporaryFolder();
  await using receiver = await startReceiver(0);
  const deliveries = [{ url: receiver.url, secret, as: 'admin', every: 'day' }];
  await using started = await startPlugins(folder.path, [
    [testDatabase],
    [directory],
    [texts],
    [plugin, { deliveries }],
  ]);
  await started.ready();
  const [message] = await receiver.taken(1);
  for (const [, written] of csvCells)
    expect(message?.body).toContain(`\r\n2,,alice,true,${written},2026-01-02,,1,0,0,0,0,0,0,1,0,0\r\n`);
});

test('what is refused is sent again with the same id, and what was taken is not', async () => {
  using folder = temporaryFolder();
  await using receiver = await startReceiver(2);
  await using started = await startPlugins(folder.path, [[testDatabase]]);
  const { database } = started.services.resolve({ database: Database });
  const delivery = deliveryConfig.parse({
    url: receiver.url,
    secret: 'whsec_c2VjcmV0IG9mIHRlc3Rz',
    as: 'admin',
    every: 'day',
  });
  const csv = async function* (): AsyncGenerator<string> {
    yield 'a\r\n';
  };
  const periods = async (now: string, messages: number): Promise<(string | undefined)[]> => {
    const kept = Promise.withResolvers<void>();
    const log = { ...silentLogger, info: () => kept.resolve() };
    const options = { deliveries: [delivery], database, csv, log, pauseMs: 1 };
    const deliveries = await Deliveries.open({ ...options, now: () => Date.parse(now) });
    deliveries.begin();
    const all = await receiver.taken(messages);
    await kept.promise;
    await deliveries.close();
    return all.map(({ headers }) => /\d{4}-\d\d-\d\d$/.exec(String(headers['webhook-id']))?.[0]);
  };
  expect(await periods('2026-03-04T05:00:00Z', 3)).toEqual(['2026-03-03', '2026-03-03', '2026-03-03']);
  expect((await periods('2026-03-05T05:00:00Z', 4)).slice(3)).toEqual(['2026-03-04']);
});

test('what cannot be delivered is told with its reason, and without what the URL holds, until it is taken', async () => {
  using folder = temporaryFolder();
  await using receiver = await startReceiver(1);
  const absent = createServer().listen(0, '127.0.0.1');
  absent.on('connection', (socket) => socket.destroy());
  await once(absent, 'listening');
  await using started = await startPlugins(folder.path, [[testDatabase]]);
  const { database } = started.services.resolve({ database: Database });
  const origins = [new URL(receiver.url).origin, `http://127.0.0.1:${(absent.address() as AddressInfo).port}`];
  const deliveries = origins.map((origin) =>
    deliveryConfig.parse({ url: `${origin}/services/T0PATH/?token=hid%20den`, secret, as: 'admin', every: 'day' }),
  );
  const csv = async function* (): AsyncGenerator<string> {
    yield 'a\r\n';
  };
  const told = new Map<string | undefined, string | undefined>();
  const warned: object[] = [];
  const log: Logger = {
    ...silentLogger,
    warn(...line: unknown[]) {
      warned.push(line);
      for (const { name, reason } of opened.status().failures ?? []) told.set(name, reason);
    },
  };
  const opened = await Deliveries.open({ deliveries, database, csv, log, pauseMs: 1 });
  opened.begin();
  const [refused = '', broken = ''] = origins.map(
    (origin, index) => `by_user_day_client_language report of admin by day to ${origin}, deliveries[${index}]`,
  );
  const afterwards = { isReady: true, detail: { deliveries: 2, deliveredSinceStart: 1 }, failures: [{ name: broken }] };
  await expect.poll(() => opened.status()).toMatchObject(afterwards);
  await opened.close();
  absent.close();
  expect(told.get(refused)).toBe('it answered 503: Cannot POST […]');
  expect(told.get(broken)).not.toMatch(/^(fetch failed)?$/);
  expect(JSON.stringify([warned, [...told]])).not.toMatch(/T0PATH|hid/);
});

test('a report that takes too long to make is not blamed on who would get it', async () => {
  using folder = temporaryFolder();
  await using started = await startPlugins(folder.path, [[testDatabase]]);
  const { database } = started.services.resolve({ database: Database });
  const delivery = deliveryConfig.parse({ url: 'http://127.0.0.1:9/', secret, as: 'admin', every: 'day' });
  const csv: DeliveriesOptions['csv'] = async function* (_as, _request, signal) {
    yield 'a\r\n';
    if (!signal.aborted) await once(signal, 'abort');
    signal.throwIfAborted();
  };
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const log: Logger = { ...silentLogger, warn: (_fields: unknown, message?: string) => resolve(message) };
  const opened = await Deliveries.open({ deliveries: [delivery], database, csv, log, reportMs: 1 });
  opened.begin();
  expect(await promise).toContain('the report was not made within 0.001 seconds, and nothing was sent');
  await opened.close();
});

test('a URL with a login is refused, and the message does not quote it', () => {
  const given = { url: 'http://user:pa55word@host/hook', secret, as: 'admin' };
  expect(deliveryConfig.safeParse({ ...given, url: 'no url' }).error?.issues).toMatchObject([{ path: ['url'] }]);
  const { error } = deliveryConfig.safeParse(given);
  expect(error?.issues).toMatchObject([{ path: [], message: expect.stringContaining('must have no login') }]);
  expect(JSON.stringify(error?.issues)).not.toContain('pa55word');
});

test.each([
  ['day', undefined, ['2026-03-03..2026-03-03']],
  ['day', '2026-03-01', ['2026-03-02..2026-03-02', '2026-03-03..2026-03-03']],
  ['day', '2026-03-03', []],
  ['week', undefined, ['2026-02-23..2026-03-01']],
  ['week', '2026-02-22', ['2026-02-23..2026-03-01']],
  ['month', '2025-12-31', ['2026-01-01..2026-01-31', '2026-02-01..2026-02-28']],
] as const)('by %s after %s the periods that have ended are due', (every, sentTo, expected) => {
  const due = duePeriods(every, sentTo, Date.parse('2026-03-04T05:06:07Z'));
  expect(due.map(({ startDate, endDate }) => `${startDate}..${endDate}`)).toEqual(expected);
});
