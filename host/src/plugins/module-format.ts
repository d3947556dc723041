import type { LoadHookSync } from 'node:module';

/**
 * TypeScript of a plugin is read as an ES module, also where the package.json above it says "commonjs", as one of
 * `npm init` does.
 */
export const readAsModule: LoadHookSync = (url, context, nextLoad) =>
  nextLoad(url, context.format === 'commonjs-typescript' ? { ...context, format: 'module-typescript' } : context);

/** Why a module was not read, where Node says it in words that tell no remedy. */
export const formatHint = (error: unknown): string =>
  error instanceof Error &&
  /import statement outside a module|Unexpected token 'export'|require\(\) ES Module/.test(error.message)
    ? '. It is read as CommonJS: say "type": "module" in the package.json above it, or name the file .mjs'
    : '';
