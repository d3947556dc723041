import type { Repositories, Repository, RepositoryInfo } from '@sextant/contracts';
import { SextantError, didYouMean } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { absence } from './catalog/catalog.ts';
import type { Catalog, CatalogEntry } from './catalog/catalog.ts';
import type { Access } from './config.ts';
import type { Readers } from './readers.ts';
import { GitRepository } from './repository.ts';

/** The repositories of the catalog, as each caller may see them. */
export class GitRepositories implements Repositories {
  readonly #catalog: Catalog;
  readonly #readers: Readers;

  constructor(catalog: Catalog, readers: Readers) {
    this.#catalog = catalog;
    this.#readers = readers;
  }

  async list(caller: Caller): Promise<RepositoryInfo[]> {
    return this.visible(caller).map(infoOf);
  }

  async open(caller: Caller, name: string): Promise<Repository> {
    const entry = this.find(caller, name);
    const folder = entry.folder();
    if (!folder) throw absence(entry);
    return new GitRepository(infoOf(entry), folder, this.#readers);
  }

  /** Throws the same `not_found` for a repository that is hidden from the caller as for one that does not exist. */
  find(caller: Caller, name: string): CatalogEntry {
    const entry = this.#catalog.find(name);
    if (entry && canRead(caller, entry.access)) return entry;
    const names = this.visible(caller).map((other) => other.name);
    const shown = name.length > 200 ? `${name.slice(0, 200)}…` : name;
    throw new SextantError(
      'not_found',
      `repository "${shown}" not found; list_repos shows the names you can use.${didYouMean(name, names)}`,
    );
  }

  visible(caller: Caller): CatalogEntry[] {
    return this.#catalog.all().filter(({ access }) => canRead(caller, access));
  }
}

function infoOf(entry: CatalogEntry): RepositoryInfo {
  const { name, description, access, isArchived, isFork } = entry;
  const clone = entry.clone();
  return {
    name,
    description,
    isPrivate: access !== undefined,
    isArchived,
    isFork,
    defaultBranch: entry.folder()?.defaultBranch() ?? '',
    ...(clone && { clone }),
  };
}

/** Whether a caller may read a repository: the one place where that is decided. */
export function canRead({ user, roles }: Caller, access: Access | undefined): boolean {
  if (access === undefined || user.isSiteAdmin) return true;
  return (
    access.users.some((name) => name.toLowerCase() === user.name.toLowerCase()) ||
    access.roles.some((role) => roles.has(role))
  );
}
