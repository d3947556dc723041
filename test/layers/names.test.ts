import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The packages that a search passes: who reads them in turn must not take one thing for another. */
const packages = ['contracts', 'services/search-index', 'libraries/block-index', 'libraries/keyword-search'];

test('along the way of a search no two exported types or classes have one name', () => {
  const places = new Map<string, string[]>();
  for (const name of packages)
    for (const file of globSync('**/*.ts', { cwd: join(root, 'plugins', name, 'src') })) {
      if (/\.test\.ts$|(?:^|\/)(?:testing|assembly)\//.test(file)) continue;
      const text = readFileSync(join(root, 'plugins', name, 'src', file), 'utf8');
      for (const [, type = ''] of text.matchAll(/^export (?:abstract )?(?:class|interface|type) (\w+)/gm))
        places.set(type, [...(places.get(type) ?? []), `${name}/src/${file}`]);
    }
  expect(places.size).toBeGreaterThan(100);
  expect([...places].filter(([, files]) => files.length > 1)).toEqual([]);
});
