import { isGranted, repositoryNamed } from '@sextant/contracts';
import type {
  Asking,
  HostedReader,
  HostedRepositories,
  HostedRepository,
  Repositories,
  Repository,
  RepositoryInfo,
} from '@sextant/contracts';
import type { Clones } from './clones/clones.ts';
import type { Catalogue } from '@sextant/contracts/nodes';
import type { Caller } from '@sextant/core';
import { absence } from './catalog/catalog.ts';
import type { Catalog, CatalogEntry } from './catalog/catalog.ts';
import type { Readers } from './readers.ts';
import { GitRepository } from './repository.ts';

export interface GitRepositoriesOptions {
  catalog: Catalog;
  readers: Readers;
  /** Decides about the repositories of code hosts. */
  hosted: HostedRepositories | undefined;
}

/** The repositories of the catalog, as each caller may see them. */
export class GitRepositories implements Repositories {
  readonly #catalog: Catalog;
  readonly #readers: Readers;
  readonly #hosted: HostedRepositories | undefined;

  constructor({ catalog, readers, hosted }: GitRepositoriesOptions) {
    this.#catalog = catalog;
    this.#readers = readers;
    this.#hosted = hosted;
  }

  async list(caller: Caller): Promise<RepositoryInfo[]> {
    return (await this.visible(caller)).map(infoOf);
  }

  async open(caller: Caller, name: string, { isNamed }: Asking = { isNamed: true }): Promise<Repository> {
    const entry = await this.find(caller, name);
    if (isNamed) entry.touch();
    const folder = entry.folder();
    if (!folder) throw absence(entry);
    return new GitRepository(infoOf(entry), folder, this.#readers);
  }

  /** As `repositoryNamed`. */
  async find(caller: Caller, name: string): Promise<CatalogEntry> {
    const reader = await this.#hosted?.readerFor(caller);
    return repositoryNamed(name, {
      exact: this.#catalog.find(name),
      former: this.#catalog.findFormer(name),
      visible: () => this.#visibleTo(caller, reader),
      canRead: (entry) => canRead(caller, entry, reader),
      nameOf: (entry) => entry.name,
      isHosted: ({ hosted }) => hosted !== undefined,
    });
  }

  async visible(caller: Caller): Promise<CatalogEntry[]> {
    return this.#visibleTo(caller, await this.#hosted?.readerFor(caller));
  }

  #visibleTo(caller: Caller, reader: HostedReader | undefined): CatalogEntry[] {
    return this.#catalog.all().filter((entry) => canRead(caller, entry, reader));
  }
}

/** What hosts of a code node know of its repositories. */
export const catalogueOf = (catalog: Catalog, clones: Pick<Clones, 'left' | 'removeLeft'>): Catalogue => ({
  left: () => clones.left.names,
  removeLeft: (held) => clones.removeLeft(held),
  has: (repository) => catalog.find(repository) !== undefined,
  entries: () =>
    catalog.all().map((entry) => {
      const { access, hosted, branches } = entry;
      const { message, retryAfterSeconds } = entry.folder() ? { message: undefined } : absence(entry);
      const { clone, ...info } = infoOf(entry);
      // How far a clone is changes all the time, and each change is sent.
      const { progress: _progress, ...state } = clone ?? {};
      return {
        info: { ...info, ...(clone && { clone: { ...state, state: clone.state } }) },
        ...(access && { access }),
        ...(hosted && { hostedKey: hosted.key }),
        formerNames: hosted?.formerNames ?? [],
        branches,
        ...(message !== undefined && {
          absent: { message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
        }),
      };
    }),
});

function infoOf(entry: CatalogEntry): RepositoryInfo {
  const { name, description, isPrivate, isArchived, isFork, hosted } = entry;
  const clone = entry.clone();
  return {
    name,
    description,
    isPrivate,
    isArchived,
    isFork,
    ...(hosted && factsOf(hosted)),
    defaultBranch: entry.folder()?.defaultBranch() ?? '',
    ...(clone && { clone }),
  };
}

const factsOf = ({ topics, stars, pushed }: HostedRepository): Pick<RepositoryInfo, 'topics' | 'stars' | 'pushed'> => ({
  topics,
  ...(stars !== undefined && { stars }),
  ...(pushed !== undefined && { pushed }),
});

/** Whether a caller may read a repository: the one place where that is decided. */
const canRead = (caller: Caller, { access, hosted }: CatalogEntry, reader: HostedReader | undefined): boolean =>
  hosted ? (reader?.canRead(hosted) ?? false) : isGranted(caller, access);
