import { SextantError } from '@sextant/core';
import { matchesGlob } from '../git/branch-glob.ts';
import { existingRevisions, refNamesIn } from '../git/existing-revisions.ts';
import type { StoredRepository } from '../git/git-store.ts';

/** Most repositories in whose refs a suggestion is looked for. */
const mostRepositories = 20;

/** A hash is in one repository: no note says that others lack it. */
const hash = /^[0-9a-f]{7,64}$/i;

export const isGlob = (revision: string): boolean => revision.includes('*');

/** A glob is one of branches unless it says `refs/tags/`. */
export const refGlob = (glob: string): { place: 'refs/heads' | 'refs/tags'; glob: string } => {
  const text = glob.replace(/^\*(?=refs\/)/, '');
  if (text.startsWith('refs/tags/')) return { place: 'refs/tags', glob: text.slice('refs/tags/'.length) };
  return { place: 'refs/heads', glob: text.replace(/^refs\/heads\//, '') };
};

/** Which of the revisions that a query names exist in the repositories that it searches. */
export class NamedRevisions {
  readonly #found = new Set<string>();
  readonly #lackedBy = new Map<string, StoredRepository[]>();

  add(revision: string): void {
    this.#found.add(revision);
  }

  addLack(revision: string, repository: StoredRepository): void {
    const lackedBy = this.#lackedBy.get(revision) ?? [];
    this.#lackedBy.set(revision, lackedBy);
    lackedBy.push(repository);
  }

  /** Throws `not_found` where the query names only revisions that no repository has. */
  async requireAny(signal: AbortSignal): Promise<void> {
    const [first] = this.#lackedBy.keys();
    if (first === undefined) return;
    const revisions = [...this.#lackedBy.keys()].map((revision) => `"${revision}"`).join(', ');
    throw new SextantError('not_found', `revision ${revisions} not found; ${await this.#hint(first, signal)}`);
  }

  /** Sentences for the caller about revisions that some or all repositories lack. */
  async notes(signal: AbortSignal): Promise<string[]> {
    const notes: string[] = [];
    for (const revision of this.#lackedBy.keys())
      if (!this.#found.has(revision))
        notes.push(`No repository has the revision "${revision}"; ${await this.#hint(revision, signal)}`);
      else if (!hash.test(revision)) notes.push(`Not every repository has the revision "${revision}".`);
    return notes;
  }

  /** What exists instead in the searched repositories. Others are not looked at: the caller may not be allowed to read them. */
  async #hint(revision: string, signal: AbortSignal): Promise<string> {
    const searched = this.#lackedBy.get(revision)?.slice(0, mostRepositories) ?? [];
    const { place, glob } = refGlob(revision);
    if (isGlob(revision) && place === 'refs/heads') {
      const { tags } = await refNamesIn(searched, signal);
      if (tags.some((name) => matchesGlob(glob, name)))
        return `no branch has such a name, but tags do: rev:refs/tags/${glob}`;
    }
    return existingRevisions(revision, searched, signal);
  }
}
