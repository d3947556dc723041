import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Usage, granularities } from '@sextant/contracts';
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
import { whole } from './row.ts';
import type { Row } from './row.ts';

interface Measured {
  /** Events a second. */
  readonly rate: number;
  /** Milliseconds of each report, the median of three. */
  readonly reports: ReadonlyMap<string, number>;
}

type Configured = Parameters<typeof startPlugins>[1][number];

/** The same events and reports on both databases, the one after the other. PostgreSQL waits for the disk, as in production. */
export async function measureDatabases(folder: string, events: number): Promise<Row[]> {
  await using cluster = await startCluster({ isDurable: true });
  const settings = await postgresSettings(cluster.url, 'bench');
  const here = await measure(join(folder, 'sqlite'), { database: [sqlite], events });
  // Within a minute the server does so by itself; here months have passed since it last could.
  const settled = (): void => queryOnce(cluster.url, 'analyze');
  const there = await measure(join(folder, 'postgres'), { database: [postgres, settings], events, settled });
  const reports = [...there.reports].map(([name, ms]): Row => {
    const other = here.reports.get(name) ?? Number.NaN;
    return [`report ${name}`, `${whole(ms)} ms`, `${whole(other)} ms on SQLite`, (ms / other).toFixed(2), '≤ 2.5'];
  });
  const ratio = (there.rate / here.rate).toFixed(2);
  const rates = [`${whole(there.rate)}/s`, `${whole(here.rate)}/s on SQLite`] as const;
  return [[`${whole(events)} events recorded and added up`, ...rates, ratio, '≥ 30,000/s'], ...reports];
}

interface Measuring {
  database: Configured;
  events: number;
  /** Between recording and reports. */
  settled?(): void;
}

async function measure(data: string, { database, events, settled }: Measuring): Promise<Measured> {
  await mkdir(data, { recursive: true });
  await using started = await startPlugins(data, [database, [directory], [usagePlugin, { eventDays: 36_500 }]]);
  const { recorder, usage } = started.services.resolve({ recorder: CallRecorder, usage: Usage });
  if (!(recorder instanceof Recorder)) throw new Error('another plugin records');
  const begun = performance.now();
  for (let number = 0; number < events; ) {
    const end = Math.min(number + 50_000, events);
    for (; number < end; number += 1) recorder.record(eventOf(number, events));
    await recorder.flush();
  }
  const root = callerOf('root', { isSiteAdmin: true });
  const [name = ''] = await usage.instances(root);
  const instance = await usage.open(root, name);
  // Adds up what is not yet.
  await instance.overview({ startDate: '2026-01-01', endDate: '2026-12-31', span: 'month' });
  const rate = events / ((performance.now() - begun) / 1000);
  settled?.();
  const reports = new Map<string, number>();
  for (const granularity of granularities) {
    const times: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const asked = performance.now();
      for await (const _page of instance.rows({ granularity }, new AbortController().signal));
      times.push(performance.now() - asked);
    }
    reports.set(granularity, times.toSorted((a, b) => a - b)[1] ?? Number.NaN);
  }
  return { rate, reports };
}
