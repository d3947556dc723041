import { setTimeout } from 'node:timers/promises';
import { historyConformance } from '@sextant/contracts/testing';
import { describe, it } from 'vitest';
import { startHistory } from './testing/start-history.ts';
import type { ServedHistory, StartedHistory } from './testing/start-history.ts';

describe('service-history-index conforms to History', () => {
  it.each(historyConformance)('$name', ({ run }) => run(startHistory));
});

/** The service when it has indexed everything. */
async function startIndexed(served: ServedHistory): Promise<StartedHistory> {
  const started = await startHistory(served);
  await started.ready();
  while (!started.status()['history']?.isReady) await setTimeout(10);
  return started;
}

describe('service-history-index conforms to History from its index', () => {
  const searching = historyConformance.filter(({ name }) => /git log|AND|hunks/.test(name));
  it.each(searching)('$name', ({ run }) => run(startIndexed));
});
