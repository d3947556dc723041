import type { Language } from '@sextant/contracts';
import type { Candidates } from '../candidates.ts';
import { Once } from '../once.ts';
import { folderOf } from '../paths.ts';
import { definedIn, isIn } from './target.ts';
import type { Target } from './target.ts';

/** Files that are looked at for one member. */
const maxFiles = 300;

/** Where files see each other's names, the members of a type may stand in any of them. */
export class MembersBeside {
  readonly #candidates: Candidates;
  readonly #known = new Once<Target[]>();

  constructor(candidates: Candidates) {
    this.#candidates = candidates;
  }

  of(type: Target, name: string): Promise<Target[]> {
    const { snapshot, path, definition } = type;
    const language = snapshot.languages.of(path);
    if (language?.visibility === undefined) return Promise.resolve([]);
    const folder = language.visibility === 'folder' ? folderOf(path) : undefined;
    const key = [snapshot.repo, snapshot.commit, folder ?? '', definition.name, name];
    return this.#known.find(key, () => this.#find(type, { name, language }));
  }

  /** The definitions of members that their types only declare, before what declares them. */
  async bodiesFirst(targets: readonly Target[]): Promise<Target[]> {
    const found = await Promise.all(targets.map(async (target) => [...(await this.#bodies(target)), target]));
    return found.flat();
  }

  /** Those that stand outside of the type. */
  async #bodies(target: Target): Promise<Target[]> {
    const { snapshot, path, definition } = target;
    const { isMember, container, name } = definition;
    if (!isMember || container === undefined) return [];
    if (snapshot.languages.of(path)?.visibility !== 'everywhere') return [];
    const all = await this.of({ snapshot, path, definition: { ...definition, name: container } }, name);
    const outside = await Promise.all(all.map(isOutside));
    return !(await isOutside(target)) ? all.filter((_, index) => outside[index]) : [];
  }

  async #find(
    { snapshot, path, definition: type }: Target,
    wanted: { readonly name: string; readonly language: Language },
  ): Promise<Target[]> {
    const folder = wanted.language.visibility === 'folder' ? { folder: folderOf(path) } : {};
    const where = { ...wanted, role: 'definition', limit: maxFiles, ...folder } as const;
    const { files } = await this.#candidates.inSnapshot(snapshot, path, where);
    return definedIn(files, wanted.name, ({ scope, container }) => scope === undefined && container === type.name);
  }
}

async function isOutside({ snapshot, path, definition }: Target): Promise<boolean> {
  const types = (await snapshot.symbols(path))?.definitionsOf(definition.container ?? '') ?? [];
  return !types.some((type) => isIn(definition, type));
}
