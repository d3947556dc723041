import { silentLogger } from '@sextant/core';
import type { CallRecord } from '@sextant/core';
import { expect, test } from 'vitest';
import { Recorder } from './recorder.ts';
import { recordOf } from '../testing/start-usage.ts';

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

test('why nothing can be written is logged once, and again after something was', async () => {
  let isFull = true;
  const sink = { write: async () => (isFull ? Promise.reject(new Error('the disk is full')) : undefined) };
  const told: string[] = [];
  const log = { ...silentLogger, error: (_: object, message: string) => void told.push(message) };
  const recorder = new Recorder({ sink, log, intervalMs: 60_000 });
  for (const isFullThen of [true, true, false, true, true]) {
    isFull = isFullThen;
    recorder.record(recordOf());
    await recorder.flush();
  }
  isFull = false;
  await recorder.close();
  expect(told).toEqual(Array.from({ length: 2 }, () => 'usage cannot be written, it is tried again: the disk is full'));
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
