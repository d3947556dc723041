import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RepositoryBuilder } from '@sextant/contracts/testing';
import { runSextant, startSextant } from '../support/processes.ts';

export interface TwoRepositories extends AsyncDisposable {
  readonly url: string;
  /** Of the administrator, who may read both. */
  readonly adminToken: string;
  /** Of a user who may read `open` and not `secret`. */
  readonly aliceToken: string;
  readonly process: ChildProcess;
  /** Runs another command of the program on the same data; returns what it prints. */
  run(...args: readonly string[]): string;
  /** Starts the program again, after it ended. */
  restart(): Promise<void>;
}

/** The assembled server, as an operator starts it, over a repository for everyone, and two for a team of which one cannot be read. */
export async function serveTwoRepositories(): Promise<TwoRepositories> {
  const folder = await mkdtemp(join(tmpdir(), 'sextant-server-'));
  for (const name of ['open', 'secret']) {
    const repository = new RepositoryBuilder({ folder: join(folder, name) });
    repository.commit({ files: { 'src/a.ts': 'export const a = 1;\n', 'README.md': `# ${name}\n` } });
    repository.commit({ files: { 'src/a.ts': 'export const a = 2;\n' } });
    repository.tag({ name: 'v1' });
  }
  // Git would read what lies outside the configured paths there: it is not served.
  const torn = new RepositoryBuilder({ folder: join(folder, 'torn') });
  torn.commit({ files: { 'a.ts': 'export const a = 3;\n' } });
  await writeFile(join(folder, 'torn', '.git', 'objects', 'info', 'alternates'), `${folder}\n`);
  const config = join(folder, 'sextant.config.json');
  await writeFile(config, JSON.stringify(configuration));
  let server = await startSextant(['--config', config]);
  const adminToken = server.token;
  const runBeside = (...args: readonly string[]): string => runSextant([...args, '--config', config]);
  const aliceToken = runBeside('token', 'create', '--user', 'alice');
  return {
    get url() {
      return server.url;
    },
    get process() {
      return server.process;
    },
    adminToken,
    aliceToken,
    run: runBeside,
    restart: async () => {
      server = await startSextant(['--config', config]);
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const configuration = {
  logLevel: 'warn',
  repositories: [{ path: 'open' }, ...['secret', 'torn'].map((path) => ({ path, access: { roles: ['team'] } }))],
  roles: { team: { permissions: [] } },
  users: [{ name: 'alice' }],
};
