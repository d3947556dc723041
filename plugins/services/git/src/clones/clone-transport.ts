import { existsSync, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CloneProgress } from '@sextant/contracts';
import { progressIn } from './clone-progress.ts';
import { withinBytes } from './folder-limit.ts';
import type { DiskLimits } from './folder-limit.ts';
import { transportEnvironment } from '../process/git-environment.ts';
import type { GitProgram, TransportCommand } from '../process/git-process.ts';
import { linesOf } from '../refs/ref-targets.ts';
import { readNote } from './notes.ts';
import { maxShallowBytes } from '../storage/shallow-file.ts';
import { helperSetting, remoteOf, takesHelper } from './remote-url.ts';

const settings = [
  ['gc.autoDetach', 'false'],
  ['maintenance.autoDetach', 'false'],
  ['fetch.writeCommitGraph', 'true'],
  ['http.lowSpeedLimit', '1000'],
  ['http.lowSpeedTime', '60'],
  ['transfer.bundleURI', 'false'],
] as const;
const helperNeedsHttps = 'a credential helper is asked for the logins of https hosts alone';
/** Git may take all it can get where the other side says that two refs are names for each other (seen with 2.39). */
const lookMemoryBytes = 512 * 1024 * 1024;
const refspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];

export interface TransportLimits extends DiskLimits {
  /** Most memory of each process of git. */
  memoryBytes: number;
  /** Most refs. */
  refs: number;
}

type OneCommand = Pick<TransportCommand, 'args' | 'onProgress' | 'signal'>;

/** What may happen while a clone is made or fetched. */
export interface TransferEvents {
  readonly signal: AbortSignal;
  /** The other side has told its branches and tags; what follows may take long. */
  onAnswer?(): void;
}

interface TransportOptions {
  git: GitProgram;
  url: string;
  /** A program that git asks for the login. Throws for a URL that is not of https. */
  helper?: string | undefined;
  /** Commits of each branch and tag; undefined: all. */
  depth?: number | undefined;
  environment: NodeJS.ProcessEnv;
  limits: TransportLimits;
}

/** Where a clone comes from, and the git program with the limits of such work. */
export class CloneTransport {
  readonly #git: GitProgram;
  readonly #url: string;
  readonly #depth: number | undefined;
  readonly #environment: NodeJS.ProcessEnv;
  /** Of the first look, which alone may be led elsewhere on the same host. */
  readonly #lookEnvironment: NodeJS.ProcessEnv;
  readonly #limits: TransportLimits;

  /** `environment`: what its transport needs besides. */
  constructor({ git, url, helper, depth, environment, limits }: TransportOptions) {
    const remote = remoteOf(url);
    this.#git = git;
    this.#url = remote.url;
    this.#depth = depth;
    this.#limits = limits;
    if (helper !== undefined && !takesHelper(url)) throw new Error(helperNeedsHttps);
    const secrets = helper === undefined ? remote.secrets : [helperSetting(remote.url, helper)];
    const own = [...settings, ...secrets];
    const closed = [...own, ['http.followRedirects', 'false'] as const];
    this.#environment = { ...transportEnvironment(remote.protocols, closed), ...environment };
    // Git would send the password on to wherever it is led.
    const ofLook = transportEnvironment(remote.protocols, secrets.length > 0 ? closed : own);
    this.#lookEnvironment = { ...ofLook, ...environment };
  }

  /** Makes the clone beside its place and moves it there when it is complete. */
  async clone(
    paths: { partial: string; folder: string },
    { signal, onAnswer, onProgress }: TransferEvents & { onProgress(progress: CloneProgress): void },
  ): Promise<void> {
    const { url } = await this.#look(signal);
    onAnswer?.();
    await rm(paths.partial, { recursive: true, force: true });
    try {
      await this.#fill(paths.partial, {
        args: [
          'clone',
          '--bare',
          '--no-local',
          '--progress',
          '--template=',
          '--no-recurse-submodules',
          ...(this.#depth === undefined ? [] : [`--depth=${this.#depth}`, '--no-single-branch']),
          '--',
          url,
          paths.partial,
        ],
        signal,
        onProgress: (line) => {
          const progress = progressIn(line);
          if (progress) onProgress(progress);
          return progress !== undefined || line.startsWith('Cloning into ');
        },
      });
      await noteDepth(paths.partial, this.#depth);
      await rename(paths.partial, paths.folder);
    } finally {
      await rm(paths.partial, { recursive: true, force: true });
    }
  }

  /**
   * Brings branches, tags and HEAD to where they are at the other side; what is gone there goes here. The history begins where it began
   * before, unless another depth is wanted now.
   */
  async fetch(folder: string, { signal, onAnswer }: TransferEvents): Promise<void> {
    const gitFolder = `--git-dir=${folder}`;
    const { url, branch } = await this.#look(signal);
    onAnswer?.();
    await this.#fill(folder, {
      args: [
        gitFolder,
        'fetch',
        '--quiet',
        '--prune',
        '--force',
        '--no-recurse-submodules',
        '--no-write-fetch-head',
        ...changeOfDepth(folder, this.#depth),
        '--',
        url,
        ...refspecs,
      ],
      signal,
    });
    if (branch !== undefined) await this.#run({ args: [gitFolder, 'symbolic-ref', 'HEAD', branch], signal });
    await noteDepth(folder, this.#depth);
  }

  async #fill(folder: string, command: OneCommand): Promise<void> {
    const { signal } = command;
    await withinBytes({ folder, limits: this.#limits, signal }, (within) => this.#run({ ...command, signal: within }));
  }

  /** Where to take it from and the branch that HEAD names there, before anything is taken. Throws where that is too much or elsewhere. */
  async #look(signal: AbortSignal): Promise<{ url: string; branch: string | undefined }> {
    const { refs: most } = this.#limits;
    const memoryBytes = Math.min(this.#limits.memoryBytes, lookMemoryBytes);
    const args = ['ls-remote', '--symref', '--', this.#url, 'HEAD', 'refs/heads/*', 'refs/tags/*'];
    let url = this.#url;
    const onWarnings = (text: string): void => {
      const target = /^warning: redirecting to (\S+)$/m.exec(text)?.[1];
      if (target !== undefined) url = redirected(this.#url, target);
    };
    const output = this.#git.stream({ args, environment: this.#lookEnvironment, memoryBytes, signal, onWarnings });
    let refs = 0;
    let branch: string | undefined;
    for await (const lines of linesOf(output)) {
      refs += lines.length;
      if (refs > most) throw new Error(`it has more than ${most} refs; remove some there, or raise the setting "refs"`);
      branch ??= lines
        .map((line) => /^ref: (refs\/heads\/\S+)\tHEAD$/.exec(line)?.[1])
        .find((name) => name !== undefined);
    }
    return { url, branch };
  }

  #run(command: OneCommand): Promise<Buffer> {
    const { memoryBytes } = this.#limits;
    return this.#git.run({ ...command, environment: this.#environment, memoryBytes });
  }
}

/** Only a whole transfer tells it, and the next one would tell the same. */
export class TooManyStarts extends Error {
  override readonly name = 'TooManyStarts';

  constructor() {
    super('its history begins with too many commits, of many branches or tags; leave "depth" out, or raise it');
  }
}

const depthFile = (folder: string): string => join(folder, 'sextant-depth');

/** The depth with which a clone was made; undefined for one with all history. */
export function depthOf(folder: string): number | undefined {
  const noted = readNote(depthFile(folder));
  return noted === undefined ? undefined : Number(noted);
}

/** Notes it once the clone is so. Throws where git would take too long to read where the history begins. */
async function noteDepth(folder: string, depth: number | undefined): Promise<void> {
  const bytes = statSync(join(folder, 'shallow'), { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > maxShallowBytes) throw new TooManyStarts();
  if (depth === undefined) await rm(depthFile(folder), { force: true });
  else if (depthOf(folder) !== depth) await writeFile(depthFile(folder), String(depth), { mode: 0o600 });
}

function changeOfDepth(folder: string, wanted: number | undefined): string[] {
  if (depthOf(folder) === wanted) return [];
  if (wanted !== undefined) return [`--depth=${wanted}`];
  return existsSync(join(folder, 'shallow')) ? ['--unshallow'] : [];
}

/** Others than the operator named would otherwise decide whose code is shown here: that of another host near this server, say. */
function redirected(from: string, to: string): string {
  const [here, there] = [new URL(from), new URL(to)];
  const isSecured = here.protocol === 'http:' && there.protocol === 'https:' && there.host === here.hostname;
  if (isSecured || (there.protocol === here.protocol && there.host === here.host)) return to;
  throw new Error(`it leads to another host, ${there.origin}; if that is meant, configure its URL there`);
}
