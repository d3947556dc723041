import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = globSync('{core,host,plugins}/**/src/**/*.ts', {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
}).filter((path) => !path.endsWith('.test.ts'));

// A code node ends its work at the deadline of a call. A signal of `AbortSignal.any` has none.
test('signals are joined by joinSignals, which keeps the deadline', () => {
  const joining = sources.filter((path) => readFileSync(join(root, path), 'utf8').includes('AbortSignal.any('));
  expect(sources.length).toBeGreaterThan(100);
  expect(joining).toEqual(['core/src/calls/deadline.ts']);
});
