import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.config.ts';

/** Needs a built Gitea: not part of `npm test`. */
export default defineConfig({
  test: {
    ...shared,
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/code-hosts/*.test.ts'],
    exclude: [],
    // Building Gitea takes ten minutes the first time.
    hookTimeout: 1_800_000,
    testTimeout: 600_000,
    fileParallelism: false,
  },
});
