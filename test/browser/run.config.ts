import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.config.ts';

/** Needs Chromium: not part of `npm test`. */
export default defineConfig({
  test: {
    ...shared,
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/browser/*.test.ts'],
    exclude: [],
    // A browser on a machine that is busy with other things.
    testTimeout: 240_000,
  },
});
