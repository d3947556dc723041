import { createHash } from 'node:crypto';

/**
 * The last moment (milliseconds since 1970) at which something was due that is due once in each period; each id has a time
 * of its own, so that not all are due at once.
 */
export function lastDue(id: string, periodMs: number, now: number): number {
  const phase = createHash('sha256').update(id).digest().readUInt32BE() % periodMs;
  return Math.floor((now - phase) / periodMs) * periodMs + phase;
}
