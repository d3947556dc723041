import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.config.ts';

/** Builds the release and installs it as operators do; needs Debian's tools for it: not part of `npm test`. */
export default defineConfig({
  test: {
    ...shared,
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/deploy/*.test.ts'],
    exclude: [],
    globalSetup: ['test/deploy/build.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
