import { requireMcpAccess } from '@sextant/core';
import type { Generation, Serving } from '../generation.ts';
import { startGeneration } from '../start.ts';
import { surviveUncaught } from '../uncaught.ts';
import { openSession, startOptions } from './session.ts';
import { callerNamed } from './tool.ts';
import type { CommonOptions } from './working-directory.ts';

export interface StdioOptions extends CommonOptions {
  repos: readonly string[];
  user: string;
}

/** Serves one local user over standard input and output until the input ends. */
export async function stdio(options: StdioOptions): Promise<void> {
  const session = await openSession(options, options.repos);
  surviveUncaught(session.log);
  const generation = await startGeneration(session.configuration, await startOptions(session, options.data));
  try {
    await generation.assembly.ready();
    const caller = await callerNamed(options.user, generation.assembly);
    requireMcpAccess(caller);
    const { serveStdio } = await import('../mcp/stdio.ts');
    await Promise.race([
      serveStdio({
        serving: alone(generation),
        caller,
        log: session.log,
        input: process.stdin,
        output: process.stdout,
      }),
      untilTerminated(),
    ]);
  } finally {
    await generation.retire(0);
  }
  process.stdin.destroy();
}

const alone = (current: Generation): Serving => ({ current, configurationError: undefined });

const untilTerminated = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
