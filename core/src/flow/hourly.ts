import { messageOf } from '../calls/errors.ts';
import type { Logger } from '../plugins/logger.ts';

const hourMs = 3_600_000;

export interface HourlyOptions {
  log: Logger;
  /** What is logged when it fails: `old files were not removed`. */
  failure: string;
}

/** Does something now and every hour until it is closed, which waits for the last time; never twice at once. */
export function hourly(work: () => Promise<void>, { log, failure }: HourlyOptions): { close(): Promise<void> } {
  let running: Promise<void> | undefined;
  const begin = (): void => {
    running ??= work()
      .catch((error: unknown) => log.warn({}, `${failure}: ${messageOf(error)}`))
      .finally(() => (running = undefined));
  };
  begin();
  const timer = setInterval(begin, hourMs).unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
