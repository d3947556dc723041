import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SearchCase } from './cases.ts';
import { median, print } from './measured.ts';

const run = promisify(execFile);
const large = { maxBuffer: 1 << 30 };
const repetitions = 3;

const patternOf = ({ pattern = '', isFixed, isCaseSensitive }: SearchCase): string[] => [
  ...(isFixed ? ['-F'] : []),
  ...(isCaseSensitive ? [] : ['-i']),
  '-e',
  pattern,
];

/** All lines that match in a folder of files, with as many threads as ripgrep takes. */
export const timeRipgrep = (each: SearchCase, folder: string): Promise<number> =>
  timeOf(() => run('rg', ['-uuu', '-n', '--no-heading', '--max-filesize', '1M', ...patternOf(each), folder], large));

/** One repository after the other, each with as many threads as git takes. */
export const timeGitGrep = (each: SearchCase, repositories: readonly string[]): Promise<number> =>
  timeOf(async () => {
    const options = ['-I', '-n', ...(each.isFixed ? [] : ['-P']), ...patternOf(each)];
    for (const path of repositories)
      await run('git', ['-C', path, 'grep', ...options, 'HEAD'], large).catch(() => undefined);
  });

/** Median of some runs; where nothing is found the commands fail. */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < repetitions; i += 1) {
    const begun = performance.now();
    await work().catch(() => undefined);
    times.push(performance.now() - begun);
  }
  return median(times.sort((a, b) => a - b));
}

/** The files of HEAD of each repository, for ripgrep. Some may not be there: large ones are left out of copies. */
export async function checkOut(repositories: readonly string[], folder: string): Promise<void> {
  for (const [index, path] of repositories.entries()) {
    const into = join(folder, String(index));
    if ((await mkdir(into, { recursive: true })) === undefined) continue;
    const list = join(folder, 'index');
    const { stdout } = await run('git', ['-C', path, 'rev-parse', '--absolute-git-dir']);
    const git = { env: { ...process.env, GIT_DIR: stdout.trim(), GIT_WORK_TREE: into, GIT_INDEX_FILE: list } };
    await run('git', ['read-tree', 'HEAD'], git);
    await run('git', ['checkout-index', '--all', '--quiet'], git).catch((error: Error) => {
      print(`${path}: ${error.message.split('\n').at(1) ?? ''}`);
    });
    await rm(list);
  }
}
