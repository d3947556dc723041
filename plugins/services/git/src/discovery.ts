import { realpath, readdir, stat } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { messageOf } from '@sextant/core';
import { gitFolderOf, nameOfFolder } from './git-folder.ts';
import { nameProblem } from './repository-name.ts';

export interface ScanLimits {
  depth: number;
  folders: number;
}

export interface FoundRepository {
  readonly name: string;
  /** As it was found, for messages. */
  readonly place: string;
  readonly gitFolder: string;
}

export interface Scan {
  readonly found: readonly FoundRepository[];
  /** What could not be looked into or served, for the log. */
  readonly problems: readonly string[];
}

/** Folders that are large and hold no repositories of their own. */
const skipped = new Set(['node_modules', '.git']);

/**
 * Finds the repositories at a path: the one that stands there, or those below it, each named by its path from there.
 * Throws when there is no such folder.
 */
export async function scan(path: string, limits: ScanLimits, name?: string): Promise<Scan> {
  const status = await stat(path).catch(() => undefined);
  if (!status?.isDirectory()) throw new Error(`there is no folder ${path}`);
  const own = gitFolderOf(path);
  if (own !== undefined)
    return { found: [{ name: name ?? nameOfFolder(path), place: path, gitFolder: own }], problems: [] };
  return new FolderScan(path, limits, name).run();
}

/** One walk through a folder, level by level, so that what is near is found when a limit ends it. */
class FolderScan {
  readonly #root: string;
  readonly #limits: ScanLimits;
  readonly #prefix: string;
  readonly #found: FoundRepository[] = [];
  readonly #problems: string[] = [];
  /** Real paths that were looked into: a link back into one of them is not followed. */
  readonly #visited = new Set<string>();
  #isFull = false;

  constructor(root: string, limits: ScanLimits, name: string | undefined) {
    this.#root = root;
    this.#limits = limits;
    this.#prefix = name === undefined ? '' : `${name}/`;
  }

  async run(): Promise<Scan> {
    this.#visited.add(await realpath(this.#root));
    let level = [this.#root];
    for (let depth = 1; level.length > 0 && depth <= this.#limits.depth; depth += 1) {
      const next: string[] = [];
      for (const folder of level) next.push(...(await this.#lookInto(folder)));
      level = next;
    }
    if (level.length > 0)
      this.#problems.push(`folders deeper than ${this.#limits.depth} below ${this.#root} were not scanned`);
    return { found: this.#found, problems: this.#problems };
  }

  /** Records the repositories in a folder; answers the folders to look into next. */
  async #lookInto(folder: string): Promise<string[]> {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      this.#problems.push(messageOf(error));
      return [];
    });
    const next: string[] = [];
    for (const entry of entries.filter(isCandidate).sort(linksLast)) {
      const child = join(folder, entry.name);
      try {
        if (await this.#isNewFolder(child)) this.#record(child, next);
      } catch (error) {
        this.#problems.push(messageOf(error));
      }
    }
    return next;
  }

  async #isNewFolder(path: string): Promise<boolean> {
    if (this.#visited.size > this.#limits.folders) return this.#refuseMore();
    const real = await realpath(path);
    if (this.#visited.has(real) || !(await stat(real)).isDirectory()) return false;
    this.#visited.add(real);
    return true;
  }

  #refuseMore(): false {
    if (!this.#isFull)
      this.#problems.push(`more than ${this.#limits.folders} folders below ${this.#root}; the others were not scanned`);
    this.#isFull = true;
    return false;
  }

  #record(path: string, next: string[]): void {
    const gitFolder = gitFolderOf(path);
    if (gitFolder === undefined) {
      if (!basename(path).startsWith('.')) next.push(path);
      return;
    }
    const name =
      this.#prefix +
      relative(this.#root, path)
        .split(sep)
        .join('/')
        .replace(/(?<=[^/])\.git$/, '');
    const problem = nameProblem(name);
    if (problem === undefined) this.#found.push({ name, place: path, gitFolder });
    else this.#problems.push(`${JSON.stringify(path)} is not served: its name ${problem}`);
  }
}

const isCandidate = (entry: Dirent): boolean =>
  (entry.isDirectory() || entry.isSymbolicLink()) && !skipped.has(entry.name);

/** A folder is served under its own path rather than under that of a link to it. */
const linksLast = (a: Dirent, b: Dirent): number =>
  Number(a.isSymbolicLink()) - Number(b.isSymbolicLink()) || (a.name < b.name ? -1 : 1);
