import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.config.ts';

/** Needs Python and Go, and their registries for the SDKs: not part of `npm test`. */
export default defineConfig({
  test: {
    ...shared,
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/clients/*.test.ts'],
    exclude: [],
    // Fetching and building the SDKs takes minutes the first time.
    hookTimeout: 600_000,
    testTimeout: 300_000,
  },
});
