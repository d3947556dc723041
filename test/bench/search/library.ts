import { defaultSearchLimits, Search } from '@sextant/contracts';
import { callerOf, startPlugins } from '@sextant/core/testing';
import git from '../../../plugins/services/git/src/index.ts';
import searchIndex from '../../../plugins/services/search-index/src/index.ts';
import type { Answer } from './measured.ts';

export interface Library extends AsyncDisposable {
  search(query: string): Promise<Answer>;
}

const { signal } = new AbortController();

/** The engine in this process, on an index that is there: no HTTP, no tool, no text of an answer. */
export async function startLibrary(folder: string, data: string): Promise<Library> {
  const started = await startPlugins(data, [[git, { repositories: [{ path: folder }] }], [searchIndex]]);
  await started.ready();
  const { search } = started.services.resolve({ search: Search });
  while (!started.status()['search']?.isReady) await new Promise((resolve) => setTimeout(resolve, 50));
  const caller = callerOf('bench');
  return {
    async search(query) {
      const { files } = await search.find(caller, { query, mode: 'keyword', limits: defaultSearchLimits }, signal);
      const chunks = files.flatMap((file) => file.chunks);
      return { files: files.length, lines: chunks.reduce((sum, { lines }) => sum + lines.length, 0) };
    },
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}
