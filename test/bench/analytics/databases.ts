import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Usage, granularities } from '@sextant/contracts';
import type { Granularity, InstanceUsage } from '@sextant/contracts';
import { CallRecorder } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import { postgresSettings, startCluster } from '@sextant/service-postgres/testing';
import directory from '../../../plugins/services/directory/src/index.ts';
import postgres from '../../../plugins/services/postgres/src/index.ts';
import sqlite from '../../../plugins/services/sqlite/src/index.ts';
import { Recorder } from '../../../plugins/services/usage/src/recording/recorder.ts';
import usagePlugin from '../../../plugins/services/usage/src/index.ts';
import { queryOnce } from '../../prove/support/database.ts';
import { eventOf } from '../support/events.ts';
import { median, whole } from './row.ts';
import type { Row } from './row.ts';

type Configured = Parameters<typeof startPlugins>[1][number];

/** How often each report is read; in turn from both databases, so that what else runs slows both alike. */
const turns = 5;

/** The same events and reports on both databases. PostgreSQL waits for the disk, as in production. */
export async function measureDatabases(folder: string, events: number): Promise<Row[]> {
  await using cluster = await startCluster({ isDurable: true });
  const settings = await postgresSettings(cluster.url, 'bench');
  const [sqliteData, postgresData] = [join(folder, 'sqlite'), join(folder, 'postgres')];
  // What one of them remembers must not be in the heap of the other.
  const sqliteRate = await record(sqliteData, [sqlite], events);
  const postgresRate = await record(postgresData, [postgres, settings], events);
  await using here = await open(sqliteData, [sqlite]);
  await using there = await open(postgresData, [postgres, settings]);
  // Within a minute the server does so by itself; here months have passed since it last could.
  queryOnce(cluster.url, 'analyze');
  const reports: Row[] = [];
  for (const granularity of granularities) {
    const pairs: { ms: number; other: number }[] = [];
    for (let turn = 0; turn < turns; turn += 1)
      pairs.push({ other: await readReport(here, granularity), ms: await readReport(there, granularity) });
    const ratio = median(pairs.map(({ ms, other }) => ms / other)).toFixed(2);
    const [ms, other] = [median(pairs.map((pair) => pair.ms)), median(pairs.map((pair) => pair.other))];
    reports.push([`report ${granularity}`, `${whole(ms)} ms`, `${whole(other)} ms on SQLite`, ratio, '≤ 2.5']);
  }
  const ratio = (postgresRate / sqliteRate).toFixed(2);
  const rates = [`${whole(postgresRate)}/s`, `${whole(sqliteRate)}/s on SQLite`] as const;
  return [[`${whole(events)} events recorded and added up`, ...rates, ratio, '≥ 30,000/s'], ...reports];
}

interface Opened extends AsyncDisposable {
  readonly recorder: Recorder;
  readonly instance: InstanceUsage;
}

async function open(data: string, database: Configured): Promise<Opened> {
  await mkdir(data, { recursive: true });
  const started = await startPlugins(data, [database, [directory], [usagePlugin, { eventDays: 36_500 }]]);
  const { recorder, usage } = started.services.resolve({ recorder: CallRecorder, usage: Usage });
  if (!(recorder instanceof Recorder)) throw new Error('another plugin records');
  const root = callerOf('root', { isSiteAdmin: true });
  const [name = ''] = await usage.instances(root);
  const instance = await usage.open(root, name);
  return { recorder, instance, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
}

/** Events a second. */
async function record(data: string, database: Configured, events: number): Promise<number> {
  await using opened = await open(data, database);
  const { recorder, instance } = opened;
  const begun = performance.now();
  for (let number = 0; number < events; ) {
    const end = Math.min(number + 50_000, events);
    for (; number < end; number += 1) recorder.record(eventOf(number, events));
    await recorder.flush();
  }
  // Adds up what is not yet.
  await instance.overview({ startDate: '2026-01-01', endDate: '2026-12-31', span: 'month' });
  return events / ((performance.now() - begun) / 1000);
}

/** Milliseconds until its last page. */
async function readReport({ instance }: Opened, granularity: Granularity): Promise<number> {
  const begun = performance.now();
  for await (const _page of instance.rows({ granularity }, new AbortController().signal));
  return performance.now() - begun;
}
