import { searchConformance } from '@sextant/contracts/testing';
import { describe, it } from 'vitest';
import { startSearch } from './testing/start-search.ts';

describe('service-search-git-grep conforms to Search', () => {
  it.each(searchConformance)('$name', ({ run }) => run(startSearch));
});
