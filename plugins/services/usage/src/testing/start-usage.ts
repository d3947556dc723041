import { Repositories, Usage } from '@sextant/contracts';
import { oneRepository } from '@sextant/contracts/testing';
import { CallRecorder, definePlugin } from '@sextant/core';
import type { CallRecord } from '@sextant/core';
import { startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import directory from '@sextant/service-directory';
import { testDatabase } from '@sextant/service-postgres/testing';
import plugin from '../index.ts';

export interface StartedUsage extends StartedPlugins {
  readonly usage: Usage;
  readonly recorder: CallRecorder;
}

/** More than a statement of SQLite takes parameters. */
export const manyRepositories = Array.from({ length: 33_000 }, (_, number) => `many/${number}`);

/** `shop`, which everyone may read, and `vault`, which administrators may; a user `collector` reads very many. */
const repositories = definePlugin({
  name: 'service-repositories',
  provides: { repositories: Repositories },
  start: async () => ({ repositories: { value: served } }),
});

const shop = oneRepository({});
const served: Repositories = {
  ...shop,
  list: async (caller) => {
    const [info] = await shop.list(caller);
    if (!info) return [];
    const others = caller.user.name === 'collector' ? manyRepositories : [];
    return [info.name, ...others, ...(caller.user.isSiteAdmin ? ['vault'] : [])].map((name) => ({ ...info, name }));
  },
};

/** The service as a process of its own on a data folder, with the users alice (2) and bob (3) beside admin (1). */
export async function startUsage(dataFolder: string, settings: object = {}): Promise<StartedUsage> {
  const users = [{ name: 'alice', email: 'alice@example.com' }, { name: 'bob' }];
  const started = await startPlugins(dataFolder, [
    [testDatabase],
    [directory, { users }],
    [repositories],
    [plugin, settings],
  ]);
  await started.ready();
  return { ...started, ...started.services.resolve({ usage: Usage, recorder: CallRecorder }) };
}

/** A call of alice, unless said otherwise. */
export const recordOf = (record: Partial<CallRecord> = {}): CallRecord => ({
  kind: 'tool',
  name: 'read_file',
  endpoint: '/.api/mcp',
  userId: 2,
  clientName: 'probe',
  files: ['src/a.ts'],
  startedAt: Date.parse('2026-03-01T12:00:00Z'),
  milliseconds: 1.5,
  outcome: 'ok',
  credits: 0,
  ...record,
});
