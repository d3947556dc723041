/**
 * Writes every package as it is published into `build/packages`: built JavaScript, declaration types and a manifest of its
 * own. With `--pack` also one tarball of each into `build/tarballs`. Developers need neither: the workspace runs its sources.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { publishedManifest } from './published-manifest.ts';
import type { SourceManifest } from './published-manifest.ts';
import { builtText, reachableDeclarations } from './built-text.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const build = join(root, 'build');
const emitted = join(build, 'emitted');

const folders = globSync(['{core,host}', 'plugins/{contracts,preset}', 'plugins/*/*'], { cwd: root })
  .filter((folder) => globSync(join(root, folder, 'package.json')).length > 0)
  .toSorted();

/** Files of `src` that run beside the code: styles, scripts of pages, WebAssembly. */
const assetsOf = (folder: string): string[] =>
  globSync('src/**/*.*', { cwd: join(root, folder) }).filter(
    (file) => !/\.ts$|\.md$|\/(testing|golden|assembly)\//.test(file),
  );

function buildPackages(): void {
  rmSync(build, { recursive: true, force: true });
  execFileSync(process.execPath, [compiler(), '-p', join(root, '.workspace/packaging/tsconfig.json')], {
    stdio: 'inherit',
  });
  const { catalog } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')) as { catalog: Catalog };
  const manifests = folders.map((folder) => readManifest(join(root, folder)));
  const versions = { catalog, ours: Object.fromEntries(manifests.map(({ name, version }) => [name, version])) };
  for (const [index, folder] of folders.entries()) {
    const manifest = manifests[index];
    if (manifest) writePackage(folder, withBuiltExports(manifest, folder), versions);
  }
  rmSync(emitted, { recursive: true });
}

/** Entries for the tests of the workspace are not published. */
function withBuiltExports({ exports = {}, ...manifest }: SourceManifest, folder: string): SourceManifest {
  const built = Object.entries(exports).filter(([, file]) =>
    existsSync(join(emitted, folder, file.replace(/\.ts$/, '.js'))),
  );
  return { ...manifest, exports: Object.fromEntries(built) };
}

type Catalog = Record<string, string>;

const readManifest = (folder: string): SourceManifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as SourceManifest;

const compiler = (): string => join(root, 'node_modules/typescript/bin/tsc');

function writePackage(
  folder: string,
  manifest: SourceManifest,
  versions: { catalog: Catalog; ours: Record<string, string> },
): void {
  const from = join(root, folder);
  const target = join(build, 'packages', manifest.name.replace(/^@sextant\//, ''));
  const source = join(emitted, folder, 'src');
  for (const file of globSync('**/*.js', { cwd: source }))
    write(join(target, 'dist', file), builtText(readFileSync(join(source, file), 'utf8')));
  const entries = Object.values(manifest.exports ?? {}).map((path) => path.replace(/^\.\/src\/(.*)\.ts$/, '$1.d.ts'));
  for (const [file, text] of reachableDeclarations(source, entries)) write(join(target, 'dist', file), text);
  // A style or script that bears the name of a module would take its place.
  const placed = { force: false, errorOnExist: true };
  for (const file of assetsOf(folder)) cpSync(join(from, file), join(target, file.replace(/^src/, 'dist')), placed);
  for (const program of globSync('bin/*.js', { cwd: from }))
    write(join(target, program), builtText(readFileSync(join(from, program), 'utf8')), 0o755);
  const others = globSync('{THIRD-PARTY-NOTICES.md,examples}', { cwd: from });
  for (const file of [...globSync('README.md', { cwd: from }), ...others])
    cpSync(join(from, file), join(target, file), { recursive: true });
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  const published = publishedManifest(manifest, { ...versions, others });
  write(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
}

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}

function pack(): void {
  const tarballs = join(build, 'tarballs');
  mkdirSync(tarballs, { recursive: true });
  const packages = globSync('*', { cwd: join(build, 'packages') }).map((name) => `./${name}`);
  execFileSync(
    'npm',
    ['pack', '--silent', '--pack-destination', relative(join(build, 'packages'), tarballs), ...packages],
    {
      cwd: join(build, 'packages'),
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
}

buildPackages();
if (process.argv.includes('--pack')) pack();
