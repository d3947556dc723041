import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = globSync('{core,host,plugins}/**/src/**/*.ts', {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
})
  .filter((path) => !path.endsWith('.test.ts') && !path.includes('/testing/'))
  .toSorted();

// Types are stripped and nothing else is changed: what the oldest Node of `engines` cannot parse, it cannot run.
test('no source declares with `using`, which Node knows only since 24', () => {
  const declaring = sources.filter((path) => /^\s*(await )?using \w+ =/m.test(readFileSync(join(root, path), 'utf8')));
  expect(sources.length).toBeGreaterThan(100);
  expect(declaring).toEqual([]);
});
