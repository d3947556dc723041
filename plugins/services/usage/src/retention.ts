import { setImmediate } from 'node:timers/promises';
import { hourly } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { EventStore } from './event-store.ts';

const dayMs = 24 * 3600 * 1000;

export interface RetentionOptions {
  events: Pick<EventStore, 'deleteBefore'>;
  days: number;
  log: Logger;
}

/** Deletes events that are too old, some at a time, every hour until it is closed. */
export function retention({ events, days, log }: RetentionOptions): { close(): Promise<void> } {
  const closing = new AbortController();
  const deleteOld = async (): Promise<void> => {
    while (!closing.signal.aborted && (await events.deleteBefore(Date.now() - days * dayMs))) await setImmediate();
  };
  const deleting = hourly(deleteOld, { log, failure: 'old usage events were not deleted' });
  return {
    async close() {
      closing.abort();
      await deleting.close();
    },
  };
}
