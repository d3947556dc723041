import { join, resolve } from 'node:path';
import type { CloneInfo, HostedRepositories, HostedRepository, RepositoryAccess } from '@sextant/contracts';
import type { Placement } from '@sextant/contracts/nodes';
import { SextantError } from '@sextant/core';
import type { ServiceFailure } from '@sextant/core';
import type { Clone } from '../clones/clone.ts';
import type { Clones } from '../clones/clones.ts';
import { nameOfURL, remoteOf } from '../clones/remote-url.ts';
import type { ConfiguredRepository } from '../config.ts';
import { scan } from '../storage/discovery.ts';
import type { FoundRepository, ScanLimits } from '../storage/discovery.ts';
import { GitFolder } from '../storage/git-folder.ts';
import { LocalFolders } from '../storage/local-folders.ts';
import type { LocalFoldersOptions } from '../storage/local-folders.ts';
import { readRegular } from '../storage/regular-file.ts';
import { refusal } from '../storage/served-storage.ts';
import type { StorageLimits } from '../storage/storage.ts';

/** One repository as the configuration and the disk describe it. */
export interface CatalogEntry {
  readonly name: string;
  /** Where it stands, for operators. */
  readonly place: string;
  readonly access: RepositoryAccess | undefined;
  /** Of one that a code host lists: the host says who may read it, and `access` says nothing. */
  readonly hosted?: HostedRepository;
  readonly description: string;
  readonly isArchived: boolean;
  readonly isFork: boolean;
  /** Names and globs of the branches to index besides the default branch. */
  readonly branches: readonly string[];
  /** Whether some signed-in users may not read it. */
  readonly isPrivate: boolean;
  /** Undefined for one that is read where it stands. */
  clone(): CloneInfo | undefined;
  /** Notes that a call names it: a clone is evicted last, and made again where it was. */
  touch(): void;
  /** Brings the clone up to date, where it is one. */
  fetch(): void;
  /** Makes a clone again whose files are gone. */
  checkLoss(): void;
  /** Undefined while it is not cloned yet. */
  folder(): GitFolder | undefined;
}

export interface CatalogOptions extends LocalFoldersOptions {
  limits: ScanLimits & StorageLimits;
  clones: Clones;
  /** The repositories of code hosts. */
  hosted?: HostedRepositories | undefined;
  /** Of a code node: what it owns. The rest of the configuration is not looked at. */
  placement?: Placement | undefined;
}

/** All repositories that are served, by name. Scanned again, it follows what came and went on disk. */
export class Catalog {
  readonly #options: CatalogOptions;
  #folders: ReadonlyMap<string, GitFolder> = new Map();
  #entries: ReadonlyMap<string, CatalogEntry> = new Map();
  /** What the configuration and the disk gave last. */
  #found: Found = { candidates: [], failures: [] };
  #hosted: ReadonlyMap<string, CatalogEntry> = new Map();
  #formerNames: ReadonlyMap<string, string> = new Map();
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
    const { conflict } = unique(scanned.candidates, []);
    if (conflict !== undefined) throw new Error(conflict);
    catalog.#accept(scanned);
    return catalog;
  }

  find(name: string): CatalogEntry | undefined {
    return this.#entries.get(name);
  }

  /** The repository of a code host that had a name before. */
  findFormer(name: string): CatalogEntry | undefined {
    return this.#entries.get(this.#formerNames.get(name) ?? '');
  }

  /** Takes over what code hosts list now. Answers the repositories that changed there, the newest first. */
  followHosts(): CatalogEntry[] {
    const { hosted, clones } = this.#options;
    const before = this.#hosted;
    const listed = hosted?.all() ?? [];
    const all = listed.filter(({ name }) => this.#owns(name));
    for (const repository of listed) if (!this.#owns(repository.name)) void clones.leaveHosted(repository);
    this.#hosted = new Map(all.map((repository) => [repository.key, hostedEntry(repository, clones)]));
    this.#formerNames = new Map(all.flatMap(({ name, formerNames }) => formerNames.map((former) => [former, name])));
    for (const key of before.keys()) if (!this.#hosted.has(key)) void clones.forget(key);
    this.#name();
    return [...this.#hosted.values()]
      .filter(({ hosted: now }) => now && before.get(now.key)?.hosted?.changed !== now.changed)
      .toSorted((a, b) => ((a.hosted?.changed ?? '') > (b.hosted?.changed ?? '') ? -1 : 1));
  }

  /** In the order of their names. */
  all(): CatalogEntry[] {
    return [...this.#entries.values()];
  }

  /** Repositories that cannot be served, with reasons. Only for operators, because reasons name places on disk. */
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
    const local = await LocalFolders.open(this.#options, this.#folders);
    const failures: ServiceFailure[] = [];
    const found: Candidate[] = [];
    for (const [index, configured] of this.#options.repositories.entries())
      if (configured.url !== undefined) {
        const name = configured.name ?? nameOfURL(configured.url);
        if (this.#owns(name)) found.push({ entry: this.#remote(configured, configured.url), isNamed: true });
        else await this.#options.clones.leave(remoteId(name, configured.url), name);
      } else {
        const boundary = await local.boundaryOf(configured);
        const path = resolve(this.#options.configFolder, configured.path ?? '.');
        const scanned = await scan({ path, name: configured.name, boundary }, this.#options.limits);
        failures.push(...scanned.failures);
        for (const repository of scanned.found.filter(({ name }) => this.#owns(name))) {
          const folder = local.open({ repository, boundary, index });
          if (folder instanceof GitFolder)
            found.push({ entry: localEntry(configured, repository, folder), isNamed: repository.isNamed });
          else failures.push(folder);
        }
      }
    return { folders: local.opened, candidates: found, failures };
  }

  #owns(name: string): boolean {
    const { placement } = this.#options;
    return !placement || placement.owns(name) || (placement.isMoving && this.#entries.has(name));
  }

  #remote(configured: ConfiguredRepository, url: string): CatalogEntry {
    const name = configured.name ?? nameOfURL(url);
    const place = remoteOf(url).url;
    const { ssh, credentialHelper: helper, depth } = configured;
    const login = helper === undefined ? {} : { login: async () => ({ helper }) };
    const clone = this.#options.clones.of({ id: remoteId(name, url), name, url, ssh, depth, ...login });
    return {
      ...common(configured),
      name,
      place,
      description: configured.description ?? '',
      ...clonedBy(clone),
    };
  }

  #accept({ folders, ...found }: Scanned): void {
    this.#found = found;
    for (const [key, folder] of this.#folders) if (folders.get(key) !== folder) void folder.close();
    this.#folders = folders;
    this.#name();
  }

  /** Gives each name to one repository: first to those of the configuration. */
  #name(): void {
    const failures = [...this.#found.failures];
    const hosted = [...this.#hosted.values()].map((entry): Candidate => ({ entry, isNamed: false }));
    const { entries } = unique([...this.#found.candidates, ...hosted], failures);
    const reasons = failures.map(({ reason }) => reason);
    // Said once, not at every scan.
    if (reasons.join() !== this.#reported) for (const reason of reasons) this.#options.log.warn({}, reason);
    this.#reported = reasons.join();
    this.#failures = failures;
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
  }
}

const remoteId = (name: string, url: string): string => `${name}\0${remoteOf(url).url}`;

const inspectionsAtOnce = 4;

interface Found {
  readonly candidates: readonly Candidate[];
  readonly failures: readonly ServiceFailure[];
}

interface Scanned extends Found {
  readonly folders: ReadonlyMap<string, GitFolder>;
}

interface Candidate {
  entry: CatalogEntry;
  /** Whether the configuration gives it its name, and not a folder that others may write to. */
  isNamed: boolean;
}

/** In the order of their names. If two have one name, the one that the configuration names stays, otherwise the first. */
function unique(
  candidates: readonly Candidate[],
  failures: ServiceFailure[],
): { entries: CatalogEntry[] /** Why the server must not start with it. */; conflict: string | undefined } {
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
  return {
    ...common(configured),
    name,
    place,
    description,
    clone: () => undefined,
    touch: () => undefined,
    fetch: () => undefined,
    checkLoss: () => undefined,
    folder: () => folder,
  };
}

function hostedEntry(hosted: HostedRepository, clones: Clones): CatalogEntry {
  const { name, cloneURL, description, branches, isArchived, isFork, isPrivate } = hosted;
  const clone = clones.ofHosted(hosted);
  return {
    name,
    place: cloneURL,
    access: undefined,
    hosted,
    description,
    branches,
    isArchived,
    isFork,
    isPrivate,
    ...clonedBy(clone),
  };
}

const clonedBy = (clone: Clone): Pick<CatalogEntry, 'clone' | 'touch' | 'fetch' | 'checkLoss' | 'folder'> => ({
  clone: () => infoOf(clone),
  touch: () => clone.touch(),
  fetch: () => clone.request(),
  checkLoss: () => clone.checkLoss(),
  folder: () => clone.folder(),
});

function infoOf({ state, fetched, failure, cause, evictedSince, depth, progress }: Clone): CloneInfo {
  return {
    state,
    ...(evictedSince !== undefined && { evictedSince }),
    ...(state === 'failed' && failure?.since !== undefined && { failedSince: failure.since }),
    ...(state === 'failed' && cause !== undefined && { cause }),
    ...(fetched !== undefined && { fetched }),
    ...(depth !== undefined && { depth }),
    ...(progress && { progress }),
  };
}

const common = ({
  access,
  archived,
  fork,
  branches,
}: ConfiguredRepository): Pick<CatalogEntry, 'access' | 'isPrivate' | 'isArchived' | 'isFork' | 'branches'> => ({
  access,
  isPrivate: access !== undefined,
  branches,
  isArchived: archived,
  isFork: fork,
});

const maxDescriptionBytes = 4096;

/** The text of git's `description` file, unless it is git's own placeholder. */
function ownDescription({ commonPath }: GitFolder): string {
  const text = readRegular(join(commonPath, 'description'), maxDescriptionBytes)?.toString('utf8') ?? '';
  return text.startsWith('Unnamed repository') ? '' : text.trim().slice(0, 1000);
}

/** Why a repository cannot be read, for callers who may know of it. What leads where on the server is for administrators. */
export function absence(entry: CatalogEntry | undefined): SextantError {
  if (!entry) return new SextantError('unavailable', 'the repository is no longer served');
  const folder = entry.folder();
  if (folder) return refusal(folder.failure?.reason ?? 'its files have changed');
  const { state = 'cloning', failedSince, cause, evictedSince } = entry.clone() ?? {};
  if (state === 'evicted')
    return new SextantError(
      'unavailable',
      'its clone was evicted to keep the quota of disk; it is fetched again when a call names it',
    );
  if (state === 'failed') {
    const since = failedSince === undefined ? '' : ` (it fails since ${failedSince})`;
    const why = cause === undefined ? '' : `: ${cause}`;
    return new SextantError(
      'unavailable',
      `the repository could not be cloned yet${since}${why}; it is tried again, and administrators find more on /site-admin/repositories`,
    );
  }
  const again = evictedSince === undefined ? '' : ' again, after it was evicted to keep the quota of disk';
  return new SextantError('unavailable', `the repository is still being cloned${again}; try again in a moment`, {
    retryAfterSeconds: 10,
  });
}
