import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { describe, expect, test } from 'vitest';
import { root, tarballs } from './installation.ts';

interface Manifest {
  readonly version: string;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
}

test('every package of the workspace but the tests is packed, all of one version', () => {
  const folders = globSync(['{core,host}/package.json', 'plugins/{*,*/*}/package.json'], { cwd: root });
  expect(tarballs.length).toBe(folders.length);
  expect(new Set(folders.map((file) => manifestOf(join(root, file)).version)).size).toBe(1);
});

const manifestOf = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8')) as Manifest;
const allowed =
  /^(package\.json|README\.md|LICENSE|THIRD-PARTY-NOTICES\.md|bin\/.*\.js|examples\/.*\/index(\.test)?\.ts|dist\/.*\.(js|d\.ts|css|svg|wasm))$/;

/** Modules of other packages that a text imports, without a path into them. */
function* importedBy(text: string): Generator<string> {
  for (const [, name = ''] of text.matchAll(/^(?:import|export|\})[^\n]*(?:from|import) ['"]([^.'"][^'"]*)['"]/gm))
    if (!isBuiltin(name)) yield /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
}

describe.each(tarballs.map((file) => basename(file)))('%s', (name) => {
  const folder = join(root, 'build/packages', name.replace(/^sextant-(.*)-[\d.]+\.tgz$/, '$1'));
  const tarball = readFileSync(join(root, 'build/tarballs', name));
  const files = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));

  test('has what runs and nothing else', () => {
    expect(files.filter((file) => !allowed.test(file) || /\.test\.js|\/golden\//.test(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['package.json', 'LICENSE']));
  });

  test('imports only what it depends on', () => {
    const { dependencies } = manifestOf(join(folder, 'package.json'));
    const code = files.filter((file) => /\.(js|d\.ts)$/.test(file) && !file.includes('/assets/'));
    const imported = new Set(code.flatMap((file) => [...importedBy(readFileSync(join(folder, file), 'utf8'))]));
    expect([...imported].filter((each) => !Object.hasOwn(dependencies, each))).toEqual([]);
  });

  test('names no source that is left behind', () => {
    const code = files.filter((file) => /\.(js|d\.ts)$/.test(file) && !file.includes('/plugin-kit/'));
    const naming = code.filter((file) =>
      /(from |import\(|new URL\()['"`]\.[^'"`]*\.ts['"`]/.test(readFileSync(join(folder, file), 'utf8')),
    );
    expect(naming).toEqual([]);
  });

  test('is as publint wants it', async () => {
    const data = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength) as ArrayBuffer;
    const { messages, pkg } = await publint({ pack: { tarball: data }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg as Record<string, unknown>))).toEqual([]);
  });
});

test('no types are wrong', () => {
  const script = join(import.meta.dirname, 'wrong-types.ts');
  const found = JSON.parse(execFileSync(process.execPath, [script, ...tarballs], { encoding: 'utf8' })) as object;
  expect(Object.keys(found).length).toBe(tarballs.length);
  expect(Object.fromEntries(Object.entries(found).filter(([, problems]) => problems.length > 0))).toEqual({});
});
