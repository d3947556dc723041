const deadlines = new WeakMap<AbortSignal, number>();

/** Notes when a signal will abort, in milliseconds of `performance.now`. Signals that follow another one need a note of their own. */
export function setDeadline(signal: AbortSignal, at: number | undefined): void {
  if (at !== undefined) deadlines.set(signal, at);
}

/** When a signal will abort at the latest, in milliseconds of `performance.now`; undefined where that is not noted. */
export const deadlineOf = (signal: AbortSignal): number | undefined => deadlines.get(signal);
