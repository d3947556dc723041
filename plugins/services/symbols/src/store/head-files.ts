import { contentKey } from './file-key.ts';

/** Tells which repositories had a content in their default branch when it was read ahead. Some may no longer have it. */
export class HeadFiles {
  /** By content key. Most contents are in one repository, which is a string to save memory. */
  readonly #repositories = new Map<string, string | readonly string[]>();
  readonly #known = new Set<string>();
  readonly #incomplete = new Set<string>();
  /** The last change of each repository that is not read ahead yet. */
  readonly #changes = new Map<string, object>();

  add(repository: string, blobs: Iterable<string>): void {
    this.#known.add(repository);
    for (const blob of blobs) {
      const key = contentKey(blob);
      const before = this.withContent(key);
      if (before.includes(repository)) continue;
      this.#repositories.set(key, before.length === 0 ? repository : [...before, repository]);
    }
  }

  /** Notes that the names of some file of a repository are not known, because it could not be read or parsed. */
  markIncomplete(repository: string): void {
    this.#incomplete.add(repository);
  }

  /** Notes that refs of a repository moved: what is new is not known. */
  markChanged(repository: string): void {
    this.#changes.set(repository, {});
  }

  /** What to tell `markRead` once everything that is there now is read ahead. */
  changeOf(repository: string): object | undefined {
    return this.#changes.get(repository);
  }

  /** Notes that everything is read ahead that was there at a change. */
  markRead(repository: string, change: object | undefined): void {
    if (this.#changes.get(repository) === change) this.#changes.delete(repository);
  }

  /** Whether the files of a repository were added since it changed, and the names of all of them are known. */
  has(repository: string): boolean {
    return this.#known.has(repository) && !this.#incomplete.has(repository) && !this.#changes.has(repository);
  }

  remove(repository: string): void {
    this.#known.delete(repository);
    this.#incomplete.delete(repository);
    this.#changes.delete(repository);
  }

  withContent(key: string): readonly string[] {
    const found = this.#repositories.get(key) ?? [];
    return typeof found === 'string' ? [found] : found;
  }
}
