import { defaultSearchLimits, parseQuery, Search } from '@sextant/contracts';
import { callerOf, startPlugins } from '@sextant/core/testing';
import git from '../../../plugins/services/git/src/index.ts';
import searchIndex from '../../../plugins/services/search-index/src/index.ts';
import searchZoekt from '../../../plugins/services/search-zoekt/src/index.ts';
import type { Answer } from './measured.ts';
import { atRest } from './served.ts';
import type { Engine } from './served.ts';

export interface Library extends AsyncDisposable {
  search(query: string): Promise<Answer>;
  /** `<repository>/<path>` of each file that is found. */
  paths(query: string): Promise<string[]>;
}

const { signal } = new AbortController();

/** The engine in this process, on an index that is there: no HTTP, no tool, no text of an answer. */
export async function startLibrary(
  folder: string,
  data: string,
  { engine, ...config }: { engine?: Engine; memoryBytes?: number } = {},
): Promise<Library> {
  const started = await startPlugins(data, [
    [git, { repositories: [{ path: folder }] }],
    engine ? [searchZoekt, engine] : [searchIndex, config],
  ]);
  await started.ready();
  const { search } = started.services.resolve({ search: Search });
  while (!started.status()['search']?.isReady) await new Promise((resolve) => setTimeout(resolve, 50));
  await atRest(() => process.memoryUsage.rss() / 1e6);
  const caller = callerOf('bench');
  return {
    async search(query) {
      const { files } = await search.find(
        caller,
        { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits },
        signal,
      );
      const chunks = files.flatMap((file) => file.chunks);
      return { files: files.length, lines: chunks.reduce((sum, { lines }) => sum + lines.length, 0) };
    },
    async paths(query) {
      const limits = { ...defaultSearchLimits, chunksPerFile: 0, characters: Infinity };
      const request = { ...parseQuery(`${query} select:file count:all`), mode: 'keyword', limits } as const;
      const { files, fileCount } = await search.find(caller, request, signal);
      if (files.length < fileCount) throw new Error(`not all files of ${query} are in the answer`);
      return files.map(({ repo, path }) => `${repo}/${path}`);
    },
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}
