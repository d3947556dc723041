import { isGranted } from '@sextant/contracts';
import type { HostedReader, HostedRepositories, Repositories, Repository, RepositoryInfo } from '@sextant/contracts';
import { SextantError, cut, didYouMean } from '@sextant/core';
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

  async open(caller: Caller, name: string): Promise<Repository> {
    const entry = await this.find(caller, name);
    const folder = entry.folder();
    if (!folder) throw absence(entry);
    return new GitRepository(infoOf(entry), folder, this.#readers);
  }

  /**
   * By its name, a former name, or a suffix that is unique among what the caller may read.
   * Throws the same `not_found` for a repository that is hidden from the caller as for one that does not exist.
   */
  async find(caller: Caller, name: string): Promise<CatalogEntry> {
    const reader = await this.#hosted?.readerFor(caller);
    const exact = this.#catalog.find(name);
    if (exact && canRead(caller, exact, reader)) return exact;
    const visible = this.#visibleTo(caller, reader);
    const former = this.#catalog.findFormer(name);
    if (former && canRead(caller, former, reader)) return former;
    const ending = visible.filter((other) => other.hosted && other.name.endsWith(`/${name}`));
    const [only, ...others] = ending;
    if (only && others.length === 0) return only;
    throw notFound(
      name,
      visible.map((other) => other.name),
    );
  }

  async visible(caller: Caller): Promise<CatalogEntry[]> {
    return this.#visibleTo(caller, await this.#hosted?.readerFor(caller));
  }

  #visibleTo(caller: Caller, reader: HostedReader | undefined): CatalogEntry[] {
    return this.#catalog.all().filter((entry) => canRead(caller, entry, reader));
  }
}

function notFound(name: string, names: readonly string[]): SextantError {
  const meant = names.filter((each) => each.endsWith(`/${name}`)).slice(0, 3);
  const hint = meant.length > 0 ? ` Did you mean ${meant.join(' or ')}?` : didYouMean(name, names);
  return new SextantError(
    'not_found',
    `repository "${cut(name, 200)}" not found; list_repos shows the names you can use.${hint}`,
  );
}

function infoOf(entry: CatalogEntry): RepositoryInfo {
  const { name, description, isPrivate, isArchived, isFork, hosted } = entry;
  const clone = entry.clone();
  return {
    name,
    description,
    isPrivate,
    isArchived,
    isFork,
    ...(hosted && { topics: hosted.topics }),
    defaultBranch: entry.folder()?.defaultBranch() ?? '',
    ...(clone && { clone }),
  };
}

/** Whether a caller may read a repository: the one place where that is decided. */
const canRead = (caller: Caller, { access, hosted }: CatalogEntry, reader: HostedReader | undefined): boolean =>
  hosted ? (reader?.canRead(hosted) ?? false) : isGranted(caller, access);
