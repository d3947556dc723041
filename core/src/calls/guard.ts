import { randomUUID } from 'node:crypto';
import type { Call } from './call.ts';
import { SextantError, isSextantError, messageOf } from './errors.ts';
import type { Needs, Resolved } from '../plugins/token.ts';
import type { Tool } from '../surface/tool.ts';
import { visible } from '../text/visible.ts';

export interface GuardLimits {
  /** Every tool answers within this time. */
  timeoutMs: number;
  /** Most UTF-16 code units of a result's text. Longer text is cut at a line end, and its last line says how to go on. */
  maxTextLength: number;
}

/** MCP clients refuse or cut results of more than about 25,000 tokens. */
export const defaultGuardLimits: GuardLimits = { timeoutMs: 60_000, maxTextLength: 60 * 1024 };

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
  const { signal, stopped, release } = stopOn(call.signal, tool, limits);
  try {
    signal.throwIfAborted();
    const parsed = tool.parseInput(input);
    const output = await Promise.race([tool.run(parsed, services, { ...call, signal }), stopped]);
    const structured = tool.parseOutput(output);
    requireBounded(structured);
    return { ok: true, structured, text: cut(tool.toText(structured), limits.maxTextLength, tool.rest) };
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

/** Text that an error quotes, such as a name in a repository, must not begin a line of the message. */
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

/** The beginning of a text that is too long, with a last line that says how to get the rest. */
function cut(text: string, most: number, rest: string): string {
  if (text.length <= most) return text;
  const note = `\n[cut here: the answer is longer than ${most} characters; ${rest}]`;
  const room = Math.max(0, most - note.length);
  const end = text.lastIndexOf('\n', room);
  return `${text.slice(0, end > 0 ? end : room)}${note}`;
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
