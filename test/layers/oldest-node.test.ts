import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const all = globSync(['{core,host,plugins}/**/src/**/*.ts', 'host/examples/**/*.ts'], {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
});
// Tests of the workspace run on its own Node. Those of the examples ship.
const isOfWorkspace = (path: string): boolean => path.endsWith('.test.ts') && !path.startsWith('host/examples/');
const sources = all.filter((path) => !isOfWorkspace(path) && !path.includes('/testing/')).toSorted();

// Types are stripped and nothing else is changed: what the oldest Node of `engines` cannot parse, it cannot run.
test('no source declares with `using`, which Node knows only since 24', () => {
  const declaring = sources.filter((path) => /^\s*(await )?using \w+ =/m.test(readFileSync(join(root, path), 'utf8')));
  expect(sources.length).toBeGreaterThan(100);
  expect(declaring).toEqual([]);
});
