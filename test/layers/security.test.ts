import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(join(root, 'docs/security.md'), 'utf8');

/** The folders that each promise names, which may stand on two lines. */
const promises = text
  .slice(text.indexOf('## What is promised'), text.indexOf('## What is not promised'))
  .split(/\n(?=- \*\*)/)
  .slice(1)
  .map((entry) => /\*Tests:\s+([^*]+)\.\*/.exec(entry.replaceAll(/\s+/g, ' '))?.[1]?.split(', ') ?? []);

test('every promise of security names folders, and each of them has tests', () => {
  expect(promises.length).toBeGreaterThan(10);
  expect(promises.filter((folders) => folders.length === 0)).toEqual([]);
  for (const folder of new Set(promises.flat())) {
    const exclude = (path: string): boolean => path.includes('node_modules');
    expect([folder, globSync(`${folder}/**/*.test.ts`, { cwd: root, exclude }).length > 0]).toEqual([folder, true]);
  }
});

test('the page is short enough to be read', () => {
  const lines = text.split('\n');
  expect(lines.length).toBeLessThanOrEqual(150);
  expect(lines.filter(({ length }) => length > 100)).toEqual([]);
});
