import { silentLogger } from '@sextant/core';
import type { CallRecord } from '@sextant/core';
import { expect, test } from 'vitest';
import { Recorder } from './recorder.ts';
import { recordOf } from './testing/start-usage.ts';

/** A sink that fails as often as it is told, and keeps what it got. */
function sinkOf(failures = 0): {
  write(records: readonly CallRecord[]): Promise<void>;
  got: CallRecord[];
} {
  const got: CallRecord[] = [];
  let left = failures;
  return {
    got,
    write: async (records) => {
      left -= 1;
      if (left >= 0) throw new Error('the disk is full');
      got.push(...records);
    },
  };
}

const records = Array.from({ length: 1700 }, (_, number) => recordOf({ userId: number }));

test('everything that was recorded is written, in order, when it closes', async () => {
  const sink = sinkOf();
  const recorder = new Recorder({ sink, log: silentLogger });
  for (const record of records) recorder.record(record);
  await recorder.close();
  expect(sink.got).toEqual(records);
});

test('what could not be written is written later, once and in order', async () => {
  const sink = sinkOf(2);
  const recorder = new Recorder({ sink, log: silentLogger });
  for (const record of records.slice(0, 1000)) recorder.record(record);
  await recorder.flush();
  for (const record of records.slice(1000)) recorder.record(record);
  await recorder.flush();
  expect(sink.got).toEqual([]);
  await recorder.close();
  expect(sink.got).toEqual(records);
});

test('what waits is bounded: more is lost and logged, and recording never fails', async () => {
  const lost: unknown[] = [];
  const sink = sinkOf();
  const log = { ...silentLogger, error: (fields: object) => void lost.push(fields) };
  const recorder = new Recorder({ sink, log, maxWaiting: 1000 });
  for (const record of records) recorder.record(record);
  await recorder.close();
  expect(sink.got).toHaveLength(1000);
  expect(lost).toEqual([{ lost: 700 }]);
});

test('what is recorded is written within a second without being asked', async () => {
  const written = Promise.withResolvers<readonly CallRecord[]>();
  const sink = { write: async (batch: readonly CallRecord[]) => written.resolve(batch) };
  const recorder = new Recorder({ sink, log: silentLogger, intervalMs: 1 });
  recorder.record(recordOf());
  expect(await written.promise).toEqual([recordOf()]);
  await recorder.close();
});
