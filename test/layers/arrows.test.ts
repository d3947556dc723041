import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs');

/** A file that goes against an arrow, what it imports, and the rule that must say so. */
const forbidden: readonly (readonly [file: string, imported: string, rule: string])[] = [
  ['core/src/a.ts', 'plugins/contracts/src/a.ts', 'core-alone'],
  ['plugins/contracts/src/a.ts', 'host/src/a.ts', 'contracts'],
  ['plugins/contracts/src/a.ts', 'plugins/services/git/src/a.ts', 'contracts'],
  ['plugins/libraries/one/src/a.ts', 'plugins/contracts/src/a.ts', 'libraries'],
  ['plugins/libraries/one/src/a.ts', 'plugins/services/git/src/a.ts', 'libraries'],
  ['plugins/tools/read-file/src/a.ts', 'plugins/services/git/src/a.ts', 'plugins-apart'],
  ['plugins/tools/read-file/src/a.ts', 'plugins/tools/list-files/src/a.ts', 'plugins-apart'],
  ['plugins/services/git/src/a.ts', 'host/src/a.ts', 'plugins-apart'],
  ['plugins/sources/gitea/src/a.ts', 'plugins/services/sources/src/a.ts', 'plugins-apart'],
  ['plugins/tools/read-file/src/a.ts', 'plugins/libraries/one/src/a.ts', 'libraries-for-services-and-pages'],
  ['plugins/auth/oauth/src/a.ts', 'plugins/libraries/one/src/a.ts', 'libraries-for-services-and-pages'],
  ['plugins/tools/read-file/src/a.ts', 'plugins/libraries/ui/src/a.ts', 'look-for-those-with-pages'],
  ['plugins/preset/src/a.ts', 'plugins/tools/read-file/src/a.ts', 'preset-names-only'],
  ['host/src/a.ts', 'plugins/contracts/src/a.ts', 'host'],
  ['host/src/a.ts', 'plugins/services/git/src/a.ts', 'host'],
  ['host/src/a.ts', 'test/support/a.ts', 'nobody-imports-tests'],
  ['plugins/services/git/src/a.ts', 'plugins/services/git/src/testing/a.ts', 'nobody-imports-tests'],
  ['core/src/plugins/plugin.ts', 'node_modules/tsyringe/index.js', 'injection-in-one-file'],
  ['host/src/app.ts', 'node_modules/@modelcontextprotocol/sdk/index.js', 'mcp-in-one-folder'],
  ['plugins/services/git/src/a.ts', 'node_modules/better-sqlite3/index.js', 'sqlite-in-few-packages'],
  ['core/src/a.ts', 'core/src/nowhere.ts', 'resolvable'],
];

/** Imports that the arrows allow, with every ring in them. */
const allowed: readonly (readonly [file: string, imported: string])[] = [
  ['plugins/contracts/src/b.ts', 'core/src/a.ts'],
  ['plugins/tools/read-file/src/b.ts', 'plugins/contracts/src/a.ts'],
  ['plugins/libraries/one/src/b.ts', 'core/src/a.ts'],
  ['plugins/libraries/one/src/b.ts', 'plugins/libraries/two/src/a.ts'],
  ['plugins/services/git/src/b.ts', 'plugins/libraries/one/src/a.ts'],
  ['plugins/sources/gitea/src/b.ts', 'plugins/libraries/one/src/a.ts'],
  ['plugins/pages/home/src/b.ts', 'plugins/libraries/one/src/a.ts'],
  ['plugins/auth/oauth/src/b.ts', 'plugins/libraries/ui/src/a.ts'],
  ['host/src/b.ts', 'core/src/a.ts'],
  ['host/src/mcp/b.ts', 'node_modules/@modelcontextprotocol/sdk/index.js'],
  ['test/http/b.ts', 'plugins/services/git/src/a.ts'],
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sextant-arrows-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Violation {
  from: string;
  rule: { name: string };
}

/** What the rules of the workspace say of a tree in which each file imports one other. */
function violationsIn(name: string, imports: readonly (readonly [file: string, imported: string])[]): Violation[] {
  const tree = join(folder, name);
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), text);
  };
  write(
    'tsconfig.json',
    JSON.stringify({ compilerOptions: { module: 'nodenext', allowImportingTsExtensions: true, noEmit: true } }),
  );
  write('package.json', JSON.stringify({ type: 'module' }));
  for (const [, imported] of imports) if (!imported.includes('nowhere')) write(imported, 'export const a = 1;\n');
  for (const [file, imported] of imports)
    write(file, `import { a } from '${'../'.repeat(file.split('/').length - 1)}${imported}';\nexport const b = a;\n`);
  const args = [program, '.', '--config', join(root, '.dependency-cruiser.js'), '--output-type', 'json'];
  const { summary } = JSON.parse(spawnSync(process.execPath, args, { cwd: tree, encoding: 'utf8' }).stdout);
  return summary.violations;
}

/** In one tree with all others, where each has a file of its own. */
const importers = forbidden.map(([file, imported], index) => [file.replace('.ts', `-${index}.ts`), imported] as const);
let violations: readonly Violation[];
beforeAll(() => {
  violations = violationsIn('forbidden', importers);
});

test.each(forbidden.map((row, index) => [...row, importers[index]?.[0]] as const))(
  '%s must not import %s (%s)',
  (_file, _imported, rule, importer) => {
    const rules = violations.filter(({ from }) => from === importer);
    expect(rules.map((violation) => violation.rule.name)).toContain(rule);
  },
);

test('what the arrows allow is not reported', () => {
  expect(violationsIn('allowed', allowed)).toEqual([]);
});

test('a circle is reported', () => {
  const circle = [
    ['core/src/a.ts', 'core/src/b.ts'],
    ['core/src/b.ts', 'core/src/a.ts'],
  ] as const;
  expect(violationsIn('circle', circle).map(({ rule }) => rule.name)).toContain('no-circles');
});
