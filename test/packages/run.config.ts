import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.config.ts';

/** Builds and packs everything, and installs it from the npm registry: not part of `npm test`. */
export default defineConfig({
  test: {
    ...shared,
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/packages/*.test.ts'],
    exclude: [],
    globalSetup: ['test/packages/build.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
