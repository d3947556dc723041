import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import type { TestProjectInlineConfiguration, ViteUserConfig } from 'vitest/config';

// Compiled sources, which hundreds of processes load: they share the folder of the program (host/src/main.ts).
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('host/node_modules/.cache/compiled', import.meta.url));

/** What takes long has a run of its own: `npm run test:slow`. */
const slow = ['test/{browser,clients,code-hosts,deploy,packages}/**', '**/*.{attack,fuzz,slow}.test.ts'];

/** Stores: their tests run on SQLite, and a second time on PostgreSQL. */
const stores = 'plugins/{auth/*,services/{audit,conversations,credits,directory,lua,sessions,usage}}/src/**/*.test.ts';

const light = ['core/**/*.test.ts', 'plugins/{contracts,libraries,tools,reports,auth}/**/*.test.ts'];

const project = (name: string, test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, ...test },
});

/** What holds for tests of every kind. */
export const shared = {
  // Tests run as the server does: Node itself imports the TypeScript sources, plugins beside a configuration included.
  experimental: { viteModuleRunner: false },
  // Real servers, git and databases on machines that are busy with other things.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 120_000 } },
  maxWorkers: 3,
} satisfies ViteUserConfig['test'];

export default defineConfig({
  test: {
    ...shared,
    projects: [
      // These leave nothing behind in their process: many files share one, which halves their time.
      project('light', { include: light, exclude: ['**/node_modules/**', ...slow], isolate: false }),
      project('sextant', {
        include: ['{core,host,plugins,test}/**/*.test.ts'],
        exclude: ['**/node_modules/**', 'host/examples/**', 'test/postgres/**', ...slow, ...light],
      }),
      project('postgres', {
        include: [stores, 'test/postgres/**/*.test.ts'],
        exclude: ['**/node_modules/**', ...slow],
        globalSetup: ['test/postgres/cluster.ts'],
      }),
    ],
  },
});
