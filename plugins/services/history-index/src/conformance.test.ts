import { historyConformance } from '@sextant/contracts/testing';
import { describe, it } from 'vitest';
import { startHistory } from './testing/start-history.ts';

describe('service-history-index conforms to History', () => {
  it.each(historyConformance)('$name', ({ run }) => run(startHistory));
});
