import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

interface Manifest {
  name: string;
  description?: string;
  license?: string;
  type?: string;
  private?: boolean;
  engines?: { node: string };
  exports?: Record<string, string>;
  scripts?: object;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = globSync(
  ['{core,host,test}/package.json', 'plugins/{contracts,preset}/package.json', 'plugins/*/*/package.json'],
  {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  },
)
  .map((file) => dirname(file))
  .toSorted();

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
const roles: Readonly<Record<string, string>> = {
  tools: 'tool',
  reports: 'report',
  services: 'service',
  sources: 'source',
  auth: 'auth',
  pages: 'page',
  libraries: 'library',
};

/** `plugins/tools/read-file` is `@sextant/tool-read-file`. */
function nameOf(folder: string): string {
  const [first = '', group = '', name] = folder.split('/');
  return `@sextant/${first !== 'plugins' ? first : name === undefined ? group : `${roles[group]}-${name}`}`;
}

/** Which of our packages each ring may declare; that they are imported, and nothing else is, the linters check. */
const rings: readonly (readonly [folder: RegExp, mayKnow: RegExp])[] = [
  [/^core$/, /^$/],
  [/^plugins\/libraries\//, /^(core|library-.*)$/],
  [/^plugins\/contracts$/, /^core$/],
  [/^plugins\/(tools|reports)\//, /^(core|contracts)$/],
  [/^plugins\/auth\//, /^(core|contracts|library-ui)$/],
  [/^plugins\/(services|sources|pages)\//, /^(core|contracts|library-.*)$/],
  [/^plugins\/preset$/, /^(tool|report|service|source|auth|page)-/],
  [/^host$/, /^(core|preset)$/],
  [/^test$/, /./],
];

describe.each(folders)('%s', (folder) => {
  const manifest = manifestOf(folder);
  const isPublished = folder !== 'test';

  test('is named after its folder', () => {
    expect(manifest.name).toBe(nameOf(folder));
  });

  test('says what it is, under which licence and on which Node', () => {
    if (!isPublished) return expect(manifest.private).toBe(true);
    expect(manifest).toMatchObject({ license: 'Apache-2.0', type: 'module', engines: { node: '>=22.18' } });
    expect(manifest.description).toMatch(/^[A-Z].{10,}[^.]$/);
  });

  test('has no scripts: the workspace has them', () => {
    expect(manifest.scripts).toBeUndefined();
  });

  test('takes every version from the catalog or the workspace', () => {
    const versions = { ...manifest.dependencies, ...manifest.devDependencies };
    for (const [name, version] of Object.entries(versions))
      expect([name, version]).toEqual([name, name.startsWith('@sextant/') ? 'workspace:*' : 'catalog:']);
  });

  test('knows only the rings that it may', () => {
    const [, mayKnow] = rings.find(([pattern]) => pattern.test(folder)) ?? [];
    const known = Object.keys(manifest.dependencies ?? {}).flatMap((name) =>
      name.startsWith('@sextant/') ? [name.slice('@sextant/'.length)] : [],
    );
    for (const name of known) expect(name).toMatch(mayKnow ?? /^$/);
  });
});

test('the preset depends on exactly the plugins that it names', async () => {
  const { alternatives, clusterPlugins, preset } = await import('@sextant/preset');
  expect(Object.keys(manifestOf('plugins/preset').dependencies ?? {}).toSorted()).toEqual(
    [...preset, ...alternatives, ...clusterPlugins].toSorted(),
  );
});

test('a dependency is a week old before it is taken', () => {
  const [, minutes] = /^minimumReleaseAge: (\d+)$/m.exec(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')) ?? [];
  expect(Number(minutes)).toBeGreaterThanOrEqual(7 * 24 * 60);
});
