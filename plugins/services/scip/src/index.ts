import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { GitStore, PreciseIndex, Repositories } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { commands } from './commands.ts';
import { config } from './config.ts';
import { Differences } from './differences.ts';
import { IndexStore } from './index-store.ts';
import { NearIndexes } from './near-indexes.ts';
import { NearestCommits } from './nearest-commit.ts';
import { ScipService } from './scip-service.ts';
import { uploadPage } from './upload-page.ts';

export default definePlugin({
  name: 'service-scip',
  config,
  needs: { git: GitStore, repositories: Repositories },
  provides: { precise: PreciseIndex },
  pages: [uploadPage],
  commands,
  async start(
    { cachedBytes, indexesPerRepository, indexersPerRepository, bytesPerRepository, ...limits },
    { git, repositories },
    { dataFolder },
  ) {
    const folder = join(dataFolder, 'scip');
    const incoming = join(folder, 'incoming');
    mkdirSync(incoming, { recursive: true, mode: 0o700 });
    removeStale(incoming);
    const store = new IndexStore(folder, cachedBytes);
    const indexes = new NearIndexes({ repositories, git, store, nearest: new NearestCommits() });
    const differences = new Differences();
    const kept = { commits: indexesPerRepository, kinds: indexersPerRepository, bytes: bytesPerRepository };
    const options = { ...limits, kept, maxOpenBytes: cachedBytes };
    return {
      precise: {
        value: new ScipService({ ...options, repositories, indexes, store, differences, incoming }),
        status: () => ({ isReady: true, detail: { indexes: store.count }, failures: store.failures }),
        close: async () => store.close(),
      },
    };
  },
});

/** No upload takes longer. */
const staleAfterMs = 24 * 3_600_000;

/** What a process left behind that ended in the middle of an upload; another one may be uploading now. */
function removeStale(folder: string): void {
  for (const path of readdirSync(folder).map((file) => join(folder, file))) {
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > staleAfterMs) rmSync(path, { force: true });
  }
}
