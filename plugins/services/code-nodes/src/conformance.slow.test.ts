import {
  historyConformance,
  repositoriesConformance,
  researchedRepositories,
  researcherConformance,
  searchConformance,
  symbolsConformance,
  temporaryFolder,
} from '@sextant/contracts/testing';
import type { ServedRepositories, TemporaryFolder } from '@sextant/contracts/testing';
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { startCluster } from './testing/start-cluster.ts';
import type { StartedCluster } from './testing/start-cluster.ts';

const serve = (served: ServedRepositories) => startCluster(served);

async function untilReady({ nodes }: StartedCluster): Promise<void> {
  await vi.waitUntil(
    () => [...nodes.values()].every((node) => Object.values(node.status()).every(({ isReady }) => isReady)),
    { timeout: 200_000 },
  );
}

/** Of a repository that is being indexed on two nodes a copy may say in a note that it cannot be read at that moment. */
async function serveIndexed(served: ServedRepositories): Promise<StartedCluster> {
  const started = await startCluster(served);
  await untilReady(started);
  return started;
}

describe('a host with three nodes conforms to Repositories', () => {
  it.each(repositoriesConformance)('$name', ({ run }) => run(serve));
});

describe('a host with three nodes conforms to Search', () => {
  it.each(searchConformance)('$name', ({ run }) => run(serve));
});

describe('a host with three nodes conforms to History', () => {
  it.each(historyConformance)('$name', ({ run }) => run(serveIndexed));
});

describe.each([2, 1])('a host with three nodes and %i copies conforms to Symbols', (copies) => {
  it.each(symbolsConformance)('$name', ({ run }) =>
    run(async (served) => {
      const started = await startCluster({ ...served, copies });
      return { ...started, untilReady: () => untilReady(started) };
    }),
  );
});

describe('a host with three nodes conforms to Researcher', () => {
  let folder: TemporaryFolder;
  let started: StartedCluster;
  beforeAll(async () => {
    folder = temporaryFolder();
    started = await serveIndexed(researchedRepositories(folder.path));
  });
  afterAll(async () => {
    await started[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it.each(researcherConformance)('$name', ({ run }) => run(started.researcher));
});
