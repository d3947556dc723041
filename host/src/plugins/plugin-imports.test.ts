import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sextant-imports-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Imports a file in a process of its own, with or without the hook. */
function importing(source: string, isShared: boolean): string {
  writeFileSync(join(folder, 'lone.ts'), source);
  const hook = new URL('./plugin-imports.ts', import.meta.url).href;
  const script = `${isShared ? `(await import(${JSON.stringify(hook)})).sharePublicApi();` : ''} await import(${JSON.stringify(join(folder, 'lone.ts'))});`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const usesAll = `import { defineTool } from '@sextant/core'; import { runTool } from '@sextant/core/testing';
import { Repositories } from '@sextant/contracts'; import { z } from 'zod';
console.log(typeof defineTool, typeof runTool, Repositories.name, typeof z.object);`;

test('a lone file imports the public API although nothing is installed beside it', () => {
  expect(importing(usesAll, true)).toBe('function function repositories function\n');
  expect(() => importing(usesAll, false)).toThrow(/ERR_MODULE_NOT_FOUND/);
});

test('any other package that is missing stays missing', () => {
  expect(() => importing(`import 'pino';`, true)).toThrow(/Cannot find package 'pino'/);
});
