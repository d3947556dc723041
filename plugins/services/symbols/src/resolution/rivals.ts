import type { Candidates } from '../candidates.ts';
import type { Reference } from '../file-symbols.ts';
import type { ImportResolver } from './imports.ts';
import { likelihoodOf } from './likelihood.ts';
import { definedIn, keyOf } from './target.ts';
import type { SourceFile, Target } from './target.ts';

/** Files with members of one name that are compared. */
const maxFiles = 100;

export interface RivalParts {
  readonly candidates: Candidates;
  readonly imports: ImportResolver;
}

/** The other members of the name of some members, in their repository. */
export class Rivals {
  readonly #parts: RivalParts;
  /** Of the members that are meant. */
  readonly #keys: ReadonlySet<string>;
  #found: Promise<Target[]> | undefined;

  constructor(parts: RivalParts, keys: ReadonlySet<string>) {
    this.#parts = parts;
    this.#keys = keys;
  }

  /** Whether none of them is as likely meant by a use in a file. */
  async areLess(file: SourceFile, target: Target, use: Reference): Promise<boolean> {
    this.#found ??= this.#find(target);
    const rivals = await this.#found;
    if (rivals.length === 0) return true;
    const likelihood = likelihoodOf(file, [use], await this.#parts.imports.allFilesOf(file));
    const least = likelihood(target);
    return rivals.every((rival) => likelihood(rival) < least);
  }

  async #find({ snapshot, path, definition: { name } }: Target): Promise<Target[]> {
    const language = snapshot.languages.of(path);
    if (!language) return [];
    const where = { name, role: 'definition', language, limit: maxFiles } as const;
    const { files } = await this.#parts.candidates.inSnapshot(snapshot, path, where);
    const found = await definedIn(files, name, ({ isMember, kind }) => isMember && kind !== 'key');
    return found.filter((rival) => !this.#keys.has(keyOf(rival)));
  }
}
