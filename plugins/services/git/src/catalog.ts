import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf } from '@sextant/core';
import type { CloneInfo } from '@sextant/contracts';
import type { Logger } from '@sextant/core';
import type { Clones } from './clones.ts';
import type { Access, ConfiguredRepository } from './config.ts';
import { scan } from './discovery.ts';
import type { FoundRepository, ScanLimits } from './discovery.ts';
import { GitFolder } from './git-folder.ts';
import { nameOfURL, remoteOf } from './remote-url.ts';

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
  configFolder: string;
  limits: ScanLimits;
  clones: Clones;
  log: Logger;
}

/** All repositories that are served, by name. Scanned again, it follows what came and went on disk. */
export class Catalog {
  readonly #options: CatalogOptions;
  readonly #folders = new Map<string, GitFolder>();
  #entries: ReadonlyMap<string, CatalogEntry> = new Map();
  #scanning: Promise<void> | undefined;
  #reported = '';

  private constructor(options: CatalogOptions) {
    this.#options = options;
  }

  /** Throws for a path that is no folder and for two repositories of one name. */
  static async open(options: CatalogOptions): Promise<Catalog> {
    const catalog = new Catalog(options);
    const { entries, problems } = await catalog.#scan();
    const conflict = problems.find(({ isFatal }) => isFatal);
    if (conflict) throw new Error(conflict.message);
    catalog.#accept(entries, problems);
    return catalog;
  }

  find(name: string): CatalogEntry | undefined {
    return this.#entries.get(name);
  }

  /** In the order of their names. */
  all(): CatalogEntry[] {
    return [...this.#entries.values()];
  }

  /** Looks again; a scan that is under way is waited for instead. */
  rescan(): Promise<void> {
    this.#scanning ??= this.#scan()
      .then(({ entries, problems }) => this.#accept(entries, problems))
      .finally(() => (this.#scanning = undefined));
    return this.#scanning;
  }

  async #scan(): Promise<{ entries: CatalogEntry[]; problems: Problem[] }> {
    const entries: CatalogEntry[] = [];
    const problems: Problem[] = [];
    for (const [index, configured] of this.#options.repositories.entries())
      try {
        entries.push(
          ...(configured.url === undefined
            ? await this.#local(configured, problems)
            : [this.#remote(configured, configured.url)]),
        );
      } catch (error) {
        problems.push({ isFatal: true, message: `repositories[${index}]: ${messageOf(error)}` });
      }
    return { entries: unique(entries, problems), problems };
  }

  async #local(configured: ConfiguredRepository, problems: Problem[]): Promise<CatalogEntry[]> {
    const { configFolder, limits } = this.#options;
    const found = await scan(resolve(configFolder, configured.path ?? '.'), limits, configured.name);
    problems.push(...found.problems.map((message) => ({ isFatal: false, message })));
    return Promise.all(found.found.map((repository) => this.#localEntry(configured, repository)));
  }

  async #localEntry(
    configured: ConfiguredRepository,
    { name, place, gitFolder }: FoundRepository,
  ): Promise<CatalogEntry> {
    const folder = this.#folders.get(gitFolder) ?? new GitFolder(gitFolder);
    this.#folders.set(gitFolder, folder);
    const description = configured.description ?? (await ownDescription(folder));
    return { ...common(configured), name, place, description, clone: () => undefined, folder: () => folder };
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

  #accept(entries: readonly CatalogEntry[], problems: readonly Problem[]): void {
    const messages = problems.map(({ message }) => message);
    // Said once, not at every scan.
    if (messages.join() !== this.#reported) for (const message of messages) this.#options.log.warn({}, message);
    this.#reported = messages.join();
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
  }
}

interface Problem {
  /** Whether the server must not start with it. */
  isFatal: boolean;
  message: string;
}

/** In the order of their names. Of two with one name the first stays. */
function unique(entries: readonly CatalogEntry[], problems: Problem[]): CatalogEntry[] {
  const byName = new Map<string, CatalogEntry>();
  for (const entry of entries) {
    const other = byName.get(entry.name);
    if (!other) byName.set(entry.name, entry);
    else
      problems.push({
        isFatal: true,
        message: `two repositories are named "${entry.name}": ${other.place} and ${entry.place}; give one of them another name`,
      });
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
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

/** What git's `description` file says, unless that is git's own placeholder. */
async function ownDescription({ commonPath }: GitFolder): Promise<string> {
  const text = await readFile(join(commonPath, 'description'), 'utf8').catch(() => '');
  return text.startsWith('Unnamed repository') ? '' : text.trim().slice(0, 1000);
}
