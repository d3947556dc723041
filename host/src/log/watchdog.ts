import { Worker } from 'node:worker_threads';
import { toolsInFlight } from '@sextant/core';
import type { Logger } from '@sextant/core';

const beatMs = 500;

/** What the thread reads in this one while it is held. */
const inFlightKey = Symbol.for('sextant.tools-in-flight');

/**
 * Watches from a thread of its own whether this one is held: by a loop, or a pattern that takes for ever. The thread
 * then logs the line that runs, with the tools in flight. Returns the function that stops it.
 */
export function watchForHolds({ log, holdMs = 5000 }: { log: Pick<Logger, 'warn'>; holdMs?: number }): () => void {
  const beat = new Int32Array(new SharedArrayBuffer(4));
  Reflect.set(globalThis, inFlightKey, toolsInFlight);
  let last = performance.now();
  const timer = setInterval(() => {
    Atomics.add(beat, 0, 1);
    const heldMs = performance.now() - last - beatMs;
    last += heldMs + beatMs;
    // The thread writes past the log, which only this one has.
    if (heldMs > holdMs)
      log.warn(
        {},
        `the process was held for ${Math.round(heldMs / 1000)} s; what held it stands before this in the log`,
      );
  }, beatMs).unref();
  const thread = new Worker(new URL('watchdog-thread.ts', import.meta.url), { workerData: { beat, holdMs } });
  // Without it the server goes on.
  thread.on('error', () => {});
  thread.unref();
  return () => {
    clearInterval(timer);
    void thread.terminate();
  };
}
