import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', maxBuffer: 1 << 30 }).trim();

/** The program of another commit below a folder, with what it depends on. */
export function earlierRelease(ref: string, folder: string): { bin: string; commit: string } {
  const earlier = join(folder, 'earlier');
  mkdirSync(earlier);
  const archive = join(folder, 'earlier.tar');
  git('archive', '--output', archive, ref);
  execFileSync('tar', ['-xf', archive, '-C', earlier]);
  execFileSync(process.execPath, [join(earlier, '.workspace', 'setup.js')], { stdio: 'inherit' });
  return { bin: join(earlier, 'host', 'bin', 'sextant.js'), commit: git('rev-parse', '--short=8', ref) };
}
