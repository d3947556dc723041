const deadlines = new WeakMap<AbortSignal, number>();

/** Notes when a signal will abort, in milliseconds of `performance.now`. Signals that follow another one need a note of their own: see `joinSignals`. */
export function setDeadline(signal: AbortSignal, at: number | undefined): void {
  if (at !== undefined) deadlines.set(signal, at);
}

/** When a signal will abort at the latest, in milliseconds of `performance.now`; undefined where that is not noted. */
export const deadlineOf = (signal: AbortSignal): number | undefined => deadlines.get(signal);

/** A signal that aborts with the first of some. Its deadline is the earliest of theirs. */
export function joinSignals(...signals: AbortSignal[]): AbortSignal {
  const joined = AbortSignal.any(signals);
  const known = signals.map(deadlineOf).filter((at) => at !== undefined);
  if (known.length > 0) setDeadline(joined, Math.min(...known));
  return joined;
}

/** A signal that aborts after so many milliseconds, which is its deadline. */
export function timeoutSignal(ms: number): AbortSignal {
  const signal = AbortSignal.timeout(ms);
  setDeadline(signal, performance.now() + ms);
  return signal;
}
