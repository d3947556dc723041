import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Tests run as the server does: Node itself imports the TypeScript sources, plugins beside a configuration included.
    experimental: { viteModuleRunner: false },
    include: ['{core,host,plugins,test}/**/*.test.ts'],
    // Attacks that take long have a run of their own: `npm run test:attacks`.
    exclude: ['**/node_modules/**', 'test/browser/**', '**/*.attack.test.ts'],
    // Real servers, git and databases on machines that are busy with other things.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
  },
});
