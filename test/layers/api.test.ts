import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { afterAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sextant-api-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const packages = { core: 'core', contracts: 'plugins/contracts' } as const;

/** The declarations of both packages, each beside its dependencies, as an installation has them. */
function declare(): void {
  const flags = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rootDir', root, '--outDir', folder];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(root, 'test/layers/api.tsconfig.json'), ...flags]);
  for (const path of Object.values(packages)) {
    symlinkSync(join(root, path, 'node_modules'), join(folder, path, 'node_modules'));
    cpSync(join(root, path, 'package.json'), join(folder, path, 'package.json'));
  }
}

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
}

/** What can be imported from each entry: `core`, `core/testing`. */
function entries(): { name: string; path: string; file: string }[] {
  return Object.entries(packages).flatMap(([name, path]) => {
    const { exports } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as Manifest;
    return Object.entries(exports).map(([entry, file]) => ({
      name: entry === '.' ? name : `${name}-${entry.slice(2)}`,
      path,
      file: join(folder, path, file.replace(/\.ts$/, '.d.ts')),
    }));
  });
}

/** Names and types of an entry in the order of the names, so that a change of them is one of a few lines. */
function reportOf({ name, path, file }: { name: string; path: string; file: string }): string {
  const place = join(folder, path);
  const quiet = { default: { logLevel: 'none' } };
  const compilerOptions = { target: 'es2023', lib: ['es2023', 'esnext.disposable'], module: 'nodenext', strict: true };
  const typeRoots = [join(root, 'node_modules/@types')];
  const settings = {
    projectFolder: place,
    mainEntryPointFilePath: file,
    newlineKind: 'lf',
    apiReport: { enabled: true, reportFolder: folder, reportTempFolder: join(folder, 'new'), reportFileName: name },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    compiler: {
      overrideTsconfig: {
        compilerOptions: { ...compilerOptions, skipLibCheck: true, types: ['node'], typeRoots },
        files: [file],
      },
    },
    messages: { extractorMessageReporting: quiet, tsdocMessageReporting: quiet },
  };
  const settingsFile = join(place, 'api-extractor.json');
  writeFileSync(settingsFile, JSON.stringify(settings));
  Extractor.invoke(ExtractorConfig.loadFileAndPrepare(settingsFile), {
    localBuild: true,
    messageCallback: (message) => void (message.handled = true),
  });
  return readFileSync(join(folder, `${name}.api.md`), 'utf8').replaceAll(/^ *\/\/ \(undocumented\)\n/gm, '');
}

test('the public surface is as docs/api says; a change of it goes into docs/CHANGELOG.md, too', async () => {
  declare();
  for (const entry of entries())
    await expect(reportOf(entry)).toMatchFileSnapshot(join(root, 'docs/api', `${entry.name}.api.md`));
});
