import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../chart', import.meta.url));
const digest = createHash('sha256');
for (const file of ['go.mod', 'go.sum', 'main.go']) digest.update(readFileSync(join(source, file)));
const program = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'sextant',
  `chart-${digest.digest('hex').slice(0, 12)}`,
);

/** The program that renders the Helm chart and decodes it (test/deploy/chart); undefined where it was not built. */
export const builtChartProgram = (): string | undefined => (existsSync(program) ? program : undefined);

if (import.meta.main && process.argv[2] === '--is-built') {
  process.exitCode = builtChartProgram() === undefined ? 1 : 0;
} else if (import.meta.main) {
  const environment = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly -buildvcs=false' };
  const partial = `${program}.${process.pid}`;
  execFileSync('go', ['build', '-o', partial, '.'], { cwd: source, env: environment, stdio: 'inherit' });
  renameSync(partial, program);
  console.log(program);
}
