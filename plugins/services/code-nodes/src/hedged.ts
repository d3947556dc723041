import { SextantError, deadlineOf, isSextantError, setDeadline } from '@sextant/core';
import { MalformedAnswer } from '@sextant/library-node-protocol';

/** Milliseconds until the next copy is asked, if the one before has not accepted the call. */
export const hedgeMs = 40;
/**
 * Milliseconds in which a node must accept a call. How long it then works on it is the caller's to decide. Less than the
 * 2.5 s in which an answer names what is missing: the second copy is asked a little later, a timer of a busy host may be
 * late by `catchUpMs`, and then the parts are merged.
 */
export const acceptMs = 2000;

/** One attempt: at a node, or at the nodes that have the rest of its copies. */
export interface Attempt<T> {
  run(call: { readonly signal: AbortSignal; onAccepted(): void }): Promise<T>;
  onFailure(error: unknown): void;
  onAnswer(): void;
  /** Whether it asks nodes of which each has a limit of its own. */
  readonly isOfSeveral?: true;
}

/**
 * Asks the first that answers. The next one is asked when the one before refuses, or has not accepted the call within
 * `hedgeMs`; who has accepted is left to work. Throws what a node threw about the call; where none of them took it, the
 * error of the first.
 */
export async function hedged<T>(attempts: readonly Attempt<T>[], signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const running = new Map<Attempt<T>, { controller: AbortController; isAccepted: boolean }>();
  const waiting = [...attempts];
  const errors: unknown[] = [];
  const timers = new Set<NodeJS.Timeout>();
  let newest: Attempt<T> | undefined;

  const start = (): void => {
    const attempt = waiting.shift();
    if (!attempt) return;
    newest = attempt;
    const state = { controller: new AbortController(), isAccepted: false };
    setDeadline(state.controller.signal, deadlineOf(signal));
    running.set(attempt, state);
    const isSilent = (): boolean => running.get(attempt) === state && !state.isAccepted;
    after(hedgeMs, () => void (newest === attempt && isSilent() && start()), timers);
    const giveUp = (): void => void (isSilent() && state.controller.abort(new SilentNode()));
    if (!attempt.isOfSeveral) after(acceptMs, giveUp, timers);
    const onAccepted = (): void => {
      state.isAccepted = true;
      for (const other of running.values()) if (!other.isAccepted) other.controller.abort(new Superseded());
    };
    const call = { signal: state.controller.signal, onAccepted };
    void run(attempt, call);
  };

  const run = async (attempt: Attempt<T>, call: Parameters<Attempt<T>['run']>[0]): Promise<void> => {
    try {
      const value = await attempt.run(call);
      running.delete(attempt);
      resolve(value);
      attempt.onAnswer();
    } catch (error) {
      failed(attempt, error);
    }
  };

  const failed = (attempt: Attempt<T>, error: unknown): void => {
    if (!running.delete(attempt)) return;
    if (signal.aborted) return reject(signal.reason);
    if (isFinal(error)) return reject(error);
    // It may be needed yet, should the one that accepted the call fail.
    if (error instanceof Superseded) waiting.push(attempt);
    else {
      errors.push(error);
      if (!isSextantError(error)) attempt.onFailure(error);
    }
    if (running.size > 0) return;
    if (waiting.length > 0) start();
    else reject(errors.find(isSextantError) ?? errors[0]);
  };

  const abort = (): void => {
    for (const { controller } of running.values()) controller.abort(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  start();
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    for (const timer of timers) clearTimeout(timer);
    const others = [...running.values()];
    // What ends from here on starts nothing.
    running.clear();
    for (const { controller } of others) controller.abort(new Superseded());
  }
}

/** By so many milliseconds a timer is late only while this process itself is held up. */
const lateMs = 20;
/** Milliseconds in which such a process reads what has arrived meanwhile. */
const catchUpMs = 250;

/** Does something after a time in which this process could hear an answer: one that was held up waits a little more. */
function after(ms: number, work: () => void, timers: Set<NodeJS.Timeout>): void {
  const due = performance.now() + ms;
  const first = setTimeout(() => {
    if (performance.now() > due + lateMs) timers.add(setTimeout(work, Math.min(ms, catchUpMs)));
    else work();
  }, ms);
  timers.add(first);
}

/** Whether another copy would say the same. One that is being cloned, or whose disk fails, is not the only one. */
const isFinal = (error: unknown): boolean => isSextantError(error) && error.code !== 'unavailable';

class SilentNode extends Error {
  constructor() {
    super(`did not accept the call within ${acceptMs} ms`);
  }
}

class Superseded extends Error {}

/** What a caller is told where no copy of a repository can be reached, or none answers what this host understands. */
export function unreachable(repository: string, cause: unknown): SextantError {
  if (cause instanceof MalformedAnswer)
    return new SextantError(
      'internal',
      `this host does not understand what the code node ${cause.node} answers about ${repository}; its log says more`,
      { cause },
    );
  return new SextantError('unavailable', `no code node that has ${repository} answers; try again in a moment`, {
    retryAfterSeconds: 2,
    cause,
  });
}
