import { join } from 'node:path';
import { eventOf } from '../support/events.ts';
import { openDatabase, startRecorder } from '../support/recording.ts';
import { whole } from './row.ts';
import type { Row } from './row.ts';

interface Recording {
  folder: string;
  data: string;
  events: number;
}

/** Fills the store, beside a plain loop of inserts with the library of the database. */
export async function measureRecording({ folder, data, events }: Recording): Promise<Row> {
  const recorder = await startRecorder(data);
  const bare = bareInsertions(join(folder, 'bare.db'), Math.min(events, 1_000_000));
  const begun = performance.now();
  for (let number = 0; number < events; ) {
    const end = Math.min(number + 50_000, events);
    for (; number < end; number += 1) recorder.record(eventOf(number, events));
    await recorder.flush();
  }
  // What is not added up yet is part of the work.
  await recorder[Symbol.asyncDispose]();
  const rate = events / ((performance.now() - begun) / 1000);
  return [
    `${whole(events)} events recorded and added up`,
    `${whole(rate)}/s`,
    `${whole(bare)}/s bare`,
    (rate / bare).toFixed(2),
    '≥ 100,000/s or ≥ 0.50',
  ];
}

/** Rows a second of a plain loop of inserts into the same columns. */
function bareInsertions(file: string, count: number): number {
  const db = openDatabase(file);
  db.exec('create table event (id integer primary key autoincrement, a, b, c, d, e, f, g, h, i, j, k)');
  const insert = db.prepare(
    'insert into event (a, b, c, d, e, f, g, h, i, j, k) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const begun = performance.now();
  for (let number = 0; number < count; ) {
    db.exec('begin immediate');
    for (const end = Math.min(number + 2000, count); number < end; number += 1) {
      const event = eventOf(number, count);
      const { startedAt, userId, clientName = '', kind, name, endpoint, milliseconds, outcome } = event;
      const day = new Date(startedAt).toISOString().slice(0, 10);
      insert.run(startedAt, day, userId, clientName, kind, name, endpoint, 'TypeScript', milliseconds, outcome, 0);
    }
    db.exec('commit');
  }
  const rate = count / ((performance.now() - begun) / 1000);
  db.close();
  return rate;
}
