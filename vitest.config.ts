import { defineConfig } from 'vitest/config';

// Tests run as the server does: Node itself imports the TypeScript sources, plugins beside a configuration included.
export default defineConfig({ test: { experimental: { viteModuleRunner: false } } });
