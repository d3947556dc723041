import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CloneInfo } from '@sextant/contracts';
import type { Logger, ServiceFailure } from '@sextant/core';
import { Boundary } from './boundary.ts';
import type { Clones } from './clones.ts';
import type { Access, ConfiguredRepository } from './config.ts';
import { scan } from './discovery.ts';
import type { FoundRepository, ScanLimits } from './discovery.ts';
import { GitFolder, commonFolderOf } from './git-folder.ts';
import { linkedFolderOf } from './linked-folder.ts';
import type { PreparedFolders } from './prepared-folders.ts';
import { readRegular } from './regular-file.ts';
import { nameOfURL, remoteOf } from './remote-url.ts';
import type { RepositoryFormats } from './repository-format.ts';
import { ServedStorage } from './served-storage.ts';
import type { StorageLimits } from './storage.ts';

/** One repository as the configuration and the disk describe it. */
export interface CatalogEntry {
  readonly name: string;
  /** Where it stands, for operators. */
  readonly place: string;
  readonly access: Access | undefined;
  readonly description: string;
  readonly isArchived: boolean;
  readonly isFork: boolean;
  /** Names and globs of the branches to index besides the default branch. */
  readonly branches: readonly string[];
  /** Undefined for one that is read where it stands. */
  clone(): CloneInfo | undefined;
  /** Undefined while it is not cloned yet. */
  folder(): GitFolder | undefined;
}

export interface CatalogOptions {
  repositories: readonly ConfiguredRepository[];
  /** Folders outside the scanned ones from which repositories may borrow objects. */
  sharedObjectStores: readonly string[];
  configFolder: string;
  /** Holds what is ours: nothing there is served because somebody else's repository leads to it. */
  dataFolder: string;
  limits: ScanLimits & StorageLimits;
  formats: RepositoryFormats;
  folders: PreparedFolders;
  clones: Clones;
  log: Logger;
}

/** All repositories that are served, by name. Scanned again, it follows what came and went on disk. */
export class Catalog {
  readonly #options: CatalogOptions;
  #folders: ReadonlyMap<string, GitFolder> = new Map();
  #entries: ReadonlyMap<string, CatalogEntry> = new Map();
  #failures: readonly ServiceFailure[] = [];
  #scanning: Promise<void> | undefined;
  #reported = '';

  private constructor(options: CatalogOptions) {
    this.#options = options;
  }

  /** Throws for two repositories to which the configuration gives one name. */
  static async open(options: CatalogOptions): Promise<Catalog> {
    const catalog = new Catalog(options);
    const scanned = await catalog.#scan();
    if (scanned.conflict !== undefined) throw new Error(scanned.conflict);
    catalog.#accept(scanned);
    return catalog;
  }

  find(name: string): CatalogEntry | undefined {
    return this.#entries.get(name);
  }

  /** In the order of their names. */
  all(): CatalogEntry[] {
    return [...this.#entries.values()];
  }

  /** What cannot be served, for operators: it names places on disk. */
  failures(): ServiceFailure[] {
    const refused = this.all().flatMap((entry): ServiceFailure[] => {
      const failure = entry.folder()?.failure;
      return failure ? [{ name: entry.name, ...failure }] : [];
    });
    return [...this.#failures, ...refused];
  }

  /** Looks again; a scan that is under way is waited for instead. */
  rescan(): Promise<void> {
    this.#scanning ??= this.#scan()
      .then((scanned) => this.#accept(scanned))
      .finally(() => (this.#scanning = undefined));
    return this.#scanning;
  }

  /** Looks at the files of every repository, so that those that cannot be served are named before somebody asks for them. */
  async inspect(): Promise<void> {
    const folders = this.#folders.values();
    const inspectNext = async (): Promise<void> => {
      for (const folder of folders) await folder.inspect();
    };
    await Promise.all(Array.from({ length: inspectionsAtOnce }, inspectNext));
  }

  async #scan(): Promise<Scanned> {
    const roots = await this.#roots();
    const folders = new Map<string, GitFolder>();
    const failures: ServiceFailure[] = [];
    const found: Candidate[] = [];
    for (const [index, configured] of this.#options.repositories.entries())
      if (configured.url !== undefined) found.push({ entry: this.#remote(configured, configured.url), isNamed: true });
      else {
        const boundary = await this.#boundary(configured, roots);
        const path = resolve(this.#options.configFolder, configured.path ?? '.');
        const scanned = await scan({ path, name: configured.name, boundary }, this.#options.limits);
        failures.push(...scanned.failures);
        for (const repository of scanned.found) {
          const folder = this.#folder({ repository, boundary, index, failures });
          if (!folder) continue;
          folders.set(folder.key, folder.folder);
          found.push({ entry: localEntry(configured, repository, folder.folder), isNamed: repository.isNamed });
        }
      }
    return { folders, ...unique(found, failures), failures };
  }

  /** The real paths of the folders of the configuration, each with who may read what is there. */
  async #roots(): Promise<Root[]> {
    const { repositories, configFolder, dataFolder } = this.#options;
    const paths = repositories.flatMap(({ path, access }) => (path === undefined ? [] : [{ path, access }]));
    const roots = paths.map(async ({ path, access }) => ({
      path: await realPath(resolve(configFolder, path)),
      access,
    }));
    return Promise.all([...roots, realPath(dataFolder).then((path) => ({ path, access: 'ours' as const }))]);
  }

  /** What others may read does not become readable because it is reached from here. */
  async #boundary({ path = '.', access }: ConfiguredRepository, roots: readonly Root[]): Promise<Boundary> {
    const { configFolder, sharedObjectStores } = this.#options;
    const root = await realPath(resolve(configFolder, path));
    const shared = await Promise.all(sharedObjectStores.map((store) => realPath(resolve(configFolder, store))));
    const linked = linkedFolderOf(root);
    const foreign = roots.filter((other) => !isDeepStrictEqual(other.access, access)).map((other) => other.path);
    return new Boundary({ own: [root, ...shared, ...(linked === undefined ? [] : [linked])], foreign });
  }

  /** Undefined for one whose data is elsewhere. */
  #folder({ repository, boundary, index, failures }: FolderRequest): { key: string; folder: GitFolder } | undefined {
    const { name, place, gitFolder } = repository;
    const commonPath = commonFolderOf(gitFolder);
    if (!boundary.holds(gitFolder) || !boundary.holds(commonPath)) {
      failures.push({
        name,
        reason: `${JSON.stringify(place)} is not served: its data is in ${JSON.stringify(commonPath)}, outside the folder that is served; move it, or allow that path with "sharedObjectStores"`,
      });
      return undefined;
    }
    const key = [index, gitFolder, commonPath].join('\0');
    const known = this.#folders.get(key);
    if (known) return { key, folder: known };
    const { limits, formats, folders, log } = this.#options;
    const storage = new ServedStorage({
      place: { ownPath: gitFolder, commonPath, boundary },
      limits,
      formats,
      folder: folders.make(),
      onChange: (reason) => {
        if (reason === undefined) log.info({ repository: name }, 'a repository is served again');
        else log.warn({ repository: name, reason }, 'a repository is not served');
      },
    });
    return { key, folder: new GitFolder(gitFolder, storage) };
  }

  #remote(configured: ConfiguredRepository, url: string): CatalogEntry {
    const name = configured.name ?? nameOfURL(url);
    const clone = this.#options.clones.of(name, url);
    const place = remoteOf(url).url;
    return {
      ...common(configured),
      name,
      place,
      description: configured.description ?? '',
      clone: () => ({ state: clone.state, ...(clone.fetched !== undefined && { fetched: clone.fetched }) }),
      folder: () => clone.folder(),
    };
  }

  #accept({ entries, folders, failures }: Scanned): void {
    const reasons = failures.map(({ reason }) => reason);
    // Said once, not at every scan.
    if (reasons.join() !== this.#reported) for (const reason of reasons) this.#options.log.warn({}, reason);
    this.#reported = reasons.join();
    this.#failures = failures;
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
    for (const [key, folder] of this.#folders) if (folders.get(key) !== folder) void folder.close();
    this.#folders = folders;
  }
}

const inspectionsAtOnce = 4;

interface Scanned {
  entries: readonly CatalogEntry[];
  folders: ReadonlyMap<string, GitFolder>;
  failures: readonly ServiceFailure[];
  /** Why the server must not start with it. */
  conflict: string | undefined;
}

interface Candidate {
  entry: CatalogEntry;
  /** Whether the configuration gives it its name, and not a folder that others may write to. */
  isNamed: boolean;
}

interface Root {
  path: string;
  access: Access | undefined | 'ours';
}

interface FolderRequest {
  repository: FoundRepository;
  boundary: Boundary;
  /** Of the entry of the configuration. */
  index: number;
  failures: ServiceFailure[];
}

/** In the order of their names. Of two with one name the first stays, or the one that the configuration names. */
function unique(
  candidates: readonly Candidate[],
  failures: ServiceFailure[],
): { entries: CatalogEntry[]; conflict: string | undefined } {
  const byName = new Map<string, Candidate>();
  let conflict: string | undefined;
  for (const candidate of [...candidates].sort((a, b) => Number(b.isNamed) - Number(a.isNamed))) {
    const { entry, isNamed } = candidate;
    const other = byName.get(entry.name);
    if (!other) {
      byName.set(entry.name, candidate);
      continue;
    }
    const reason = `two repositories are named "${entry.name}": ${other.entry.place} and ${entry.place}; give one of them another name`;
    failures.push({ name: entry.name, reason });
    if (isNamed) conflict ??= reason;
  }
  const entries = [...byName.values()].map(({ entry }) => entry);
  return { entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)), conflict };
}

function localEntry(
  configured: ConfiguredRepository,
  { name, place }: FoundRepository,
  folder: GitFolder,
): CatalogEntry {
  const description = configured.description ?? ownDescription(folder);
  return { ...common(configured), name, place, description, clone: () => undefined, folder: () => folder };
}

const common = ({
  access,
  archived,
  fork,
  branches,
}: ConfiguredRepository): Pick<CatalogEntry, 'access' | 'isArchived' | 'isFork' | 'branches'> => ({
  access,
  branches,
  isArchived: archived,
  isFork: fork,
});

const maxDescriptionBytes = 4096;

/** What git's `description` file says, unless that is git's own placeholder. */
function ownDescription({ commonPath }: GitFolder): string {
  const text = readRegular(join(commonPath, 'description'), maxDescriptionBytes)?.toString('utf8') ?? '';
  return text.startsWith('Unnamed repository') ? '' : text.trim().slice(0, 1000);
}

/** The path itself where there is nothing. */
const realPath = (path: string): Promise<string> => realpath(path).catch(() => path);
