import { randomUUID } from 'node:crypto';
import type { Call } from './call.ts';
import { deadlineOf, setDeadline } from './deadline.ts';
import { SextantError, isSextantError, messageOf } from './errors.ts';
import type { Needs, Resolved } from '../plugins/token.ts';
import type { Tool } from '../surface/tool.ts';
import { cutNote } from './shorten.ts';
import { beginningWithin, fitsSize, textSize } from '../text/text-size.ts';
import { visible } from '../text/visible.ts';

export interface GuardLimits {
  /** Every tool answers within this time. */
  timeoutMs: number;
  /** Largest text of a result, as `textSize` measures it. Larger text is cut at a line end, and its last line says how to go on. */
  maxTextSize: number;
}

/** MCP clients refuse or cut results of more than about 25,000 tokens; this is 16,000 at most. */
export const defaultGuardLimits: GuardLimits = { timeoutMs: 60_000, maxTextSize: 60 * 1024 };

/** How a guarded run ended. */
export type Outcome =
  | { ok: true; structured: Record<string, unknown>; text: string }
  | { ok: false; error: SextantError };

export interface GuardedRun {
  tool: Tool;
  input: unknown;
  services: Resolved<Needs>;
  call: Call;
  limits?: GuardLimits;
}

/**
 * Runs a tool so that nothing it does can hurt the server. Input and output are checked, and the text is bounded. The
 * deadline or the caller ends the run. Whatever the tool throws becomes an error that a caller may see.
 */
export async function runGuarded({
  tool,
  input,
  services,
  call,
  limits = defaultGuardLimits,
}: GuardedRun): Promise<Outcome> {
  const outcome = await guarded({ name: tool.name, call, limits }, async (bounded) => {
    const parsed = tool.parseInput(input);
    const structured = tool.parseOutput(await bounded.run(tool.run(parsed, services, bounded.call)));
    requireBounded(structured);
    return { structured, text: cut(tool.toText(structured), limits.maxTextSize, tool.rest) };
  });
  return outcome.ok ? { ok: true, ...outcome.value } : outcome;
}

const inFlight = new Map<string, number>();

/** Names of the tools and other guarded work that run now in this process, each once. */
export const toolsInFlight = (): readonly string[] => [...inFlight.keys()];

function enter(name: string): void {
  inFlight.set(name, (inFlight.get(name) ?? 0) + 1);
}

function leave(name: string): void {
  const left = (inFlight.get(name) ?? 1) - 1;
  if (left === 0) inFlight.delete(name);
  else inFlight.set(name, left);
}

export interface GuardedWork {
  /** What errors and the log call it. */
  readonly name: string;
  readonly call: Call;
  readonly limits?: GuardLimits;
}

/** What guarded work is given. */
export interface BoundedCall {
  /** With the signal that also aborts at the deadline. */
  readonly call: Call;
  /** Rejects at the deadline, and when the caller leaves, even if the work goes on. */
  run<T>(work: Promise<T>): Promise<T>;
}

export type GuardedOutcome<T> = { ok: true; value: T } | { ok: false; error: SextantError };

/** Does any work of a plugin within a deadline. Whatever it throws becomes an error that a caller may see. */
export async function guarded<T>(
  { name, call, limits = defaultGuardLimits }: GuardedWork,
  work: (bounded: BoundedCall) => Promise<T>,
): Promise<GuardedOutcome<T>> {
  const { signal, stopped, release } = stopOn(call.signal, name, limits);
  enter(name);
  try {
    signal.throwIfAborted();
    const run = <V>(running: Promise<V>): Promise<V> => Promise.race([running, stopped]);
    return { ok: true, value: await work({ call: { ...call, signal }, run }) };
  } catch (thrown) {
    return { ok: false, error: seen(signal.aborted ? signal.reason : asError(thrown, name, call)) };
  } finally {
    leave(name);
    release();
  }
}

interface Stopping {
  /** Aborts with the `SextantError` that the caller is told. */
  signal: AbortSignal;
  /** Rejects with the same. */
  stopped: Promise<never>;
  release(): void;
}

/** What ends a run from outside. By hand, because AbortSignal.any costs more than many tools. */
function stopOn(canceling: AbortSignal, name: string, limits: GuardLimits): Stopping {
  const controller = new AbortController();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  // Nobody waits for it where the run fails before it begins.
  stopped.catch(() => {});
  const stop = (reason: SextantError): void => {
    controller.abort(reason);
    reject(reason);
  };
  const cancel = (): void => stop(new SextantError('canceled', 'the call was canceled'));
  const timer = setTimeout(() => stop(timeoutError(name, limits)), limits.timeoutMs);
  const before = deadlineOf(canceling) ?? Infinity;
  setDeadline(controller.signal, Math.min(before, performance.now() + limits.timeoutMs));
  if (canceling.aborted) cancel();
  canceling.addEventListener('abort', cancel, { once: true });
  const release = (): void => {
    clearTimeout(timer);
    canceling.removeEventListener('abort', cancel);
  };
  return { signal: controller.signal, stopped, release };
}

function asError(thrown: unknown, name: string, call: Call): SextantError {
  if (isSextantError(thrown)) return thrown;
  const id = randomUUID();
  call.log.error({ errorId: id, tool: name, err: thrown }, `tool failed: ${messageOf(thrown)}`);
  return new SextantError('internal', `internal error ${id}; the server's log has the details under this id`, {
    cause: thrown,
  });
}

/** Text that an error quotes, such as a name in a repository, must not begin a line of the message. */
function seen(error: SextantError): SextantError {
  const message = visible(error.message).replaceAll('\n', '\n  ');
  if (message === error.message) return error;
  const { code, cause, retryAfterSeconds } = error;
  return new SextantError(code, message, { cause, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}

const timeoutError = (name: string, { timeoutMs }: GuardLimits): SextantError =>
  new SextantError('timeout', `${name} took longer than ${timeoutMs / 1000} s and was stopped; ask for less at once`);

/** The beginning of a text that is too long, with a last line that says how to get the rest. */
function cut(text: string, most: number, rest: string): string {
  if (fitsSize(text, most)) return text;
  const note = `\n[${cutNote(rest)}]`;
  return `${beginningWithin(text, most - textSize(note))}${note}`;
}

/** Most characters of structured content, which scripts and programs read whole. No honest tool has more. */
const maxStructure = 1024 * 1024;

function requireBounded(value: unknown): void {
  let left = maxStructure;
  const spend = (item: unknown): void => {
    left -= typeof item === 'string' ? item.length : 8;
    if (left < 0) throw new SextantError('too_large', 'the answer is too large; ask for less at once');
    if (typeof item === 'object' && item !== null) Object.values(item).forEach(spend);
  };
  spend(value);
}
