import { historyConformance } from '@sextant/contracts/testing';
import { describe, it } from 'vitest';
import { startHistory, startIndexed } from './testing/start-history.ts';

describe('service-history-index conforms to History', () => {
  it.each(historyConformance)('$name', ({ run }) => run(startHistory));
});

describe('service-history-index conforms to History from its index', () => {
  const searching = historyConformance.filter(({ name }) =>
    /git log|AND|hunks|query|reach|oldest|files|cannot be read/.test(name),
  );
  it.each(searching)('$name', ({ run }) => run(startIndexed));
});
