import { requireMcpAccess } from '@sextant/core';
import type { Generation, Serving } from '../server/generation.ts';
import { createLog } from '../log/log.ts';
import { logLeftOut, logMistakes, startGeneration } from '../server/start.ts';
import { surviveUncaught } from '../log/uncaught.ts';
import { openSession, startOptions } from './session.ts';
import { callerNamed } from './tool.ts';
import type { CommonOptions } from './options/working-directory.ts';

export interface StdioOptions extends CommonOptions {
  repos: readonly string[];
  user: string;
}

/** Serves one local user over standard input and output until the input ends. */
export async function stdio(options: StdioOptions): Promise<void> {
  const output = takeStandardOutput();
  let log = createLog('warn');
  // From before plugins are loaded.
  surviveUncaught({ error: (fields, message) => log.error(fields, message) });
  const session = await openSession(options, options.repos);
  ({ log } = session);
  await logMistakes(session.configuration, log);
  const generation = await startGeneration(session.configuration, await startOptions(session, options.data));
  logLeftOut(generation, log);
  try {
    await generation.assembly.ready();
    const caller = await callerNamed(options.user, generation.assembly);
    requireMcpAccess(caller);
    const { serveStdio } = await import('../mcp/stdio.ts');
    await Promise.race([
      serveStdio({
        serving: alone(generation),
        caller,
        log,
        input: process.stdin,
        output,
      }),
      untilTerminated(),
    ]);
  } finally {
    await generation.retire(0);
  }
  process.stdin.destroy();
}

/** Whatever else writes to standard output from now on, such as a plugin, writes to standard error: one stray line would break the protocol. */
function takeStandardOutput(): NodeJS.WriteStream {
  const { stdout } = process;
  Object.defineProperty(process, 'stdout', { value: process.stderr });
  return stdout;
}

const alone = (current: Generation): Serving => ({ current, configurationError: undefined });

const untilTerminated = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
