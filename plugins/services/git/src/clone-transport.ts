import { rename, rm } from 'node:fs/promises';
import { withinBytes } from './folder-limit.ts';
import { transportEnvironment } from './git-environment.ts';
import type { GitProgram } from './git-process.ts';
import { remoteOf } from './remote-url.ts';

const settings = [
  ['gc.autoDetach', 'false'],
  ['maintenance.autoDetach', 'false'],
  ['fetch.writeCommitGraph', 'true'],
  ['http.lowSpeedLimit', '1000'],
  ['http.lowSpeedTime', '60'],
  ['transfer.bundleURI', 'false'],
] as const;
const refspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];

export interface TransportLimits {
  /** Most disk that a clone may take. */
  bytes: number;
  /** Most memory of each process of git. */
  memoryBytes: number;
}

/** Where a clone comes from, and the git program with the limits of such work. */
export class CloneTransport {
  readonly #git: GitProgram;
  readonly #url: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #limits: TransportLimits;

  constructor(git: GitProgram, url: string, limits: TransportLimits) {
    const remote = remoteOf(url);
    this.#git = git;
    this.#url = remote.url;
    this.#limits = limits;
    // Git would send the password on to wherever it is led.
    const redirects = remote.secrets.length > 0 ? [['http.followRedirects', 'false'] as const] : [];
    this.#environment = transportEnvironment(remote.protocols, [...settings, ...redirects, ...remote.secrets]);
  }

  /** Makes the clone beside its place and moves it there when it is complete. */
  async clone(paths: { partial: string; folder: string }, signal: AbortSignal): Promise<void> {
    await rm(paths.partial, { recursive: true, force: true });
    try {
      await this.#fill(
        paths.partial,
        [
          'clone',
          '--bare',
          '--no-local',
          '--quiet',
          '--template=',
          '--no-recurse-submodules',
          '--',
          this.#url,
          paths.partial,
        ],
        signal,
      );
      await rename(paths.partial, paths.folder);
    } finally {
      await rm(paths.partial, { recursive: true, force: true });
    }
  }

  /** Brings branches, tags and HEAD to where they are at the other side; what is gone there goes here. */
  async fetch(folder: string, signal: AbortSignal): Promise<void> {
    const gitFolder = `--git-dir=${folder}`;
    await this.#fill(
      folder,
      [
        gitFolder,
        'fetch',
        '--quiet',
        '--prune',
        '--force',
        '--no-recurse-submodules',
        '--no-write-fetch-head',
        '--',
        this.#url,
        ...refspecs,
      ],
      signal,
    );
    const head = (await this.#run(['ls-remote', '--symref', '--', this.#url, 'HEAD'], signal)).toString();
    const branch = /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(head)?.[1];
    if (branch !== undefined) await this.#run([gitFolder, 'symbolic-ref', 'HEAD', branch], signal);
  }

  async #fill(folder: string, args: readonly string[], signal: AbortSignal): Promise<void> {
    await withinBytes({ folder, bytes: this.#limits.bytes, signal }, (within) => this.#run(args, within));
  }

  #run(args: readonly string[], signal: AbortSignal): Promise<Buffer> {
    const { memoryBytes } = this.#limits;
    return this.#git.run({ args, environment: this.#environment, memoryBytes, signal });
  }
}
