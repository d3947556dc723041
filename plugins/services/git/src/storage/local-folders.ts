import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { RepositoryAccess } from '@sextant/contracts';
import type { Logger, ServiceFailure } from '@sextant/core';
import type { ConfiguredRepository } from '../config.ts';
import { Boundary } from './boundary.ts';
import type { FoundRepository } from './discovery.ts';
import { GitFolder, commonFolderOf, pointedTo } from './git-folder.ts';
import type { PreparedFolders } from './prepared-folder.ts';
import { readRegular } from './regular-file.ts';
import type { RepositoryFormats } from './repository-format.ts';
import { ServedStorage } from './served-storage.ts';
import type { StorageLimits, StoragePlace } from './storage.ts';

export interface LocalFoldersOptions {
  repositories: readonly ConfiguredRepository[];
  /** Folders outside the scanned ones from which repositories may borrow objects. */
  sharedObjectStores: readonly string[];
  configFolder: string;
  /** Holds what is ours: nothing there is served because somebody else's repository leads to it. */
  dataFolder: string;
  limits: StorageLimits;
  formats: RepositoryFormats;
  folders: PreparedFolders;
  log: Logger;
}

interface Root {
  path: string;
  access: RepositoryAccess | undefined | 'ours';
}

interface FolderRequest {
  repository: FoundRepository;
  boundary: Boundary;
  /** Of the entry of the configuration. */
  index: number;
}

/** The folders of repositories that are read where they stand, as one scan finds them. */
export class LocalFolders {
  /** By entry of the configuration and path. */
  readonly opened = new Map<string, GitFolder>();
  readonly #options: LocalFoldersOptions;
  readonly #roots: readonly Root[];
  readonly #before: ReadonlyMap<string, GitFolder>;

  private constructor(options: LocalFoldersOptions, roots: readonly Root[], before: ReadonlyMap<string, GitFolder>) {
    this.#options = options;
    this.#roots = roots;
    this.#before = before;
  }

  /** `before`: those that the scan before found. */
  static async open(options: LocalFoldersOptions, before: ReadonlyMap<string, GitFolder>): Promise<LocalFolders> {
    return new LocalFolders(options, await LocalFolders.#rootsOf(options), before);
  }

  /** The real paths of the folders of the configuration, each with who may read what is there. */
  static async #rootsOf({ repositories, configFolder, dataFolder }: LocalFoldersOptions): Promise<Root[]> {
    const paths = repositories.flatMap(({ path, access }) => (path === undefined ? [] : [{ path, access }]));
    const roots = paths.map(async ({ path, access }) => ({
      path: await realPath(resolve(configFolder, path)),
      access,
    }));
    return Promise.all([...roots, realPath(dataFolder).then((path) => ({ path, access: 'ours' as const }))]);
  }

  /** Where the data of a repository may be. Data with other access does not become readable by being reached from here. */
  async boundaryOf({ path = '.', access }: ConfiguredRepository): Promise<Boundary> {
    const { configFolder, sharedObjectStores } = this.#options;
    const root = await realPath(resolve(configFolder, path));
    const shared = await Promise.all(sharedObjectStores.map((store) => realPath(resolve(configFolder, store))));
    const linked = linkedFolderOf(root);
    const foreign = this.#roots.filter((other) => !isDeepStrictEqual(other.access, access)).map((other) => other.path);
    return new Boundary({ own: [root, ...shared, ...(linked === undefined ? [] : [linked])], foreign });
  }

  /** Where a repository is, or why it is not served. One that was open before is the same. */
  open({ repository, boundary, index }: FolderRequest): GitFolder | ServiceFailure {
    const { name, place, gitFolder } = repository;
    const commonPath = commonFolderOf(gitFolder);
    if (!boundary.holds(gitFolder) || !boundary.holds(commonPath))
      return {
        name,
        reason: `${JSON.stringify(place)} is not served: its data is in ${JSON.stringify(commonPath)}, outside the folder that is served; move it, or allow that path with "sharedObjectStores"`,
      };
    const key = [index, gitFolder, commonPath].join('\0');
    const folder =
      this.#before.get(key) ??
      new GitFolder(gitFolder, this.#storage(name, { ownPath: gitFolder, commonPath, boundary }));
    this.opened.set(key, folder);
    return folder;
  }

  #storage(repository: string, place: StoragePlace): ServedStorage {
    const { limits, formats, folders, log } = this.#options;
    return new ServedStorage({
      place,
      limits,
      formats,
      folder: folders.make(),
      onChange: (reason) => {
        if (reason === undefined) log.info({ repository }, 'a repository is served again');
        else log.warn({ repository, reason }, 'a repository is not served');
      },
    });
  }
}

/** The path itself where there is nothing. */
const realPath = (path: string): Promise<string> => realpath(path).catch(() => path);

const mostPointerBytes = 64 * 1024;

/**
 * The data folder of a work tree whose `.git` is a file, if that folder names the work tree in turn. Somebody who can
 * write only to the work tree cannot make another repository name it. Git writes these names for linked work trees
 * (`gitdir`) and for submodules (`core.worktree`).
 */
function linkedFolderOf(workTree: string): string | undefined {
  const file = join(workTree, '.git');
  const pointed = pointedTo(file);
  const gitFolder = pointed === undefined ? undefined : realPathNow(pointed);
  if (gitFolder === undefined) return undefined;
  const back = textOf(join(gitFolder, 'gitdir'))?.trim();
  const own = /^\s*worktree = (.+)$/m.exec(textOf(join(gitFolder, 'config')) ?? '')?.[1];
  const workTrees = [
    back === undefined ? undefined : dirname(resolve(gitFolder, back)),
    own && resolve(gitFolder, own),
  ];
  const isKnown = workTrees.some((path) => path !== undefined && realPathNow(path) === workTree);
  return isKnown ? commonFolderOf(gitFolder) : undefined;
}

const textOf = (file: string): string | undefined => readRegular(file, mostPointerBytes)?.toString('utf8');

/** Undefined where there is nothing. */
function realPathNow(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
