import { realpath, readdir, stat } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { messageOf, oneLine } from '@sextant/core';
import type { ServiceFailure } from '@sextant/core';
import type { Boundary } from './boundary.ts';
import { gitFolderOf, nameOfFolder, pointedTo } from './git-folder.ts';
import { repositoryNameProblem } from '@sextant/contracts';

export interface ScanLimits {
  depth: number;
  folders: number;
}

export interface FoundRepository {
  readonly name: string;
  /** As it was found, for messages. */
  readonly place: string;
  readonly gitFolder: string;
  /** Whether the operator named it, and not a folder that it was found in. */
  readonly isNamed: boolean;
}

export interface Scan {
  readonly found: readonly FoundRepository[];
  /** What could not be looked into or served. */
  readonly failures: readonly ServiceFailure[];
}

export interface ScannedFolder {
  /** A repository, or a folder that may hold some. */
  path: string;
  /** What was configured as its name. */
  name: string | undefined;
  /** Where what is found there may be. */
  boundary: Boundary;
}

/** Folders that are large and hold no repositories of their own. */
const skipped = new Set(['node_modules', '.git']);

/** More failures than that are counted, not named. */
const maxFailures = 1000;

/** Finds the repositories at a path: the one that stands there, or those below it, each named by its path from there. */
export async function scan(folder: ScannedFolder, limits: ScanLimits): Promise<Scan> {
  const { path, name } = folder;
  const status = await stat(path).catch(() => undefined);
  if (!status?.isDirectory()) {
    const reason = `there is no folder ${path}; make it, or correct the configuration`;
    return { found: [], failures: [{ name: path, reason }] };
  }
  const gitFolder = gitFolderOf(path);
  if (gitFolder === undefined) {
    const { found, failures } = await new FolderScan(folder, limits).run();
    return { found, failures: [...pointsNowhere(path), ...failures] };
  }
  return { found: [{ name: name ?? nameOfFolder(path), place: path, gitFolder, isNamed: true }], failures: [] };
}

/** One walk through a folder, level by level, so that what is near is found when a limit ends it. */
class FolderScan {
  readonly #root: string;
  readonly #limits: ScanLimits;
  readonly #prefix: string;
  readonly #boundary: Boundary;
  readonly #found: FoundRepository[] = [];
  readonly #failures: ServiceFailure[] = [];
  #unnamed = 0;
  /** Real paths that were looked into: a link back into one of them is not followed. */
  readonly #visited = new Set<string>();
  #isFull = false;

  constructor({ path, name, boundary }: ScannedFolder, limits: ScanLimits) {
    this.#root = path;
    this.#limits = limits;
    this.#prefix = name === undefined ? '' : `${name}/`;
    this.#boundary = boundary;
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
      this.#fail(this.#root, `folders deeper than ${this.#limits.depth} below ${this.#root} were not scanned`);
    if (this.#unnamed > 0)
      this.#failures.push({ name: this.#root, reason: `${this.#unnamed} more problems below ${this.#root}` });
    return { found: this.#found, failures: this.#failures };
  }

  #fail(path: string, reason: string): void {
    if (this.#failures.length < maxFailures) this.#failures.push({ name: oneLine(path), reason: oneLine(reason) });
    else this.#unnamed += 1;
  }

  /** Records the repositories in a folder; answers the folders to look into next. */
  async #lookInto(folder: string): Promise<string[]> {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      this.#fail(folder, messageOf(error));
      return [];
    });
    const next: string[] = [];
    for (const entry of entries.filter(isCandidate).sort(linksLast)) {
      const child = join(folder, entry.name);
      try {
        if (await this.#isNewFolder(child, entry)) this.#record(child, next);
      } catch (error) {
        this.#fail(child, messageOf(error));
      }
    }
    return next;
  }

  async #isNewFolder(path: string, entry: Dirent): Promise<boolean> {
    if (this.#visited.size > this.#limits.folders) return this.#refuseMore();
    const real = await realpath(path);
    if (this.#visited.has(real) || !(await stat(real)).isDirectory()) return false;
    if (!this.#boundary.holds(real)) return this.#refuseOutside(path, real, entry);
    this.#visited.add(real);
    return true;
  }

  /** A folder that is no link belongs to another entry of the configuration, or is our own. */
  #refuseOutside(path: string, real: string, entry: Dirent): false {
    if (entry.isSymbolicLink())
      this.#fail(
        path,
        `${JSON.stringify(path)} is not served: it leads to ${JSON.stringify(real)}, outside the folder that is scanned; remove it, or allow that path with "sharedObjectStores"`,
      );
    return false;
  }

  #refuseMore(): false {
    if (!this.#isFull)
      this.#fail(
        this.#root,
        `more than ${this.#limits.folders} folders below ${this.#root}; the others were not scanned`,
      );
    this.#isFull = true;
    return false;
  }

  #record(path: string, next: string[]): void {
    const gitFolder = gitFolderOf(path);
    if (gitFolder === undefined) {
      for (const { name, reason } of pointsNowhere(path)) this.#fail(name, reason);
      if (!basename(path).startsWith('.')) next.push(path);
      return;
    }
    const name =
      this.#prefix +
      relative(this.#root, path)
        .split(sep)
        .join('/')
        .replace(/(?<=[^/])\.git$/, '');
    const problem = repositoryNameProblem(name);
    if (problem === undefined) this.#found.push({ name, place: path, gitFolder, isNamed: false });
    else this.#fail(path, `${JSON.stringify(path)} is not served: its name ${problem}`);
  }
}

/** A work tree whose `.git` is a file, and leads to no repository. */
function pointsNowhere(path: string): ServiceFailure[] {
  const pointed = pointedTo(join(path, '.git'));
  if (pointed === undefined) return [];
  const reason = `${JSON.stringify(path)} is not served: its .git is a file that leads to ${JSON.stringify(pointed)}, where no git repository is; correct that file, or remove it`;
  return [{ name: oneLine(path), reason: oneLine(reason) }];
}

const isCandidate = (entry: Dirent): boolean =>
  (entry.isDirectory() || entry.isSymbolicLink()) && !skipped.has(entry.name);

/** A folder is served under its own path rather than under that of a link to it. */
const linksLast = (a: Dirent, b: Dirent): number =>
  Number(a.isSymbolicLink()) - Number(b.isSymbolicLink()) || (a.name < b.name ? -1 : 1);
