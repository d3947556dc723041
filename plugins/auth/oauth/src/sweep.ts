import { messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { ArtifactStore } from './artifact-store.ts';

const intervalMs = 3_600_000;

/** Removes what has expired, now and every hour, until it is closed. */
export function sweepHourly(artifacts: ArtifactStore, log: Logger): { close(): Promise<void> } {
  const sweep = (): Promise<void> =>
    artifacts.sweep().catch((error: unknown) => log.warn({}, `expired tokens were not removed: ${messageOf(error)}`));
  let running = sweep();
  const timer = setInterval(() => (running = sweep()), intervalMs).unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
