import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Credits } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import { testDatabase } from '@sextant/service-postgres/testing';
import plugin from '../index.ts';

/** What a process of its own is told to do: so many callers ask for a credit at the same moment. */
export interface Spending {
  dataFolder: string;
  settings: object;
  callers: number;
}

export interface Spent {
  succeeded: number;
  exhausted: number;
  /** Codes or messages of other failures. */
  failed: readonly string[];
  /** Longest time in milliseconds for which nothing else could run. */
  blockedMs: number;
}

async function spend({ dataFolder, settings, callers }: Spending): Promise<Spent> {
  await using started = await startPlugins(dataFolder, [[testDatabase], [plugin, settings]]);
  const { credits } = started.services.resolve({ credits: Credits });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const results = await Promise.allSettled(
    Array.from({ length: callers }, async (_, id) => {
      await using hold = await credits.reserve({ caller: callerOf('x', { id }) }, { tool: 'code_finder', credits: 1 });
      await hold.settle();
    }),
  );
  delay.disable();
  const codes = results.flatMap((result) => (result.status === 'rejected' ? [codeOf(result.reason)] : []));
  return {
    succeeded: callers - codes.length,
    exhausted: codes.filter((code) => code === 'exhausted').length,
    failed: codes.filter((code) => code !== 'exhausted'),
    blockedMs: delay.max / 1e6,
  };
}

const codeOf = (error: unknown): string => (isSextantError(error) ? error.code : String(error));

process.on('message', (spending: Spending) => void spend(spending).then((spent) => process.send?.(spent)));
process.send?.('ready');
