import type { Logger } from '@sextant/core';

const lookMs = 10_000;
/** Clocks that are kept in time are moved by less. */
const leastSeconds = 30;

/** The clock that people set, and one that nobody sets; both in milliseconds. */
export interface Clocks {
  now(): number;
  steady(): number;
}

const ofMachine: Clocks = { now: () => Date.now(), steady: () => performance.now() };

/** Looks whether the clock was set, and says by how much. */
export function clockWatch(log: Pick<Logger, 'warn'>, clocks = ofMachine): () => void {
  let offset = clocks.now() - clocks.steady();
  return () => {
    const now = clocks.now() - clocks.steady();
    const seconds = Math.round((now - offset) / 1000);
    if (Math.abs(seconds) < leastSeconds) return;
    offset = now;
    const way = seconds > 0 ? 'forward' : 'back';
    log.warn(
      { seconds },
      `the clock was set ${way} by ${Math.abs(seconds)} s, or the machine slept: sessions, tokens and pauses end by the new time`,
    );
  };
}

/** Returns the function that ends it. */
export function watchClock(log: Pick<Logger, 'warn'>): () => void {
  const timer = setInterval(clockWatch(log), lookMs).unref();
  return () => clearInterval(timer);
}
