import { messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { FileStore } from './file-store.ts';

const intervalMs = 3_600_000;

/** Removes the files of yesterday, now and every hour, until it is closed. */
export function sweepHourly(store: FileStore, log: Logger): { close(): Promise<void> } {
  const sweep = (): Promise<void> =>
    store.sweep().catch((error: unknown) => log.warn({}, `old files were not removed: ${messageOf(error)}`));
  let running = sweep();
  const timer = setInterval(() => (running = sweep()), intervalMs).unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
