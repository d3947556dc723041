import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { SextantError } from '@sextant/core';
import { signatureOf } from './file-signature.ts';

let generations = 0;
const maxAgeMs = 1000;

/** Where one repository is on disk: its own folder, and the one that it shares with its work trees. */
export class GitFolder {
  readonly path: string;
  /** The same as `path` but for a linked work tree. */
  readonly commonPath: string;
  readonly #objects: string;
  #identity = '';
  #key = '';
  #branch: { readonly name: string; readonly readAt: number } | undefined;
  #head: { readonly signature: string; readonly ref: string | undefined } | undefined;

  constructor(path: string) {
    this.path = path;
    this.commonPath = commonFolderOf(path);
    this.#objects = join(this.commonPath, 'objects');
  }

  /**
   * A key for what is cached of the repository. Another one when something else has taken its place. Throws
   * `unavailable` when it has gone.
   */
  cacheKey(): string {
    // With big integers none of its dates are made: that is most of the time.
    const stat = statSync(this.#objects, { bigint: true, throwIfNoEntry: false });
    if (!stat) throw new SextantError('unavailable', 'the repository is no longer where it was');
    // The number of a folder that was removed is soon given to another.
    const identity = `${stat.ino} ${stat.birthtimeNs}`;
    if (identity !== this.#identity) {
      this.#identity = identity;
      generations += 1;
      this.#key = `${generations}:`;
    }
    return this.#key;
  }

  /** Short name of the branch that HEAD names, as of a second ago at most; empty while it is detached or unreadable. */
  defaultBranch(): string {
    if (this.#branch && performance.now() - this.#branch.readAt < maxAgeMs) return this.#branch.name;
    this.#branch = { name: this.#readBranch(), readAt: performance.now() };
    return this.#branch.name;
  }

  #readBranch(): string {
    try {
      return this.headRef()?.replace(/^refs\/heads\//, '') ?? '';
    } catch {
      // One broken repository must not hide the others from a list.
      return '';
    }
  }

  /** The ref that HEAD names; undefined while it is detached. Throws `unavailable` when there is no HEAD. */
  headRef(): string | undefined {
    const file = join(this.path, 'HEAD');
    const signature = signatureOf([file]);
    if (this.#head?.signature === signature.text) return this.#head.ref;
    const ref = /^ref: *(refs\/\S+)/.exec(readHead(file))?.[1];
    this.#head = signature.isSettled ? { signature: signature.text, ref } : undefined;
    return ref;
  }
}

/** The git folder of a bare repository, a work tree or a linked work tree; undefined for any other folder. */
export function gitFolderOf(folder: string): string | undefined {
  const inside = join(folder, '.git');
  const kind = statSync(inside, { throwIfNoEntry: false });
  if (kind?.isDirectory() && isGitFolder(inside)) return inside;
  if (kind?.isFile()) {
    const pointed = /^gitdir: (.+)$/m.exec(readSmall(inside))?.[1];
    if (pointed !== undefined && isGitFolder(resolve(folder, pointed))) return resolve(folder, pointed);
  }
  return isGitFolder(folder) ? folder : undefined;
}

/** The name of a repository that is served for itself: its folder's, without `.git`. */
export const nameOfFolder = (folder: string): string =>
  basename(basename(folder) === '.git' ? dirname(folder) : folder).replace(/(?<=.)\.git$/, '');

function isGitFolder(folder: string): boolean {
  if (!statSync(join(folder, 'HEAD'), { throwIfNoEntry: false })?.isFile()) return false;
  const common = commonFolderOf(folder);
  const isFolder = (name: string): boolean =>
    statSync(join(common, name), { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder('objects') && isFolder('refs');
}

function commonFolderOf(gitFolder: string): string {
  const pointer = join(gitFolder, 'commondir');
  if (!statSync(pointer, { throwIfNoEntry: false })?.isFile()) return gitFolder;
  return resolve(gitFolder, readSmall(pointer).trim());
}

const readSmall = (file: string): string => readFileSync(file, 'utf8').slice(0, 4096);

function readHead(file: string): string {
  try {
    return readSmall(file);
  } catch (cause) {
    throw new SextantError('unavailable', 'the repository is no longer where it was', { cause });
  }
}
