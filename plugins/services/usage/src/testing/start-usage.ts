import { GitStore, HostedRepositories, Repositories, Usage } from '@sextant/contracts';
import type { HostedRepository } from '@sextant/contracts';
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
export const manyRepositories = Array.from({ length: 33_000 }, (_, number) => `many/${number + 1}`);

/** `shop`, which everyone may read, and `vault`, which administrators may; a user `collector` reads very many. */
const repositories = (keys: Readonly<Record<string, string>>) =>
  definePlugin({
    name: 'service-repositories',
    provides: { repositories: Repositories, store: GitStore, hosted: HostedRepositories },
    start: async () => ({
      repositories: { value: served },
      store: { value: store },
      hosted: { value: { ...hosted, all: () => Object.entries(keys).map(([name, key]) => hostedOf(name, key)) } },
    }),
  });

const unasked = async (): Promise<never> => {
  throw new Error('nobody asks');
};
const store: GitStore = {
  names: async () => ['shop', 'vault', ...manyRepositories],
  onChange: () => () => undefined,
  list: unasked,
  find: unasked,
  whyAbsent: unasked,
  putFirst: () => undefined,
  untilQuiet: unasked,
};
const hosted = { onChange: () => () => undefined, login: unasked, sshLogin: () => undefined, readerFor: unasked };
const hostedOf = (name: string, key: string): HostedRepository => ({
  key,
  name,
  formerNames: [],
  cloneURL: '',
  description: '',
  visibility: 'public',
  isArchived: false,
  isFork: false,
  topics: [],
  isPrivate: false,
  branches: [],
  changed: '',
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

/**
 * The service as a process of its own on a data folder, with the users alice (2) and bob (3) beside admin (1). `keys` are those of
 * repositories at a code host, by name.
 */
export async function startUsage(
  dataFolder: string,
  settings: object = {},
  keys: Readonly<Record<string, string>> = {},
): Promise<StartedUsage> {
  const users = [{ name: 'alice', email: 'alice@example.com' }, { name: 'bob' }];
  const started = await startPlugins(dataFolder, [
    [testDatabase],
    [directory, { users }],
    [repositories(keys)],
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
