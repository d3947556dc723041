import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SextantError } from '@sextant/core';
import { z } from 'zod';

const packageName = '@sourcegraph/scip-typescript';
const manifest = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]) });
/** Of what the program says when it fails. */
const longestComplaint = 2000;

/** Runs scip-typescript as it is installed beside a project. Throws `unavailable` where it is not, or when it fails. */
export async function runScipTypescript(
  { folder, output }: { folder: string; output: string },
  signal: AbortSignal,
): Promise<void> {
  const args = [programIn(folder), 'index', '--output', output];
  const child = spawn(process.execPath, args, { cwd: folder, signal, stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => (complaint = (complaint + text).slice(-longestComplaint)));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const code = await promise;
  if (code !== 0)
    throw new SextantError('unavailable', `scip-typescript failed with exit code ${code}: ${complaint.trim()}`);
}

function programIn(folder: string): string {
  const path = manifestIn(folder);
  const { bin } = manifest.parse(JSON.parse(readFileSync(path, 'utf8')));
  const program = typeof bin === 'string' ? bin : bin['scip-typescript'];
  if (program === undefined) throw new SextantError('unavailable', `${packageName} in ${dirname(path)} has no program`);
  return join(dirname(path), program);
}

function manifestIn(folder: string): string {
  try {
    return createRequire(join(folder, 'package.json')).resolve(`${packageName}/package.json`);
  } catch (error) {
    throw new SextantError(
      'unavailable',
      `${packageName} is not installed in ${folder}: run \`npm install --save-dev ${packageName}\` there, or make an index with another indexer and send it with \`sextant scip upload\``,
      { cause: error },
    );
  }
}
