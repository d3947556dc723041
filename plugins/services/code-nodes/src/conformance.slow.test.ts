import {
  historyConformance,
  repositoriesConformance,
  searchConformance,
  symbolsConformance,
} from '@sextant/contracts/testing';
import type { ServedRepositories } from '@sextant/contracts/testing';
import { describe, expect, it } from 'vitest';
import { startCluster } from './testing/start-cluster.ts';
import type { StartedCluster } from './testing/start-cluster.ts';

const serve = (served: ServedRepositories) => startCluster(served);

const untilReady = ({ nodes }: StartedCluster) =>
  expect
    .poll(() => [...nodes.values()].every((node) => Object.values(node.status()).every(({ isReady }) => isReady)))
    .toBe(true);

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
