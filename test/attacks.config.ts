import { defineConfig } from 'vitest/config';
import config from '../vitest.config.ts';

/** Attacks that take too long for `npm test`. */
export default defineConfig({
  ...config,
  test: {
    ...config.test,
    root: new URL('..', import.meta.url).pathname,
    include: ['{core,host,plugins,test}/**/*.attack.test.ts'],
    exclude: ['**/node_modules/**'],
    // Beside repositories and requests that are made to take long.
    testTimeout: 240_000,
  },
});
