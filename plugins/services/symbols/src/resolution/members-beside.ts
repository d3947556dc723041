import type { Language } from '@sextant/contracts';
import type { Candidates } from '../candidates.ts';
import { folderOf } from '../paths.ts';
import { definedIn } from './target.ts';
import type { Target } from './target.ts';

/** Files that are looked at for one member. */
const maxFiles = 300;

/** Where a folder is one package, the methods of a type may stand in any of its files. */
export class MembersBeside {
  readonly #candidates: Candidates;
  readonly #known = new Map<string, Promise<Target[]>>();

  constructor(candidates: Candidates) {
    this.#candidates = candidates;
  }

  of(type: Target, name: string): Promise<Target[]> {
    const { snapshot, path, definition } = type;
    const language = snapshot.languages.of(path);
    if (language?.visibility !== 'folder') return Promise.resolve([]);
    const key = [snapshot.repo, snapshot.commit, folderOf(path), definition.name, name].join('\0');
    const known = this.#known.get(key) ?? this.#find(type, { name, language });
    this.#known.set(key, known);
    return known;
  }

  async #find(
    { snapshot, path, definition: type }: Target,
    wanted: { readonly name: string; readonly language: Language },
  ): Promise<Target[]> {
    const where = { ...wanted, role: 'definition', folder: folderOf(path), limit: maxFiles } as const;
    const { files } = await this.#candidates.inSnapshot(snapshot, path, where);
    return definedIn(files, wanted.name, ({ isMember, container }) => isMember && container === type.name);
  }
}
