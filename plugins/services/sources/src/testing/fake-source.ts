import type { HostRepository, RepositorySource } from '@sextant/contracts';

export const repositoryOf = (path: string, facts: Partial<HostRepository> = {}): HostRepository => ({
  id: path,
  path,
  cloneURL: `https://git.example.com/${path}.git`,
  description: '',
  defaultBranch: 'main',
  visibility: 'private',
  isArchived: false,
  isFork: false,
  isEmpty: false,
  topics: [],
  changed: '2026-01-01T00:00:00.000Z',
  ...facts,
});

async function* nothing(): AsyncIterable<readonly HostRepository[]> {}

/** A source with nothing in it; tests say what is there instead. */
export const emptySource = (host: string, methods: Partial<RepositorySource> = {}): RepositorySource => ({
  host,
  cloneOrigins: [`https://${host}`],
  sshHosts: [host],
  check: async () => ({ account: 'sextant', problems: [] }),
  list: nothing,
  listChanged: nothing,
  login: async () => undefined,
  account: async () => undefined,
  accountOfEmail: async () => undefined,
  readable: async () => ({ whole: [], ids: [] }),
  readMessage: () => undefined,
  ...methods,
});
