import { randomUUID } from 'node:crypto';
import { messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';

/**
 * Logs every throw that nobody catches, in a timer, an event, a stream or a promise, with an id. It ends nothing but the
 * work that threw. Used once, by a process that serves; docs/decisions/a-throw-that-nobody-catches-is-logged.md says why
 * the process goes on.
 */
export function surviveUncaught(log: Pick<Logger, 'error'>): void {
  // Rejections come here too, as long as nobody listens for them alone.
  process.on('uncaughtException', (thrown: unknown, origin) => {
    const errorId = randomUUID();
    try {
      const err = thrown instanceof Error ? thrown : new Error(`thrown was ${String(thrown)}`);
      log.error({ errorId, origin, err }, `nobody caught: ${messageOf(err)}`);
    } catch {
      // What was thrown throws when it is looked at.
      log.error({ errorId, origin }, 'nobody caught what was thrown, and it cannot be shown');
    }
  });
}
