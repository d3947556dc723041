import { joinSignals, timeoutSignal } from '../calls/deadline.ts';
import { unlessAborted } from './unless-aborted.ts';

/**
 * What work comes to within so many milliseconds; undefined where it takes longer. Its signal aborts then, and with
 * `signal`. Throws what the work throws in time.
 */
export async function inTime<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const late = timeoutSignal(ms);
  try {
    return await unlessAborted(work(joinSignals(signal, late)), late);
  } catch (error) {
    if (!late.aborted) throw error;
    return undefined;
  }
}
