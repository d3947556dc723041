import {
  historyConformance,
  repositoriesConformance,
  searchConformance,
  symbolsConformance,
} from '@sextant/contracts/testing';
import type { ServedRepositories } from '@sextant/contracts/testing';
import { describe, expect, it } from 'vitest';
import { startCluster } from './testing/start-cluster.ts';

const serve = (served: ServedRepositories) => startCluster(served);

describe('a host with three nodes conforms to Repositories', () => {
  it.each(repositoriesConformance)('$name', ({ run }) => run(serve));
});

describe('a host with three nodes conforms to Search', () => {
  it.each(searchConformance)('$name', ({ run }) => run(serve));
});

describe('a host with three nodes conforms to History', () => {
  it.each(historyConformance)('$name', ({ run }) => run(serve));
});

describe('a host with three nodes conforms to Symbols', () => {
  it.each(symbolsConformance)('$name', ({ run }) =>
    run(async (served) => {
      const started = await startCluster(served);
      const isReady = (): boolean =>
        [...started.nodes.values()].every((node) => Object.values(node.status()).every((state) => state.isReady));
      return { ...started, untilReady: () => expect.poll(isReady).toBe(true) };
    }),
  );
});
