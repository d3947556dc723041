import type { Candidates, Where } from '../candidates.ts';
import type { Definition, Import } from '../file-symbols.ts';
import { Once } from '../once.ts';
import { topLevelIn } from './target.ts';
import type { SourceFile, Target } from './target.ts';

/** Files that are looked at for one name of one namespace. */
const maxFiles = 50;

type Importer = Omit<SourceFile, 'symbols'>;

/** Finds names by the namespace that files say they belong to, wherever they lie, the own repository first. */
export class NamespaceFinder {
  readonly #candidates: Candidates;
  /** All files of a repository ask for the same. */
  readonly #known = new Once<Target[]>();

  constructor(candidates: Candidates) {
    this.#candidates = candidates;
  }

  /** What a name means in the namespace of an import. */
  find(file: Importer, { module, kind }: Import, name: string): Promise<Target[]> {
    const namespace = file.language.namespaces?.of({ module, name: kind === 'name' ? name : '' });
    if (namespace === undefined) return Promise.resolve([]);
    const key = [file.snapshot.repo, file.language.family, namespace, name];
    return this.#known.find(key, () => this.#find(file, namespace, name));
  }

  async #find({ snapshot, path, language }: Importer, namespace: string, name: string): Promise<Target[]> {
    const { at } = language.namespaces ?? {};
    const place = at ? { isFitting: (other: string) => at(other) === namespace } : { besides: namespace };
    const where: Where = { name, role: 'definition', language, limit: maxFiles, ...place };
    const here = await this.#candidates.inSnapshot(snapshot, path, where);
    const found = await topLevelIn(here.files, name);
    if (found.length > 0) return found;
    const there = await this.#candidates.elsewhere(snapshot, where);
    return topLevelIn(there.files, name);
  }
}

/** The namespaces of a file, as if it imported all of their names: its own before those around it. */
export function ownNamespaces({ language, path, symbols }: SourceFile): Import[] {
  if (!language.namespaces) return [];
  const { at, separator } = language.namespaces;
  const own = at ? [at(path) ?? ''] : symbols.definitions.filter(isPackage).map(({ name }) => name);
  const all = own.flatMap((name) => {
    const parts = separator === undefined ? [name] : name.split(separator);
    return parts.map((_, end) => parts.slice(0, parts.length - end).join(separator));
  });
  return all.filter(Boolean).map((module) => ({ module, kind: 'all', imported: '', local: '' }));
}

const isPackage = ({ kind }: Definition): boolean => kind === 'package';
