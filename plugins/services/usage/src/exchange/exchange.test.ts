import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { temporaryFolder } from '@sextant/contracts/testing';
import { isSextantError, silentLogger } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { recordOf, startUsage } from '../testing/start-usage.ts';
import type { StartedUsage } from '../testing/start-usage.ts';
import plugin from '../index.ts';
import { ingestPage } from './ingest-page.ts';
import { UsageReceiver } from './receiver.ts';

const root = callerOf('root', { id: 1, isSiteAdmin: true });
const sender = callerOf('sender', { id: 50 });
const receiveFrom = [{ instance: 'https://EU.example.com/', users: ['sender'], roles: ['collectors'] }];
const { signal } = new AbortController();

const sum = (more: object = {}): object => ({
  sum: {
    userId: 7,
    day: '2026-03-01',
    client: 'probe',
    language: 'Go',
    tool: 'read_file',
    kind: 'tool',
    calls: 3,
    errors: 1,
    milliseconds: 12.5,
    credits: 0,
    ...more,
  },
});
const user = (more: object = {}): object => ({
  user: {
    id: 7,
    name: 'eva',
    email: 'Eva@example.com',
    isActive: true,
    isServiceAccount: false,
    isSiteAdmin: false,
    ...more,
  },
});

async function started(settings: object = {}): Promise<StartedUsage> {
  const folder = temporaryFolder();
  const running = await startUsage(folder.path, { receiveFrom, ...settings });
  onTestFinished(async () => {
    await running[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  return running;
}

/** What the page answers, as the host would. */
async function post(
  { services }: StartedUsage,
  body: string,
  { caller = sender, query = 'instanceURL=eu.example.com' }: { caller?: Caller; query?: string } = {},
): Promise<{ status: number; text: string }> {
  const request = new Request(`http://localhost/api/ingest?${query}`, { method: 'POST', body });
  const call = { caller, endpoint: ingestPage.path, signal, log: silentLogger, reportProgress() {} };
  try {
    const response = await ingestPage.respond(request, services.resolve({ receiver: UsageReceiver }), call);
    return { status: response.status, text: await response.text() };
  } catch (error) {
    if (!isSextantError(error)) throw error;
    return { status: error.code === 'forbidden' ? 403 : 400, text: error.message };
  }
}

const bodyOf = (...lines: object[]): string => lines.map((line) => JSON.stringify(line)).join('\n');

async function toolCalls({ usage }: StartedUsage, caller = root, instance = 'eu.example.com'): Promise<unknown[]> {
  const rows: unknown[] = [];
  const found = (await usage.open(caller, instance)).rows({ granularity: 'by_user' }, signal);
  for await (const some of found) rows.push(...some.map(({ user, counts }) => [user.name, counts.toolCalls]));
  return rows;
}

describe('what another instance sends', () => {
  test('is a report of its own, beside that of this one', async () => {
    const running = await started();
    const answer = await post(running, bodyOf(user(), sum(), sum({ day: '2026-03-02', calls: 2 })));
    expect(JSON.parse(answer.text)).toEqual({ users: 1, sums: 2, changed: 2 });
    expect(await toolCalls(running)).toEqual([['eva', 5]]);
    expect(await toolCalls(running, root, 'localhost')).toEqual([]);
    expect(await running.usage.instances(root)).toEqual(['localhost', 'eu.example.com']);
    const overview = await (await running.usage.open(root, 'eu.example.com')).overview({
      startDate: '2026-03-01',
      endDate: '2026-03-02',
      span: 'month',
    });
    expect(overview.total).toMatchObject([{ calls: 5, errors: 2, users: 1 }]);
  });

  test('counts once, whether it comes again, twice at once or later than what followed it', async () => {
    const running = await started();
    const [early, late] = [bodyOf(user(), sum()), bodyOf(sum({ calls: 9 }), sum({ calls: 8 }))];
    for (const body of [early, early, late, late, early]) await post(running, body);
    await Promise.all([post(running, late), post(running, late)]);
    expect(await toolCalls(running)).toEqual([['eva', 9]]);
  });

  test('comes only from whom the configuration names for the instance, by user or role; administrators are no exception', async () => {
    const running = await started();
    const from = (caller: Caller): Promise<{ status: number; text: string }> =>
      post(running, bodyOf(sum({ userId: caller.user.id })), { caller });
    expect((await from(callerOf('collector', { id: 51, roles: ['collectors'] }))).status).toBe(200);
    expect((await from(callerOf('other', { id: 52, roles: ['sender'] }))).status).toBe(403);
    expect((await from(root)).status).toBe(403);
    expect(await toolCalls(running)).toEqual([['', 3]]);
  });

  test('is refused alike of an instance that nobody sends for, that someone else does, and of this one', async () => {
    const others = [
      { instance: 'us.example.com', users: ['other'] },
      { instance: 'localhost', users: ['sender'] },
    ];
    const running = await started({ receiveFrom: others });
    const refusals = await Promise.all(
      ['us.example.com', 'eu.example.com', 'http://localhost/', '://', 'us.example.com:81'].map((instance) =>
        post(running, bodyOf(sum()), { query: `instanceURL=${instance}` }),
      ),
    );
    expect(refusals[0]).toEqual({ status: 403, text: expect.stringContaining('receiveFrom of service-usage') });
    for (const refusal of refusals) expect(refusal).toEqual(refusals[0]);
    expect(await running.usage.instances(root)).toEqual(['localhost']);
  });

  test('stays when nothing more is taken of an instance', async () => {
    using folder = temporaryFolder();
    {
      await using before = await startUsage(folder.path, { receiveFrom });
      await post(before, bodyOf(user(), sum()));
    }
    await using after = await startUsage(folder.path);
    expect((await post(after, bodyOf(sum({ calls: 9 })))).status).toBe(403);
    expect(await toolCalls(after)).toEqual([['eva', 3]]);
  });

  test('has the same sums in whatever order it comes, and with pieces that never came', async () => {
    const running = await started();
    const grown = [1, 2, 3, 4, 5].map((calls) => bodyOf(sum({ calls, errors: 0, milliseconds: calls })));
    for (const at of [2, 0, 4, 1, 4, 3, 0]) await post(running, grown[at] ?? '');
    const overview = await (await running.usage.open(root, 'eu.example.com')).overview({
      startDate: '2026-03-01',
      endDate: '2026-03-01',
      span: 'day',
    });
    expect(overview.tools).toMatchObject([{ name: 'read_file', calls: 5, errors: 0, milliseconds: 5 }]);
    expect(await toolCalls(running)).toEqual([['', 5]]);
  });

  test('is seen by who has the same e-mail address there, as their own; for others the instance does not exist', async () => {
    const running = await started();
    await post(running, bodyOf(user(), user({ id: 8, name: 'max', email: '' }), sum(), sum({ userId: 8 })));
    const eva = {
      ...callerOf('eva', { id: 3 }),
      user: { ...callerOf('eva', { id: 3 }).user, email: 'eva@EXAMPLE.com' },
    };
    expect(await toolCalls(running, eva)).toEqual([['eva', 3]]);
    expect(await running.usage.instances(eva)).toEqual(['localhost', 'eu.example.com']);
    const stranger = callerOf('stranger', { id: 8 });
    const refusal = (instance: string): Promise<unknown> =>
      toolCalls(running, stranger, instance).catch((error: unknown) => error);
    expect(await refusal('eu.example.com')).toEqual(await refusal('unknown.example.com'));
    expect(await running.usage.instances(stranger)).toEqual(['localhost']);
  });

  test.each([
    ['{"sum":', 'line 1: must be {"user":{…}}, {"tool":{…}} or {"sum":{…}}'],
    [bodyOf(user(), { sum: {} }), 'line 2: '],
    [bodyOf(sum({ calls: -1 })), 'line 1: '],
    [bodyOf(sum({ errors: 4 })), 'line 1: '],
    [bodyOf(sum({ calls: 1e300 })), 'line 1: '],
    [bodyOf(sum({ day: '2026-02-30' })), 'line 1: '],
    [bodyOf(sum({ more: 1 })), 'line 1: '],
    ['x'.repeat(20_000), 'a line is larger than'],
  ])('is refused with the place of the mistake: %#', async (body, message) => {
    const answer = await post(await started(), body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(message)]);
  });

  test.each([
    [{ day: '9999-12-31' }, 'from 2000-01-01 to tomorrow'],
    [{ day: '0001-01-01' }, 'from 2000-01-01 to tomorrow'],
    [{ calls: 1e12 }, 'line 1: '],
    [{ milliseconds: 1e300 }, 'line 1: '],
    [{ userId: -1 }, 'line 1: '],
    [{ userId: 1e300 }, 'line 1: '],
    [{ client: 'x'.repeat(201) }, 'line 1: '],
    [{ kind: '__proto__' }, 'line 1: '],
  ])('is refused where no calls can come to that: %j', async (more, message) => {
    const running = await started();
    expect(await post(running, bodyOf(sum(more)))).toEqual({ status: 400, text: expect.stringContaining(message) });
    expect(await toolCalls(running)).toEqual([]);
  });

  test.each([
    ['a line that does not end', 'x'.repeat(1_000_000)],
    ['a long line that ends', `${'x'.repeat(20_000)}\n`],
    ['a million columns', ','.repeat(1_000_000)],
    ['a key of the prototype', '{"__proto__":{"user":{}}}'],
    ['a key of the prototype in a sum', bodyOf(sum()).replace('{"sum":{', '{"sum":{"__proto__":{"calls":1},')],
    ['lists in lists', '['.repeat(16_000)],
    ['bytes that are no UTF-8', '\ufffd\ufffd'],
    ['gzip that is not said to be', '\u001f\u008b\b\u0000'],
  ])('is refused: %s', async (_, body) => {
    const running = await started();
    expect((await post(running, body)).status).toBe(400);
    expect(await toolCalls(running)).toEqual([]);
  });

  test('has names that harm no report, whatever is in them', async () => {
    const running = await started();
    const names = ['__proto__', 'constructor', '=1+1', 'a\u0000b', '\u001b[2J', '\ud800', 'a\r\nb,c', '<script>'];
    const lines = names.map((client) => sum({ client, language: client, tool: client }));
    const body = bodyOf(user({ name: 'e\u0000v\na' }), ...lines);
    for (const again of [body, body]) expect((await post(running, again)).status).toBe(200);
    expect(await toolCalls(running)).toEqual([['e\\u0000v\na', 3 * names.length]]);
    const overview = await (await running.usage.open(root, 'eu.example.com')).overview({
      startDate: '2026-03-01',
      endDate: '2026-03-01',
      span: 'day',
    });
    const kept = ['__proto__', 'constructor', '=1+1', 'a\\u0000b', '\\u001b[2J', '\ufffd', 'a\r\nb,c', '<script>'];
    for (const dimension of [overview.clients, overview.languages, overview.tools])
      expect(dimension.map(({ name, calls }) => [name, calls]).toSorted()).toEqual(
        kept.map((name) => [name, 3]).toSorted(),
      );
  });

  test.each(['', 'instanceURL=', 'instance=a', 'instanceURL=a&instanceURL=b', 'instanceURL=a&more=b'])(
    'needs the name of the instance: ?%s',
    async (query) => {
      const answer = await post(await started(), bodyOf(sum()), { query });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('instanceURL')]);
    },
  );
});

test.each([
  [[{ instance: 'a b', users: ['x'] }], 'must be the host of an instance'],
  [[{ instance: 'a.example.com' }], 'needs users or roles that may send its usage'],
  [
    [
      { instance: 'a.example.com', users: ['x'] },
      { instance: 'https://A.example.com', users: ['y'] },
    ],
    'each instance once',
  ],
])('a sender that cannot be is refused: %#', (senders, message) => {
  expect(plugin.config.safeParse({ receiveFrom: senders }).error?.issues[0]?.message).toContain(message);
});

/** Another instance behind HTTP, which fails as often as it is told. */
async function target(failures = 0): Promise<StartedUsage & { url: string; bodies: string[] }> {
  const running = await started();
  const bodies: string[] = [];
  let left = failures;
  const server = createServer(async (request, response) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString();
    left -= 1;
    if (left >= 0) return void response.writeHead(503).end();
    bodies.push(body);
    const query = 'instanceURL=eu.example.com';
    const { status, text } = await post(running, body, { query });
    response.writeHead(status).end(text);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return { ...running, bodies, url: `http://127.0.0.1:${port}` };
}

describe('an instance with pushTo', () => {
  test('sends nothing of a day that only a wrong clock had, and everything else', async () => {
    const central = await target();
    using folder = temporaryFolder();
    const settings = { eventDays: 36_500, pushTo: { url: central.url, token: 'sxt_secret', intervalSeconds: 1 } };
    await using running = await startUsage(folder.path, settings);
    running.recorder.record(recordOf({ startedAt: Date.UTC(2900, 0, 1), clientName: 'ahead' }));
    running.recorder.record(recordOf({ clientName: 'a\u0000b\u202ec' }));
    await expect.poll(() => toolCalls(central)).toEqual([['alice', 1]]);
    expect(central.bodies.join('\n')).toContain(JSON.stringify('a\\u0000b\\u202ec'));
    expect(central.bodies.join('\n')).not.toContain('2900');
  });

  test('sends what its tools are used for, which counts there unless it is known better', async () => {
    const central = await target();
    using folder = temporaryFolder();
    const settings = { eventDays: 36_500, pushTo: { url: central.url, token: 'sxt_secret', intervalSeconds: 1 } };
    await using running = await startUsage(folder.path, settings);
    running.recorder.record(recordOf({ name: 'todo_report', activity: 'search' }));
    running.recorder.record(recordOf({ name: 'read_file', activity: 'history' }));
    await expect.poll(() => toolCalls(central)).toEqual([['alice', 2]]);
    const usage = await central.usage.open(root, 'eu.example.com');
    for await (const [row] of usage.rows({ granularity: 'by_user' }, signal))
      expect(row?.counts).toMatchObject({ searches: 1, fileReads: 1, historyQueries: 0 });
  });

  const many = Array.from({ length: 4500 }, (_, number) => recordOf({ name: `tool_${number}` }));

  const wait = { timeout: 60_000 };

  test('sends everything that it has, then what is new, through failures and a restart', async () => {
    const central = await target(1);
    // The records are of long ago.
    const kept = { eventDays: 36_500 };
    const settings = { ...kept, pushTo: { url: `${central.url}/`, token: 'sxt_secret', intervalSeconds: 1 } };
    using folder = temporaryFolder();
    {
      await using before = await startUsage(folder.path, kept);
      for (const record of many) before.recorder.record(record);
    }
    {
      await using running = await startUsage(folder.path, settings);
      await expect.poll(() => toolCalls(central)).toEqual([['alice', 4500]]);
      running.recorder.record(recordOf({ name: 'tool_0' }));
      await expect.poll(() => toolCalls(central)).toEqual([['alice', 4501]]);
    }
    const sent = central.bodies.length;
    await using again = await startUsage(folder.path, settings);
    again.recorder.record(recordOf({ userId: 3 }));
    await vi.waitFor(
      async () =>
        expect(await toolCalls(central)).toEqual([
          ['alice', 4501],
          ['bob', 1],
        ]),
      wait,
    );
    const later = central.bodies.slice(sent).flatMap((body) => body.split('\n'));
    expect(later.filter((line) => line.includes('"sum"'))).toHaveLength(1);
  });
});
