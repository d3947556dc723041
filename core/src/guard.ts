import { randomUUID } from 'node:crypto';
import type { Call } from './call.ts';
import { SextantError, isSextantError, messageOf } from './errors.ts';
import type { Needs, Resolved } from './token.ts';
import type { Tool } from './tool.ts';
import { visible } from './visible.ts';

export interface GuardLimits {
  /** Every tool answers within this time. */
  timeoutMs: number;
  /** Most bytes of text (UTF-16 code units are counted) that a result may have; longer text is cut at a line end. */
  maxTextLength: number;
}

export const defaultGuardLimits: GuardLimits = { timeoutMs: 60_000, maxTextLength: 256 * 1024 };

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
 * Runs a tool so that nothing it does can hurt the server: input and output are checked, the deadline and the
 * caller's cancellation end it, the text is bounded, and whatever it throws becomes an error that a caller may see.
 */
export async function runGuarded({
  tool,
  input,
  services,
  call,
  limits = defaultGuardLimits,
}: GuardedRun): Promise<Outcome> {
  const { signal, stopped, release } = stopOn(call.signal, tool, limits);
  try {
    signal.throwIfAborted();
    const parsed = tool.parseInput(input);
    const output = await Promise.race([tool.run(parsed, services, { ...call, signal }), stopped]);
    const structured = tool.parseOutput(output);
    requireBounded(structured, limits.maxTextLength);
    return { ok: true, structured, text: cut(tool.toText(structured), limits.maxTextLength) };
  } catch (thrown) {
    return { ok: false, error: seen(signal.aborted ? signal.reason : asError(thrown, tool, call)) };
  } finally {
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

/** What ends a run from outside. By hand, because AbortSignal.any costs more than many a tool does. */
function stopOn(canceling: AbortSignal, tool: Tool, limits: GuardLimits): Stopping {
  const controller = new AbortController();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  // Nobody waits for it where the run fails before it begins.
  stopped.catch(() => {});
  const stop = (reason: SextantError): void => {
    controller.abort(reason);
    reject(reason);
  };
  const cancel = (): void => stop(new SextantError('canceled', 'the call was canceled'));
  const timer = setTimeout(() => stop(timeoutError(tool, limits)), limits.timeoutMs);
  if (canceling.aborted) cancel();
  canceling.addEventListener('abort', cancel, { once: true });
  const release = (): void => {
    clearTimeout(timer);
    canceling.removeEventListener('abort', cancel);
  };
  return { signal: controller.signal, stopped, release };
}

function asError(thrown: unknown, tool: Tool, call: Call): SextantError {
  if (isSextantError(thrown)) return thrown;
  const id = randomUUID();
  call.log.error({ errorId: id, tool: tool.name, err: thrown }, `tool failed: ${messageOf(thrown)}`);
  return new SextantError('internal', `internal error ${id}; the server's log has the details under this id`, {
    cause: thrown,
  });
}

/** What an error quotes, as a name in a repository, begins no line of its message. */
function seen(error: SextantError): SextantError {
  const message = visible(error.message).replaceAll('\n', '\n  ');
  if (message === error.message) return error;
  const { code, cause, retryAfterSeconds } = error;
  return new SextantError(code, message, { cause, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}

const timeoutError = (tool: Tool, { timeoutMs }: GuardLimits): SextantError =>
  new SextantError(
    'timeout',
    `${tool.name} took longer than ${timeoutMs / 1000} s and was stopped; ask for less at once`,
  );

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = text.lastIndexOf('\n', limit);
  return `${text.slice(0, end > 0 ? end : limit)}\n[cut: the answer is longer than ${limit} characters; ask for less at once]`;
}

/** Structured content carries what the text says and some names: four times the text's limit is beyond any honest tool. */
function requireBounded(value: unknown, maxTextLength: number): void {
  let left = maxTextLength * 4;
  const spend = (item: unknown): void => {
    left -= typeof item === 'string' ? item.length : 8;
    if (left < 0) throw new SextantError('too_large', 'the answer is too large; ask for less at once');
    if (typeof item === 'object' && item !== null) Object.values(item).forEach(spend);
  };
  spend(value);
}
