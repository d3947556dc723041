import { contentKey } from './file-key.ts';
import type { FileContent } from './parsed-files.ts';

/** A content whose names are not known. `isLost`: git does not have it. */
export interface UnknownContent extends FileContent {
  readonly isLost: boolean;
}

/** Tells which repositories had a content in their default branch when it was read ahead. Some may no longer have it. */
export class HeadFiles {
  /** By content key. Most contents are in one repository, which is a string to save memory. */
  readonly #repositories = new Map<string, string | readonly string[]>();
  readonly #known = new Set<string>();
  /** By repository and blob. Some may be parsed since. */
  readonly #unknown = new Map<string, Map<string, UnknownContent>>();
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

  /** Notes a content of a repository that could not be read or parsed. */
  markUnknown(repository: string, content: UnknownContent): void {
    const contents = this.#unknown.get(repository) ?? new Map<string, UnknownContent>();
    this.#unknown.set(repository, contents.set(content.blob, content));
  }

  /** Repositories with contents that could not be read or parsed. */
  get incomplete(): Iterable<string> {
    return this.#unknown.keys();
  }

  /** The contents of a repository's default branch that could not be read or parsed. */
  unknownIn(repository: string): readonly UnknownContent[] {
    const contents = [...(this.#unknown.get(repository)?.values() ?? [])];
    return contents.filter(({ blob }) => this.withContent(contentKey(blob)).includes(repository));
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

  /** Whether the files of a repository were added since it changed. */
  has(repository: string): boolean {
    return this.#known.has(repository) && !this.#changes.has(repository);
  }

  remove(repository: string): void {
    this.#known.delete(repository);
    this.#unknown.delete(repository);
    this.#changes.delete(repository);
  }

  withContent(key: string): readonly string[] {
    const found = this.#repositories.get(key) ?? [];
    return typeof found === 'string' ? [found] : found;
  }
}
