import type { Call, Progress } from '../calls/call.ts';
import { runGuarded } from '../calls/guard.ts';
import type { GuardLimits } from '../calls/guard.ts';
import { silentLogger } from '../plugins/logger.ts';
import type { Needs, Resolved } from '../plugins/token.ts';
import type { Tool } from '../surface/tool.ts';
import { callerOf } from './caller-of.ts';

export interface RunToolOptions {
  input?: unknown;
  services?: Resolved<Needs>;
  call?: Partial<Call>;
  limits?: GuardLimits;
}

export interface ToolAnswer {
  structured: Record<string, unknown>;
  text: string;
  progress: readonly Progress[];
}

/**
 * Runs a tool as the host does: arguments checked, deadline and cancellation on, output checked and bounded.
 * Throws the `SextantError` that a caller would be told.
 */
export async function runTool(
  tool: Tool,
  { input = {}, services = {}, call, limits }: RunToolOptions,
): Promise<ToolAnswer> {
  const progress: Progress[] = [];
  const outcome = await runGuarded({
    tool,
    input,
    services,
    call: {
      caller: callerOf('alice'),
      endpoint: '/.api/mcp/all',
      signal: new AbortController().signal,
      log: silentLogger,
      reportProgress: (step) => progress.push(step),
      ...call,
    },
    ...(limits && { limits }),
  });
  if (!outcome.ok) throw outcome.error;
  return { structured: outcome.structured, text: outcome.text, progress };
}
