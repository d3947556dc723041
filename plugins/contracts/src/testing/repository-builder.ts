import { execFileSync } from 'node:child_process';
import { fastImportStream } from './fast-import.ts';
import type { ImportedCommit } from './fast-import.ts';

export interface BuilderOptions {
  /** Made when it is not there. */
  folder: string;
  isBare?: boolean;
  objectFormat?: 'sha1' | 'sha256';
  /** The branch that HEAD names. */
  branch?: string;
}

export interface TagOptions {
  name: string;
  commit?: string;
  /** Makes an annotated tag. */
  message?: string;
}

const firstDate = 1_700_000_000;

/** Makes real repositories for tests, quickly and always with the same hashes. The work tree is not filled. */
export class RepositoryBuilder {
  readonly folder: string;
  readonly branch: string;
  #commits = 0;

  constructor({ folder, isBare = false, objectFormat = 'sha1', branch = 'main' }: BuilderOptions) {
    this.folder = folder;
    this.branch = branch;
    const flags = [
      '--quiet',
      `--object-format=${objectFormat}`,
      `--initial-branch=${branch}`,
      ...(isBare ? ['--bare'] : []),
    ];
    execFileSync('git', ['init', ...flags, folder], { env: this.#environment() });
  }

  /** Commits on top of the branch (or of `parents`), each commit a minute later than the one before; answers the hash. */
  commit(commit: ImportedCommit = {}): string {
    const { branch = this.branch, parents = this.#tipOf(branch), ...rest } = commit;
    const date = rest.date ?? firstDate + 60 * this.#commits;
    const input = fastImportStream({
      ...rest,
      branch,
      parents,
      date,
      message: rest.message ?? `change ${this.#commits}`,
    });
    this.#commits += 1;
    const marks = execFileSync('git', ['-C', this.folder, 'fast-import', '--quiet', '--force'], {
      input,
      env: this.#environment(),
      maxBuffer: Infinity,
    });
    return marks.toString().trim();
  }

  tag({ name, commit = this.branch, message }: TagOptions): void {
    this.git('tag', ...(message === undefined ? [] : ['-a', '-m', message]), name, commit);
  }

  /** Stores an object as it is, however malformed; answers its hash. */
  writeObject(type: 'blob' | 'tree' | 'commit' | 'tag', content: Uint8Array): string {
    const args = ['-C', this.folder, 'hash-object', '-w', '-t', type, '--literally', '--stdin'];
    return execFileSync('git', args, { input: content, env: this.#environment() }).toString().trim();
  }

  /** Any git command in this repository; answers its output without the last line end. */
  git(...args: readonly string[]): string {
    const output = execFileSync('git', ['-C', this.folder, ...args], {
      env: this.#environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return output.toString().replace(/\n$/, '');
  }

  #tipOf(branch: string): string[] {
    const tip = this.git('for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`);
    return tip === '' ? [] : [tip];
  }

  #environment(): NodeJS.ProcessEnv {
    const date = `${firstDate + 60 * this.#commits} +0000`;
    return {
      PATH: process.env['PATH'],
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.com',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.com',
      GIT_COMMITTER_DATE: date,
    };
  }
}
