import { Audit, Database } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { RefusalRecorder, silentLogger } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import { testDatabase } from '@sextant/service-postgres/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AuditLog } from './audit-log.ts';
import { EventStore } from './event-store.ts';
import type { TimedEvent } from './event-store.ts';
import plugin from './index.ts';
import { migrations } from './tables.ts';
import type { AuditTables } from './tables.ts';

const alice = { id: 2, name: 'alice' };

async function start(folder: string): Promise<StartedPlugins & { audit: Audit }> {
  const started = await startPlugins(folder, [[testDatabase], [plugin]]);
  return { ...started, ...started.services.resolve({ audit: Audit }) };
}

describe('the audit log', () => {
  it('lists what was recorded at once, newest first, page by page', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    for (const target of ['a', 'b', 'c'])
      started.audit.record({ action: 'token.created', outcome: 'success', actor: alice, address: '::1', target });
    const {
      events: [newest],
      next,
    } = await started.audit.list({ limit: 2 });
    expect(newest).toEqual({
      id: 3,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      action: 'token.created',
      outcome: 'success',
      actor: alice,
      address: '::1',
      target: 'c',
    });
    expect(next).toBe(2);
    expect(await started.audit.list({ limit: 2, before: 2 })).toEqual({
      events: [expect.objectContaining({ target: 'a' })],
    });
  });

  it('keeps everything in the order of the events when the server stops', async () => {
    using folder = temporaryFolder();
    {
      await using started = await start(folder.path);
      for (let n = 0; n < 120; n += 1)
        started.audit.record({ action: 'token.created', outcome: 'success', target: String(n) });
    }
    await using again = await start(folder.path);
    const { events } = await again.audit.list({ limit: 1000 });
    expect(events.map(({ target }) => Number(target))).toEqual(Array.from({ length: 120 }, (_, n) => 119 - n));
  });

  it('tells of what was refused, by whom and from where, and how often within a minute', async () => {
    using folder = temporaryFolder();
    {
      await using started = await start(folder.path);
      const { recorder } = started.services.resolve({ recorder: RefusalRecorder });
      const path = '/.api/mcp';
      for (let n = 0; n < 500; n += 1)
        recorder.refused({
          code: 'forbidden',
          message: 'forbidden',
          path,
          caller: callerOf('alice', { id: 2 }),
          remoteAddress: '192.0.2.1',
          clientName: 'agent',
        });
    }
    await using again = await start(folder.path);
    const event = {
      action: 'call.refused',
      outcome: 'failure',
      actor: alice,
      address: '192.0.2.1',
      client: 'agent',
      target: '/.api/mcp',
    };
    expect((await again.audit.list({ limit: 10 })).events).toMatchObject([
      { ...event, detail: '499 more within a minute: forbidden: forbidden' },
      { ...event, detail: 'forbidden: forbidden' },
    ]);
  });

  it('filters by time, action and actor', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    for (const [time, action] of [
      ['2026-11-20T23:59:59Z', 'a.done'],
      ['2026-11-21T00:00:00Z', 'b.done'],
      ['2026-11-21T08:30:00Z', 'a.done'],
    ] as const) {
      vi.setSystemTime(time);
      const more = action === 'b.done' && ({ outcome: 'failure', actor: alice, detail: '10%_of É' } as const);
      started.audit.record({ action, outcome: 'success', ...more });
    }
    const ids = async (filter: object): Promise<number[]> =>
      (await started.audit.list({ limit: 9, ...filter })).events.map(({ id }) => id);
    expect(await ids({ since: '2026-11-21' })).toEqual([3, 2]);
    expect(await ids({ since: '2026-11-21T09:00:00+01:00' })).toEqual([3]);
    expect(await ids({ action: 'a.done' })).toEqual([3, 1]);
    expect(await ids({ actor: 'alice' })).toEqual([2]);
    expect(await ids({ outcome: 'success' })).toEqual([3, 1]);
    expect(await ids({ until: '2026-11-20' })).toEqual([1]);
    expect(await ids({ until: '2026-11-21T08:30:00Z' })).toEqual([2, 1]);
    expect(await ids({ about: '%_OF' })).toEqual([2]);
    expect(await ids({ about: 'É' })).toEqual([2]);
    expect(await ids({ about: '1_%' })).toEqual([]);
    for (const nothing of [{ since: '2026-11-22' }, { until: '2026-11-19' }]) expect(await ids(nothing)).toEqual([]);
    for (const since of ['yesterday', '2026-02-30', '2026-13-01', '2026-11-21T25:00:00Z'])
      await expect(ids({ since })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('reads so much of itself for one page, and says where it goes on', async () => {
    using folder = temporaryFolder();
    await using started = await startPlugins(folder.path, [[testDatabase]]);
    const { database } = started.services.resolve({ database: Database });
    const store = new EventStore(await database.open<AuditTables>({ name: 'audit', migrations, isLog: true }), 3);
    const event = (time: number): TimedEvent => ({
      time,
      event: { action: 'a.done', outcome: 'success', target: time === 2 ? 'rare' : 'common' },
    });
    await store.add([1, 2, 3, 4, 5, 6, 7].map(event));
    const pages = async (filter: object): Promise<number[][]> => {
      const found: number[][] = [];
      for (let before: number | undefined; ; ) {
        const { events, next } = await store.list({ limit: 2, ...filter, before });
        found.push(events.map(({ id }) => id));
        if (next === undefined) return found;
        before = next;
      }
    };
    expect(await pages({ about: 'rare' })).toEqual([[], [2], []]);
    expect(await pages({})).toEqual([[7, 6], [5, 4], [3, 2], [1]]);
    expect((await pages({ since: '1970-01-01T00:00:00.005Z' })).flat()).toEqual([7, 6, 5]);
    expect((await pages({ until: '1970-01-01T00:00:00.003Z', about: 'rare' })).flat()).toEqual([2]);
    // A clock that was set back, or several hosts: times are in another order than ids, and farther than any margin.
    await store.add([100, ...Array.from({ length: 10_100 }, () => 50), 95, 5].map(event));
    const whole = new EventStore(await database.open<AuditTables>({ name: 'audit', migrations, isLog: true }));
    const ids = async (filter: object): Promise<number[]> =>
      (await whole.list({ limit: 20, ...filter })).events.map(({ id }) => id);
    expect(await ids({ since: '1970-01-01T00:00:00.090Z' })).toEqual([10_109, 8]);
    expect(await ids({ until: '1970-01-01T00:00:00.008Z' })).toEqual([10_110, 7, 6, 5, 4, 3, 2, 1]);
  });

  it('cuts what strangers chose, and prints it without control characters', async () => {
    using folder = temporaryFolder();
    await using started = await start(folder.path);
    const detail = `\u001B[2J${'x'.repeat(1000)}`;
    started.audit.record({ action: 'client.registered', outcome: 'success', client: 'y'.repeat(1000), detail });
    const {
      events: [event],
    } = await started.audit.list({ limit: 1 });
    expect([event?.client?.length, event?.detail?.length]).toEqual([200, 500]);
    expect(await started.run('audit', {})).not.toContain('\u001B');
  });

  it('keeps events while the database cannot be written, and never throws', async () => {
    const written: TimedEvent[] = [];
    let isBroken = true;
    const add = async (events: readonly TimedEvent[]): Promise<void> => {
      if (isBroken) throw new Error('the disk is full');
      written.push(...events);
    };
    const log = new AuditLog({ add, list: async () => ({ events: [] }) }, silentLogger);
    log.record({ action: 'a.done', outcome: 'success' });
    await log.list({ limit: 1 });
    isBroken = false;
    log.record({ action: 'b.done', outcome: 'success' });
    await log.close();
    expect(written.map(({ event }) => event.action)).toEqual(['a.done', 'b.done']);
  });
});
