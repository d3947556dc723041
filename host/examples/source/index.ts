import { SourceTypes, defineSourceType } from '@sextant/contracts';
import type { HostRepository, RepositorySource } from '@sextant/contracts';
import { SextantError, contribute, definePlugin } from '@sextant/core';
import { z } from 'zod';

const listed = z.array(z.object({ path: z.string(), cloneURL: z.url(), changed: z.iso.datetime() }));

/** Repositories that a document at a URL names. Everyone may read them. */
function repositoryList({ url }: { url: string }): RepositorySource {
  const { host, origin } = new URL(url);
  async function read(signal: AbortSignal): Promise<HostRepository[]> {
    const response = await fetch(url, { signal, redirect: 'error' }).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new SextantError('unavailable', `${host} cannot be reached`, { cause });
    });
    if (!response.ok) throw new SextantError('unavailable', `${host} answered ${response.status}`);
    return listed.parse(await response.json()).map((each) => ({ ...facts, ...each, id: each.path }));
  }
  return {
    host,
    // A clone URL elsewhere is refused.
    cloneOrigins: [origin],
    async check(signal) {
      await read(signal);
      return { account: 'nobody', problems: ['this list cannot tell who may read what'] };
    },
    async *list(signal) {
      yield await read(signal);
    },
    async *listChanged(since, signal) {
      yield (await read(signal)).filter(({ changed }) => changed >= since);
    },
    login: async () => undefined,
    account: async () => undefined,
    accountOfEmail: async () => undefined,
    readable: async () => ({ whole: [], ids: [] }),
    readMessage: () => undefined,
  };
}

const facts = {
  description: '',
  defaultBranch: '',
  visibility: 'public',
  isArchived: false,
  isFork: false,
  isEmpty: false,
  topics: [],
} as const;

const type = defineSourceType({
  type: 'repository-list',
  config: z.object({ url: z.url({ protocol: /^https?$/ }).describe('Where the list is') }),
  open: repositoryList,
});

export default definePlugin({ name: 'source-repository-list', contributions: [contribute(SourceTypes, type)] });
