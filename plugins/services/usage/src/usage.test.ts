import { Database } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import type {
  NamedTally,
  OverviewRequest,
  Span,
  UsageFilter,
  UsageOverview,
  UsageRequest,
  UsageRow,
} from '@sextant/contracts';
import { callerOf } from '@sextant/core/testing';
import type { CallRecord, Caller } from '@sextant/core';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { migrations } from './database/migrations.ts';
import type { UsageTables } from './database/tables.ts';
import { manyRepositories, recordOf, startUsage } from './testing/start-usage.ts';
import type { StartedUsage } from './testing/start-usage.ts';

const root = callerOf('root', { id: 1, isSiteAdmin: true });
const alice = callerOf('alice', { id: 2 });
const { signal } = new AbortController();

async function rowsOf(
  { usage }: StartedUsage,
  request: Partial<UsageRequest> = {},
  caller = root,
): Promise<UsageRow[]> {
  const rows: UsageRow[] = [];
  const instance = await usage.open(caller, 'localhost');
  for await (const some of instance.rows({ granularity: 'by_user_day_client_language', ...request }, signal))
    rows.push(...some);
  return rows;
}

/** Records with one process, and looks with the next. */
async function afterwards<T>(
  records: readonly CallRecord[],
  look: (started: StartedUsage) => Promise<T>,
  settings = {},
): Promise<T> {
  using folder = temporaryFolder();
  {
    await using started = await startUsage(folder.path, settings);
    for (const record of records) started.recorder.record(record);
  }
  await using started = await startUsage(folder.path, settings);
  return await look(started);
}

const brief = (rows: readonly UsageRow[]): unknown[] =>
  rows.map(({ user, date, client, language, counts }) => [user.id, date, client, language, counts.toolCalls]);

const sample = [
  recordOf(),
  recordOf({ files: ['a.py', 'b.py', 'c.ts'] }),
  recordOf({ startedAt: Date.parse('2026-03-31T23:59:59.999Z') }),
  recordOf({ startedAt: Date.parse('2026-04-01T00:00:00Z'), clientName: undefined, files: [] }),
  recordOf({ userId: 3, clientName: 'other', files: ['Dockerfile', 'LICENSE', 'NOTICE'] }),
];

describe('rows are grouped as the granularity says', () => {
  test.each([
    [
      'by_user',
      [
        [2, '', '', '', 4],
        [3, '', '', '', 1],
      ],
    ],
    [
      'by_user_month',
      [
        [2, '2026-03', '', '', 3],
        [2, '2026-04', '', '', 1],
        [3, '2026-03', '', '', 1],
      ],
    ],
    [
      'by_user_day',
      [
        [2, '2026-03-01', '', '', 2],
        [2, '2026-03-31', '', '', 1],
        [2, '2026-04-01', '', '', 1],
        [3, '2026-03-01', '', '', 1],
      ],
    ],
    [
      'by_user_day_client_language',
      [
        [2, '2026-03-01', 'probe', 'Python', 1],
        [2, '2026-03-01', 'probe', 'TypeScript', 1],
        [2, '2026-03-31', 'probe', 'TypeScript', 1],
        [2, '2026-04-01', '', '', 1],
        [3, '2026-03-01', 'other', 'Other', 1],
      ],
    ],
  ] as const)('%s', async (granularity, expected) => {
    expect(brief(await afterwards(sample, (started) => rowsOf(started, { granularity })))).toEqual(expected);
  });
});

test('dates are inclusive, in UTC, and one alone bounds that side', async () => {
  await afterwards(sample, async (started) => {
    const dates = async (period: object): Promise<string[]> =>
      (await rowsOf(started, { granularity: 'by_user_day', ...period }, alice)).map(({ date }) => date);
    expect(await dates({ startDate: '2026-03-31' })).toEqual(['2026-03-31', '2026-04-01']);
    expect(await dates({ endDate: '2026-03-31' })).toEqual(['2026-03-01', '2026-03-31']);
    expect(await dates({ startDate: '2026-03-31', endDate: '2026-03-31' })).toEqual(['2026-03-31']);
  });
});

test('a day is one of UTC, also when clocks are changed elsewhere, and a clock that goes back loses nothing', async () => {
  const times = ['2026-03-29T00:30:00Z', '2026-03-29T23:30:00Z', '2026-03-28T23:59:59Z', '2026-10-25T00:59:59Z'];
  const records = times.map((time) => recordOf({ startedAt: Date.parse(time) }));
  const rows = await afterwards(records, (started) => rowsOf(started, { granularity: 'by_user_day' }));
  expect(rows.map(({ date, counts }) => [date, counts.toolCalls])).toEqual([
    ['2026-03-28', 1],
    ['2026-03-29', 2],
    ['2026-10-25', 1],
  ]);
});

test('each kind of tool has its count; views of pages and reports have none', async () => {
  const names = ['keyword_search', 'nls_search', 'go_to_definition', 'diff_search', 'read_file', 'code_finder'];
  const records = [
    ...[...names, 'deepsearch', 'evaluator', 'list_repos'].map((name) => recordOf({ name })),
    recordOf({ name: 'code_finder', credits: 2 }),
    recordOf({ outcome: 'not_found' }),
    recordOf({ kind: 'page', name: 'analytics' }),
  ];
  const [row] = await afterwards(records, (started) => rowsOf(started, { granularity: 'by_user' }));
  expect(row?.counts).toMatchObject({
    searches: 2,
    codeNavigations: 1,
    historyQueries: 1,
    fileReads: 2,
    codeFinderCalls: 2,
    deepSearchQuestions: 1,
    evaluatorRuns: 1,
    toolCalls: 11,
    toolErrors: 1,
    creditsUsed: 2,
  });
});

test('a tool that nobody knows counts as what it declares, the calls before it declared too', async () => {
  const records = [
    recordOf({ name: 'todo_report', activity: 'search' }),
    recordOf({ name: 'who_wrote', activity: 'other' }),
    recordOf({ name: 'who_wrote', activity: 'history' }),
  ];
  const [row] = await afterwards(records, (started) => rowsOf(started, { granularity: 'by_user' }));
  expect(row?.counts).toMatchObject({ searches: 1, historyQueries: 2, toolCalls: 3 });
});

test('administrators and holders of ANALYTICS#READ see everyone, others see their own', async () => {
  const analyst = callerOf('analyst', { id: 9, permissions: ['ANALYTICS#READ'] });
  await afterwards(sample, async (started) => {
    const seen = async (caller: typeof root): Promise<unknown[]> => [
      (await rowsOf(started, { granularity: 'by_user' }, caller)).map(({ user }) => user.name),
      (await (await started.usage.open(caller, 'localhost')).users()).map(({ name }) => name),
    ];
    expect(await seen(root)).toEqual([
      ['alice', 'bob'],
      ['admin', 'alice', 'bob'],
    ]);
    expect(await seen(analyst)).toEqual(await seen(root));
    expect(await seen(alice)).toEqual([['alice'], ['alice']]);
    expect(await seen(callerOf('stranger', { id: 9 }))).toEqual([[], []]);
  });
});

test('a user who is gone keeps the number and is not active', async () => {
  const [row] = await afterwards([recordOf({ userId: 77 })], (started) => rowsOf(started));
  expect(row?.user).toMatchObject({ id: 77, name: '', email: '', isActive: false });
});

test('an instance is named by its host or URL; any other is forbidden, known or not, in the same words', async () => {
  await afterwards([], async ({ usage }) => {
    for (const name of ['localhost', 'LOCALHOST', 'http://localhost', 'http://localhost/', 'https://localhost:443/x'])
      await usage.open(alice, name);
    const refusal = (name: string): Promise<unknown> => usage.open(alice, name).catch((error: unknown) => error);
    expect(await refusal('elsewhere.example.com')).toMatchObject({ code: 'forbidden' });
    for (const name of ['localhost:1', 'localhost.evil.example', '://', 'a b', '', 'x'.repeat(9999)])
      expect(await refusal(name)).toEqual(await refusal('elsewhere.example.com'));
  });
});

test('a report of many pages has each row once, in order', async () => {
  const records = Array.from({ length: 3000 }, (_, number) =>
    recordOf({ userId: (number % 71) + 1, clientName: `client ${number % 43}`, files: [] }),
  );
  const rows = await afterwards(records, (started) => rowsOf(started));
  const keys = rows.map(({ user, client }) => `${String(user.id).padStart(2, '0')} ${client}`);
  expect(new Set(keys).size).toBe(3000);
  expect(keys).toEqual(keys.toSorted());
  expect(rows.map(({ counts }) => counts.toolCalls).every((calls) => calls === 1)).toBe(true);
});

test('a client is named as it names itself, whatever the name', async () => {
  const names = [
    '',
    ' ',
    '"',
    '\\',
    'null',
    'NULL',
    '{}',
    'a,b',
    '{"a","b\\"}',
    "'",
    'naïve 𝒮',
    'two\nlines\tand a tab',
  ];
  const rows = await afterwards(
    names.map((clientName) => recordOf({ clientName })),
    (started) => rowsOf(started),
  );
  expect(rows.map(({ client }) => client)).toEqual(names.toSorted());
});

test('a user who names a client anew for each call has 50 of them on a day, also after a start, and every call counts', async () => {
  using folder = temporaryFolder();
  for (const first of [0, 300]) {
    await using started = await startUsage(folder.path);
    for (let number = first; number < first + 300; number += 1)
      started.recorder.record(recordOf({ clientName: `client ${number}` }));
    // Others go on under their own names, and so does the next day.
    started.recorder.record(recordOf({ userId: 3 }));
    started.recorder.record(recordOf({ startedAt: Date.parse('2026-03-02T00:00:00Z') }));
  }
  await using started = await startUsage(folder.path);
  const rows = await rowsOf(started);
  const own = rows.filter(({ user, date }) => user.id === 2 && date === '2026-03-01');
  expect(own).toHaveLength(51);
  expect(own.find(({ client }) => client === 'other')?.counts.toolCalls).toBe(550);
  expect(brief(rows.filter((row) => !own.includes(row)))).toEqual([
    [2, '2026-03-02', 'probe', 'TypeScript', 2],
    [3, '2026-03-01', 'probe', 'TypeScript', 2],
  ]);
});

test('events older than the retention go, their sums stay', async () => {
  const records = Array.from({ length: 1200 }, (_, number) =>
    recordOf(number < 700 ? {} : { startedAt: Date.now(), userId: 3 }),
  );
  const left = await afterwards(
    records,
    async (started) => (await rowsOf(started, { granularity: 'by_user' })).map(({ counts }) => counts.toolCalls),
    { eventDays: 1 },
  );
  expect(left).toEqual([700, 500]);
});

describe('a look at a period', () => {
  const look = async (
    { usage }: StartedUsage,
    request: Partial<OverviewRequest>,
    caller = root,
  ): Promise<UsageOverview> =>
    (await usage.open(caller, 'localhost')).overview({
      startDate: '2026-02-27',
      endDate: '2026-04-02',
      span: 'month',
      ...request,
    });
  const records = [
    ...sample,
    recordOf({ userId: 3, name: 'diff_search', outcome: 'timeout', milliseconds: 8.5, credits: 3 }),
    recordOf({ kind: 'page', name: 'home' }),
  ];

  test('has every span, those without calls too, the first and last cut by the period', async () => {
    await afterwards(records, async (started) => {
      const spans = async (span: Span): Promise<unknown[]> =>
        (await look(started, { span })).total.map(({ date, calls, users }) => [date, calls, users]);
      expect(await spans('month')).toEqual([
        ['2026-02-27', 0, 0],
        ['2026-03-01', 5, 2],
        ['2026-04-01', 1, 1],
      ]);
      expect(await spans('week')).toEqual([
        ['2026-02-27', 4, 2],
        ['2026-03-02', 0, 0],
        ['2026-03-09', 0, 0],
        ['2026-03-16', 0, 0],
        ['2026-03-23', 0, 0],
        ['2026-03-30', 2, 1],
      ]);
      expect(await spans('day')).toHaveLength(35);
    });
  });

  test('tells errors, time and credits, by tool, client, language and user; views are named apart', async () => {
    await afterwards(records, async (started) => {
      const { total, tools, clients, languages, views, users, userCount } = await look(started, {});
      expect(userCount).toBe(2);
      expect(total[1]).toEqual({ date: '2026-03-01', calls: 5, errors: 1, milliseconds: 14.5, credits: 3, users: 2 });
      const brief = (rows: readonly NamedTally[]): unknown[] =>
        rows.map(({ date, name, calls }) => [date, name, calls]);
      expect(brief(tools)).toEqual([
        ['2026-03-01', 'diff_search', 1],
        ['2026-03-01', 'read_file', 4],
        ['2026-04-01', 'read_file', 1],
      ]);
      expect(brief(clients)).toContainEqual(['2026-04-01', '', 1]);
      expect(brief(languages)).toContainEqual(['2026-03-01', 'TypeScript', 3]);
      expect(brief(views)).toEqual([['2026-03-01', 'home', 1]]);
      expect(users.map(({ user, calls, credits }) => [user.name, calls, credits])).toEqual([
        ['alice', 4, 0],
        ['bob', 2, 3],
      ]);
    });
  });

  test('is of their own for those who do not see everyone', async () => {
    await afterwards(records, async (started) => {
      const own = await look(started, {}, alice);
      expect(own.total.map(({ calls, users }) => [calls, users])).toEqual([
        [0, 0],
        [3, 1],
        [1, 1],
      ]);
      expect(own.tools.map(({ date, name, calls }) => [date, name, calls])).toEqual([
        ['2026-03-01', 'read_file', 3],
        ['2026-04-01', 'read_file', 1],
      ]);
      expect(own.views).toMatchObject([{ name: 'home', calls: 1 }]);
      expect([own.users, own.userCount]).toEqual([[], 1]);
    });
  });

  test('is of some calls alone: of users, a client, a tool, a language', async () => {
    await afterwards(records, async (started) => {
      const only = async (filter: UsageFilter): Promise<unknown[]> => {
        const { tools, users, userCount } = await look(started, { only: filter });
        const calls = tools.reduce((sum, tool) => sum + tool.calls, 0);
        return [calls, userCount, users.map(({ user }) => user.name)];
      };
      expect(await only({})).toEqual([6, 2, ['alice', 'bob']]);
      expect(await only({ tool: 'diff_search' })).toEqual([1, 1, ['bob']]);
      expect(await only({ users: [3], tool: 'read_file' })).toEqual([1, 1, ['bob']]);
      expect(await only({ users: [] })).toEqual([0, 0, []]);
      // More than a statement of SQLite takes parameters.
      const team = Array.from({ length: 40_000 }, (_, index) => index + 3);
      expect(await only({ users: team })).toEqual([2, 1, ['bob']]);
      expect(await only({ client: 'nobody has it' })).toEqual([0, 0, []]);
      expect(await only({ language: 'TypeScript', client: 'probe' })).toEqual(await only({ language: 'TypeScript' }));
      expect(await look(started, { only: { users: [3] } }, alice)).toMatchObject({ tools: [] });
    });
  });

  test('tells of repositories only those that the caller may read, whoever called', async () => {
    const about = [
      recordOf({ repository: 'shop' }),
      recordOf({ repository: 'shop', name: 'diff_search', userId: 3, milliseconds: 9 }),
      recordOf({ repository: 'vault', outcome: 'timeout' }),
      recordOf({ repository: 'gone' }),
      recordOf(),
    ];
    const reader = callerOf('reader', { id: 3, permissions: ['ANALYTICS#READ'] });
    await afterwards(
      about,
      async (started) => {
        const named = async (caller: Caller, only: UsageFilter = {}): Promise<unknown[]> =>
          (await look(started, { only }, caller)).repositories.map(({ name, calls, errors }) => [name, calls, errors]);
        const hidden = ['vault', 1, 1];
        expect((await named(root)).toSorted()).toEqual([['shop', 2, 0], hidden]);
        expect(await named(reader)).toEqual([['shop', 2, 0]]);
        expect(await named(alice)).toEqual([['shop', 1, 0]]);
        expect(await named(root, { users: [2], repository: 'vault' })).toEqual([hidden]);
        expect(await named(root, { tool: 'diff_search' })).toEqual([['shop', 1, 0]]);
        const vault = (caller: Caller, repository = 'vault'): Promise<UsageOverview> =>
          look(started, { only: { repository } }, caller);
        expect(await vault(root)).toMatchObject({ userCount: 1, tools: [{ name: 'read_file', calls: 1 }] });
        expect((await vault(root)).p95?.all).toBe(1.5);
        expect((await look(started, { only: { repository: 'shop' } })).p95?.all).toBe(9);
        for (const caller of [reader, alice]) expect(await vault(caller)).toEqual(await vault(caller, 'none such'));
        expect((await vault(reader)).userCount).toBe(0);
      },
      { eventDays: 36_500 },
    );
  });

  test('of a repository goes on under its new name, not with what takes its old one; of unknown names nothing is kept', async () => {
    using folder = temporaryFolder();
    {
      await using before = await startUsage(folder.path, {}, { shop: 'host 1' });
      for (const repository of ['shop', 'gone']) before.recorder.record(recordOf({ repository }));
    }
    await using after = await startUsage(folder.path, {}, { vault: 'host 1', shop: 'host 2' });
    const named = async (caller: Caller): Promise<string[]> =>
      (await look(after, {}, caller)).repositories.map(({ name }) => name);
    expect(await named(root)).toEqual(['vault']);
    expect(await named(alice)).toEqual([]);
    const { database } = after.services.resolve({ database: Database });
    const db = await database.open<UsageTables>({ name: 'usage', migrations });
    expect(await db.selectFrom('usage_repository').select('name').execute()).toEqual([{ name: ':host 1' }]);
  });

  test('tells of more repositories than a statement takes parameters', async () => {
    using folder = temporaryFolder();
    {
      await using before = await startUsage(folder.path);
      const { database } = before.services.resolve({ database: Database });
      const db = await database.open<UsageTables>({ name: 'usage', migrations });
      await sql`with recursive n(n) as (select 1 union all select n + 1 from n where n < ${manyRepositories.length})
        insert into usage_repository (name) select 'many/' || n from n`.execute(db);
      for (const repository of ['many/33000', 'vault']) before.recorder.record(recordOf({ repository }));
    }
    await using after = await startUsage(folder.path);
    const { repositories } = await look(after, {}, callerOf('collector', { id: 2 }));
    expect(repositories).toMatchObject([{ name: 'many/33000', calls: 1 }]);
  });

  test('tells within which time 95 of 100 calls ended, of all and of each tool', async () => {
    const calls = Array.from({ length: 100 }, (_, index) => recordOf({ milliseconds: index + 1 }));
    await afterwards(
      [...calls, recordOf({ name: 'diff_search', milliseconds: 900 })],
      async (started) => {
        const { p95 } = await look(started, {});
        expect(p95).toEqual({
          all: 96,
          tools: new Map([
            ['read_file', 95],
            ['diff_search', 900],
          ]),
        });
        expect((await look(started, { only: { users: [3] } })).p95).toBeUndefined();
        const team = Array.from({ length: 40_000 }, (_, index) => index + 2);
        expect(await look(started, { only: { users: team } })).toMatchObject({ p95 });
      },
      { eventDays: 36_500 },
    );
  });

  test('of weeks tells how many who began in each made calls later', async () => {
    const on = (userId: number, day: string): Partial<CallRecord> => ({
      userId,
      startedAt: Date.parse(`${day}T12:00:00Z`),
    });
    const days = [
      on(2, '2026-03-02'),
      on(2, '2026-03-08'),
      on(3, '2026-03-03'),
      on(2, '2026-03-18'),
      on(1, '2026-03-16'),
    ];
    await afterwards(days.map(recordOf), async ({ usage }) => {
      const asked = { endDate: '2026-03-20', weeks: 3 };
      expect(await (await usage.open(root, 'localhost')).cohorts(asked)).toEqual([
        { week: '2026-03-02', users: 2, active: [2, 0, 1] },
        { week: '2026-03-09', users: 0, active: [0, 0] },
        { week: '2026-03-16', users: 1, active: [1] },
      ]);
      expect(await (await usage.open(alice, 'localhost')).cohorts(asked)).toEqual([]);
    });
  });

  test('is refused when it is too long for its spans', async () => {
    await afterwards([], async (started) => {
      await expect(look(started, { startDate: '2024-01-01', span: 'day' })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: 'the period has more than 400 days; choose a shorter one or longer spans',
      });
    });
  });
});
