import { defineConfig } from 'vitest/config';
import { shared } from '../vitest.config.ts';

/** Attacks, comparisons over random texts, and whole programs that take too long for `npm test`. */
export default defineConfig({
  test: {
    ...shared,
    root: new URL('..', import.meta.url).pathname,
    include: ['{core,host,plugins,test}/**/*.{attack,fuzz,slow}.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 240_000,
  },
});
