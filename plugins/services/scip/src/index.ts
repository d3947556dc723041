import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { GitStore, PreciseIndex, Repositories, scipUpload } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { z } from 'zod';
import { commands } from './commands.ts';
import { IndexStore } from './index-store.ts';
import { Differences } from './line-map.ts';
import { NearIndexes, NearestCommits } from './near-indexes.ts';
import { ScipService } from './scip-service.ts';
import { uploadPage } from './upload-page.ts';

const gibibyte = 2 ** 30;

const config = z.object({
  folder: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Where indexes are kept; one folder that several hosts share, from the folder of the configuration on. Default: scip in the data folder',
    ),
  maxBytes: z
    .int()
    .min(1)
    .max(64 * gibibyte)
    .default(gibibyte)
    .describe('Most bytes of one index, unpacked'),
  maxDocumentBytes: z.int().min(1).max(gibibyte).default(67_108_864).describe('Most bytes of what it says of one file'),
  maxOccurrences: z.int().min(1).max(10_000_000).default(500_000).describe('Most names that an index has of one file'),
  maxDocuments: z.int().min(1).max(8_000_000).default(1_000_000).describe('Most files of one index'),
  ingestSeconds: z.number().min(1).max(86_400).default(600).describe('Longest time that storing one upload takes'),
  uploadsAtOnce: z
    .int()
    .min(1)
    .max(100)
    .default(4)
    .describe('Uploads that are received at once; another one is told to come again'),
  indexesPerRepository: z
    .int()
    .min(1)
    .max(1000)
    .default(5)
    .describe('Commits of which indexes are kept, of each indexer'),
  indexersPerRepository: z
    .int()
    .min(1)
    .max(1000)
    .default(50)
    .describe('Indexers and folders of which indexes are kept, of each repository; those of the newest uploads'),
  bytesPerRepository: z
    .int()
    .min(1)
    .default(4 * gibibyte)
    .describe('Bytes on disk of the indexes of one repository; the newest is kept in any case'),
  cachedBytes: z
    .int()
    .min(1)
    .max(gibibyte)
    .default(268_435_456)
    .describe('Bytes of what indexes say of files that are kept in memory'),
});

export default definePlugin({
  name: 'service-scip',
  config,
  needs: { git: GitStore, repositories: Repositories },
  provides: { precise: PreciseIndex },
  permissions: [scipUpload],
  pages: [uploadPage],
  commands,
  async start(
    { folder: shared, cachedBytes, indexesPerRepository, indexersPerRepository, bytesPerRepository, ...limits },
    { git, repositories },
    { dataFolder, configFolder },
  ) {
    const folder = shared === undefined ? join(dataFolder, 'scip') : resolve(configFolder, shared);
    const incoming = join(folder, 'incoming');
    mkdirSync(incoming, { recursive: true, mode: 0o700 });
    removeStale(incoming);
    const store = new IndexStore(folder, cachedBytes);
    const indexes = new NearIndexes({ repositories, git, store, nearest: new NearestCommits() });
    const differences = new Differences();
    const kept = { commits: indexesPerRepository, kinds: indexersPerRepository, bytes: bytesPerRepository };
    const options = { ...limits, kept };
    return {
      precise: {
        value: new ScipService({ ...options, repositories, indexes, store, differences, incoming }),
        status: () => ({ isReady: true, detail: { indexes: store.count }, failures: store.failures }),
        shed: () => store.forget(),
        close: async () => store.close(),
      },
    };
  },
});

/** Longer than any upload takes. */
const staleAfterMs = 24 * 3_600_000;

/** Removes what a process left that ended during an upload. Newer files may belong to a running upload. */
function removeStale(folder: string): void {
  for (const path of readdirSync(folder).map((file) => join(folder, file))) {
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > staleAfterMs) rmSync(path, { force: true });
  }
}
