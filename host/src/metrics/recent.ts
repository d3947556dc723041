import type { LoggedError, SlowCall } from '@sextant/core';

const mostErrors = 20;
const mostCalls = 10;
const hourMs = 3_600_000;
/** Nobody waits for what takes less. */
const leastMs = 100;
const sliceMs = 600_000;
/** Characters that a page shows of a message; the log has all. */
const mostOfMessage = 500;

/** What an operator asks for first: the last errors of the log, and the calls of the last hour that took longest. */
export class Recent {
  #errors: readonly LoggedError[] = [];
  #warnings: readonly LoggedError[] = [];
  /** The slowest of each slice of time, so that all of the hour are known while older ones are forgotten. */
  readonly #calls = new Map<number, readonly SlowCall[]>();

  /** Errors and warnings, newest first. */
  get errors(): readonly LoggedError[] {
    return [...this.#errors, ...this.#warnings].toSorted((a, b) => Number(a.time < b.time) - Number(a.time > b.time));
  }

  /** Slowest first. */
  get slowestCalls(): readonly SlowCall[] {
    const since = new Date(Date.now() - hourMs).toISOString();
    return slowestOf([...this.#calls.values()].flat().filter(({ startedAt }) => startedAt > since));
  }

  /** Takes a line of the log, in which secrets are masked. */
  takeLine(line: string): void {
    if (line.startsWith('{"level":"error"')) this.#errors = withNewest(this.#errors, errorIn(JSON.parse(line)));
    if (line.startsWith('{"level":"warn"'))
      this.#warnings = withNewest(this.#warnings, { ...errorIn(JSON.parse(line)), isWarning: true });
  }

  /** Takes a call that has just ended. */
  takeCall(call: Omit<SlowCall, 'startedAt'>, endedAt = Date.now()): void {
    if (call.milliseconds < leastMs) return;
    const started = endedAt - call.milliseconds;
    const slice = sliceOf(started);
    const oldest = sliceOf(Date.now() - hourMs);
    for (const old of this.#calls.keys()) if (old < oldest) this.#calls.delete(old);
    const slow = { ...call, startedAt: new Date(started).toISOString() };
    this.#calls.set(slice, slowestOf([...(this.#calls.get(slice) ?? []), slow]));
  }
}

/** What is told again and again has one place, so that it hides nothing else. */
const withNewest = (known: readonly LoggedError[], newest: LoggedError): readonly LoggedError[] =>
  [newest, ...known.filter(({ message, about }) => message !== newest.message || about !== newest.about)].slice(
    0,
    mostErrors,
  );

const sliceOf = (time: number): number => Math.floor(time / sliceMs);
const slowestOf = (calls: readonly SlowCall[]): SlowCall[] =>
  calls.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, mostCalls);

function errorIn({ time, msg, errorId, requestId, ...fields }: Record<string, unknown>): LoggedError {
  const { err, reason } = fields;
  const cause =
    typeof err === 'object' && err !== null && 'message' in err ? String(err.message) : String(reason ?? '');
  const said = String(msg);
  const id = errorId ?? requestId;
  const about = aboutWhat.map((field) => fields[field]).find((value) => value !== undefined);
  return {
    time: String(time),
    message: (said.includes(cause) ? said : `${said}: ${cause}`).slice(0, mostOfMessage),
    ...(id !== undefined && { id: String(id) }),
    ...(about !== undefined && { about: String(about) }),
  };
}

/** Fields of a line, the one that says most first. */
const aboutWhat = ['repository', 'source', 'tool', 'plugin'];
