import { callerOf } from '@sextant/core/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ProcessorTime } from './processor-time.ts';

test('processor time is counted for each user, and for a tool that has a limit of its own, until the next minute', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-02T03:04:50Z') });
  onTestFinished(() => void vi.useRealTimers());
  const told: string[] = [];
  const time = new ProcessorTime((message) => told.push(message));
  const limits = { processorSecondsPerCaller: 20, tools: { evaluator: { processorSecondsPerCaller: 5 } } };
  const [ann, bob] = [callerOf('ann', { id: 1 }), callerOf('bob', { id: 2 })];
  const meter = time.meterOf(ann, limits, 'evaluator');
  meter.add(4000);
  meter.add(2000);
  expect(() => time.meterOf(ann, limits, 'evaluator')).toThrow(
    'you had 6.0 s of processor time for evaluator in this minute, and may have 5 s; ask again in 10 s',
  );
  time.meterOf(bob, limits, 'evaluator').add(19_000);
  time.meterOf(ann, limits, 'read_file').add(14_000);
  for (const tool of ['read_file', undefined])
    expect(() => time.meterOf(ann, limits, tool)).toThrow('you had 20.0 s of processor time in this minute');
  expect(told[0]).toBe('the user ann had 6.0 s of processor time for evaluator in this minute, and may have 5 s');
  vi.setSystemTime(new Date('2026-01-02T03:05:00Z'));
  // What a call has after the minute in which it began is for the next one.
  meter.add(5000);
  expect(() => time.meterOf(ann, limits, 'evaluator')).toThrow('you had 5.0 s');
  time.meterOf(ann, limits, 'read_file');
});
