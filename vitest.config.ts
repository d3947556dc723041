import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Tests run as the server does: Node itself imports the TypeScript sources, plugins beside a configuration included.
    experimental: { viteModuleRunner: false },
    include: ['{core,host,plugins,test}/**/*.test.ts'],
    // What takes long has a run of its own: `npm run test:slow`.
    exclude: [
      '**/node_modules/**',
      'test/{browser,code-hosts,deploy,packages}/**',
      'host/examples/**',
      '**/*.{attack,fuzz}.test.ts',
    ],
    // Real servers, git and databases on machines that are busy with other things.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
  },
});
