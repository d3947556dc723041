import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { SextantError } from '@sextant/core';
import { signatureOf, stateOf } from './file-signature.ts';
import { readRegular } from './regular-file.ts';
import { changing } from './served-storage.ts';
import type { ServedStorage } from './served-storage.ts';
import { ShallowFile } from './shallow-file.ts';
import type { HistoryStart } from './shallow-file.ts';

let generations = 0;
const maxAgeMs = 1000;
/** So often what is read is read again because the repository changed meanwhile. */
const mostReads = 4;
/** More than a file has that names a ref or a folder. */
const maxPointerBytes = 4096;
/** Longest revision, in characters. A ref with a longer name can be asked for by nobody, and is shown nowhere. */
export const maxRevision = 1000;

/** Where one repository is on disk: its own folder, and the one that it shares with its work trees. */
export class GitFolder {
  /** The folder with its HEAD. */
  readonly ownPath: string;
  /** The folder with its refs and objects: the same, but for a linked work tree. */
  readonly commonPath: string;
  readonly #served: ServedStorage | undefined;
  readonly #objects: string;
  readonly #shallow: ShallowFile;
  #identity = '';
  #key = '';
  #branch: { readonly name: string; readonly readAt: number } | undefined;
  #head: { readonly signature: string; readonly ref: string | undefined } | undefined;

  /** `served` guards a repository that others may write to; one of our own needs no guard. */
  constructor(path: string, served?: ServedStorage) {
    this.ownPath = path;
    this.commonPath = commonFolderOf(path);
    this.#served = served;
    this.#objects = join(this.commonPath, 'objects');
    this.#shallow = new ShallowFile(join(this.commonPath, 'shallow'));
  }

  /** What git is given. Throws `unavailable` unless it was prepared. */
  get path(): string {
    return this.#served ? this.#served.path : this.ownPath;
  }

  /** Why it is not served. */
  get failure(): { reason: string; since: string } | undefined {
    return this.#served?.failure;
  }

  /** To be waited for before git reads it. Throws `unavailable` when it has gone, and when its files are not in order. */
  async prepare(): Promise<void> {
    this.cacheKey();
    await this.#served?.prepare();
  }

  /** Another number when its files may be others than those that were looked at before. */
  get state(): number {
    return this.#served?.state ?? 0;
  }

  /** Whether nothing has changed since it was in that state: not even to something else and back. */
  isStill(state: number): boolean {
    return this.#served?.isStill(state) ?? true;
  }

  /**
   * Reads what names stand for, and reads again if something changed meanwhile. Git follows paths, which could be
   * switched to another repository and back between our check and its reading. Reading by hash needs no such care.
   */
  async steadily<T>(read: () => Promise<T>): Promise<T> {
    for (let reads = 0; reads < mostReads; reads += 1) {
      await this.prepare();
      const { state } = this;
      const outcome = await read().then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      if (!this.isStill(state)) continue;
      if ('error' in outcome) throw outcome.error;
      return outcome.value;
    }
    throw changing();
  }

  /** Looks at all its files again, however little seems to have changed. */
  async inspect(): Promise<void> {
    await this.#served?.inspect();
  }

  /** Once it is no longer served. */
  async close(): Promise<void> {
    await this.#served?.close();
  }

  /**
   * A key for what is cached of the repository. Another one when something else has taken its place, and when its history begins
   * elsewhere. Throws `unavailable` when it has gone.
   */
  cacheKey(): string {
    const stat = stateOf(this.#objects);
    if (!stat) throw new SextantError('unavailable', 'the repository is no longer where it was');
    // The number of a folder that was removed is soon given to another.
    const identity = `${stat.ino} ${stat.birthtimeNs} ${this.#served?.generation ?? ''} ${this.historyStart.id}`;
    if (identity !== this.#identity) {
      this.#identity = identity;
      generations += 1;
      this.#key = `${generations}:`;
    }
    return this.#key;
  }

  /** Where its history begins, if it is a shallow clone. Of a served one that was looked at, as `prepare` does. */
  get historyStart(): HistoryStart {
    return this.#served ? this.#served.historyStart : this.#shallow.read();
  }

  /** Short name of the branch that HEAD names, as of a second ago at most; empty where there is none that can be asked for. */
  defaultBranch(): string {
    if (this.#branch && performance.now() - this.#branch.readAt < maxAgeMs) return this.#branch.name;
    this.#branch = { name: this.#readBranch(), readAt: performance.now() };
    return this.#branch.name;
  }

  #readBranch(): string {
    try {
      return this.headBranch() ?? '';
    } catch {
      // One broken repository must not hide the others from a list.
      return '';
    }
  }

  /** Short name of the branch that HEAD names; undefined where there is none that can be asked for. Throws as `headRef` does. */
  headBranch(): string | undefined {
    const name = this.headRef()?.replace(/^refs\/heads\//, '');
    return name === undefined || name.length > maxRevision ? undefined : name;
  }

  /** The ref that HEAD names; undefined while it is detached. Throws `unavailable` when there is no HEAD. */
  headRef(): string | undefined {
    const file = join(this.ownPath, 'HEAD');
    const signature = signatureOf([file]);
    if (this.#head?.signature === signature.text) return this.#head.ref;
    const ref = /^ref: *(refs\/\S+)/.exec(readHead(file))?.[1];
    this.#head = signature.isSettled ? { signature: signature.text, ref } : undefined;
    return ref;
  }
}

/** The git folder of a bare repository, a work tree or a linked work tree, as its real path; undefined for any other folder. */
export function gitFolderOf(folder: string): string | undefined {
  const inside = join(folder, '.git');
  const candidates = [inside, pointedTo(inside), folder];
  const found = candidates.find((each) => each !== undefined && isGitFolder(each));
  return found === undefined ? undefined : realpathSync.native(found);
}

/** The name of a repository that is served for itself: its folder's, without `.git`. */
export const nameOfFolder = (folder: string): string =>
  basename(basename(folder) === '.git' ? dirname(folder) : folder).replace(/(?<=.)\.git$/, '');

/** The folder of the refs and objects of a linked work tree, by its real path; the git folder itself for all others. */
export function commonFolderOf(gitFolder: string): string {
  const pointer = textOf(join(gitFolder, 'commondir'))?.trim();
  return realPath(pointer === undefined ? gitFolder : resolve(gitFolder, pointer));
}

/** The folder to which the `.git` file of a linked work tree or submodule leads. */
export function pointedTo(file: string): string | undefined {
  const path = /^gitdir: (.+)$/m.exec(textOf(file) ?? '')?.[1];
  return path === undefined ? undefined : resolve(dirname(file), path);
}

function isGitFolder(folder: string): boolean {
  // Whatever stands in place of a file is looked at later, and named.
  if (!isThere(join(folder, 'HEAD'))) return false;
  const common = commonFolderOf(folder);
  return ['objects', 'refs'].every((name) => stateOf(join(common, name))?.isDirectory() ?? false);
}

/** Whatever it is: a link counts even where it leads nowhere. */
function isThere(file: string): boolean {
  try {
    return !lstatSync(file).isDirectory();
  } catch {
    return false;
  }
}

/** A short text; undefined unless a regular file has it. */
const textOf = (file: string): string | undefined => readRegular(realFolder(file), maxPointerBytes)?.toString('utf8');

const realFolder = (file: string): string => join(realPath(dirname(file)), basename(file));

/** The path itself where there is nothing. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function readHead(file: string): string {
  const text = readRegular(file, maxPointerBytes)?.toString('utf8');
  if (text === undefined) throw new SextantError('unavailable', 'the repository is no longer where it was');
  return text;
}
