import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { startIndexed } from '../../../plugins/services/history-index/src/testing/start-history.ts';
import { print, timed } from './report.ts';

export interface IngestOptions {
  readonly repository: string;
  /** The index is made in its folder `data`, as a server does that serves the repository as `bench`. */
  readonly folder: string;
}

/** Indexes beside bare git, unless that has been done. */
export async function measureIngest({ repository, folder }: IngestOptions): Promise<void> {
  const index = join(folder, 'data', 'history-index');
  if (existsSync(index)) return;
  const patchBytes = await bareDiff(repository);
  const served = { folder, repositories: { bench: repository }, hidden: [] };
  const started = await timed('everything indexed, without search and symbols', () => startIndexed(served));
  await started[Symbol.asyncDispose]();
  printSizes(index, patchBytes);
}

/** All diffs by as many processes as the index uses; returns their bytes. */
async function bareDiff(repository: string): Promise<number> {
  const refs = ['--branches', '--tags', 'HEAD'];
  const args = ['-C', repository, 'rev-list', ...refs];
  const hashes = execFileSync('git', args, { maxBuffer: Infinity }).toString().trim().split('\n');
  const processes = Math.min(4, availableParallelism());
  const share = Math.ceil(hashes.length / processes);
  const parts = Array.from({ length: processes }, (_, index) => hashes.slice(index * share, (index + 1) * share));
  const bytes = await timed(`git diff-tree --stdin -p of ${hashes.length} commits, ${processes} processes`, () =>
    Promise.all(parts.map((part) => diffBytes(repository, part))),
  );
  return bytes.reduce((sum, each) => sum + each, 0);
}

async function diffBytes(repository: string, hashes: readonly string[]): Promise<number> {
  const args = ['-C', repository, 'diff-tree', '--stdin', '--root', '-p', '--no-renames'];
  const git = spawn('git', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let bytes = 0;
  git.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length));
  git.stdin.end(`${hashes.join('\n')}\n`);
  await once(git, 'close');
  return bytes;
}

function printSizes(index: string, patchBytes: number): void {
  const files = readdirSync(index, { recursive: true }).map(String);
  const sizeOf = (ending: RegExp): number =>
    files.filter((file) => ending.test(file)).reduce((sum, file) => sum + statSync(join(index, file)).size, 0);
  const text = sizeOf(/\.(lines|messages)-text$/);
  const share = (bytes: number, whole: number): string => `${((100 * bytes) / whole).toFixed(1)} %`;
  print('block indexes and tables of changed lines and messages', share(sizeOf(/\.(lines|messages|tables)$/), text));
  print('the same of what git prints', share(sizeOf(/\.(lines|messages|tables)$/), patchBytes));
  print('hunks of what git prints', share(sizeOf(/\.hunks$/), patchBytes));
}
