import { execFile } from 'node:child_process';
import { cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The release that the tests run against. */
const giteaVersion = '1.26.0';

const cacheFolder = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'sextant',
  `gitea-${giteaVersion}`,
);

/** Where a built Gitea stands: the program, and the files that it reads while it runs. */
export interface GiteaBuild {
  readonly program: string;
  readonly staticFolder: string;
}

const build: GiteaBuild = { program: join(cacheFolder, 'gitea'), staticFolder: join(cacheFolder, 'static') };

/** The build in the user's cache folder; undefined where there is none. */
const builtGitea = async (): Promise<GiteaBuild | undefined> =>
  (await stat(build.program).catch(() => undefined)) && build;

/**
 * Builds Gitea from its Go module unless it was built before. It takes about ten minutes, Go 1.26 and a C compiler.
 * Without a front end it serves its API, git over HTTP and the pages of signing in.
 */
export async function buildGitea(): Promise<GiteaBuild> {
  const known = await builtGitea();
  if (known) return known;
  const [go, environment] = ['go', { ...process.env, CGO_ENABLED: '1', GOFLAGS: '-mod=mod -buildvcs=false' }];
  await run(go, ['version']).catch(() => {
    throw new Error('building Gitea needs Go 1.26 (https://go.dev/dl/) as "go" on the PATH');
  });
  const { stdout } = await run(go, ['mod', 'download', '-json', `code.gitea.io/gitea@v${giteaVersion}`], {
    env: environment,
  });
  const { Dir: source }: { Dir: string } = JSON.parse(stdout);
  await mkdir(cacheFolder, { recursive: true });
  const folder = join(cacheFolder, `building-${process.pid}`);
  try {
    // The module cache cannot be written to, and the build may add to `go.sum`.
    await cp(source, folder, { recursive: true, mode: 0 });
    await run('chmod', ['-R', 'u+w', folder]);
    const partial = join(folder, 'gitea-program');
    await run(go, ['build', '-tags', 'sqlite sqlite_unlock_notify', '-o', partial, '.'], {
      cwd: folder,
      env: environment,
      maxBuffer: 64 * 1024 * 1024,
    });
    await mkdir(build.staticFolder, { recursive: true });
    for (const name of ['options', 'templates', 'public'])
      await cp(join(folder, name), join(build.staticFolder, name), { recursive: true, force: true });
    await rename(partial, build.program);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return build;
}

if (import.meta.main) console.log((await buildGitea()).program);
