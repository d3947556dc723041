import type { Language } from '@sextant/contracts';
import type { Candidates, Where } from '../candidates.ts';
import type { Import } from '../file-symbols.ts';
import { folderOf } from '../paths.ts';
import { escaped } from '../pattern.ts';
import type { Snapshot } from '../snapshot.ts';
import { NamespaceFinder, ownNamespaces } from './namespaces.ts';
import { isTopLevel, moduleTarget, topLevelIn } from './target.ts';
import type { SourceFile, Target } from './target.ts';

/** Most files that one chain of names that are passed on is followed through; also what ends a circle. */
const longestChain = 100;
/** Files of another repository in which a name is looked for. */
const maxElsewhere = 20;
const maxManifests = 5;

type Importer = Omit<SourceFile, 'symbols'>;

/** Follows imports to the definitions behind them, through files that pass names on and into other repositories. */
export class ImportResolver {
  readonly #candidates: Candidates;
  readonly #namespaces: NamespaceFinder;
  /** What names mean in headers and the like, which many files import. */
  readonly #whole = new Map<string, Promise<Target[]>>();

  constructor(candidates: Candidates) {
    this.#candidates = candidates;
    this.#namespaces = new NamespaceFinder(candidates);
  }

  /** The files that an import names, in the same repository. */
  async filesOf({ snapshot, path, language }: Importer, { module, imported }: Import): Promise<readonly string[]> {
    if (module === '') return [path];
    return (await language.resolveImport?.({ path, module, name: imported }, snapshot)) ?? [];
  }

  /** What an imported name means. */
  async follow(file: Importer, imported: Import): Promise<Target[]> {
    if (imported.kind === 'name') return this.nameOf(file, imported, imported.imported);
    const [first] = await this.filesOf(file, imported);
    return imported.kind === 'module' && first !== undefined
      ? [moduleTarget(file.snapshot, first, imported.local)]
      : [];
  }

  /** What a name means in the module of an import. */
  async nameOf(file: Importer, imported: Import, name: string): Promise<Target[]> {
    const inside = await this.#nameOf(file, { imported, name }, new Set());
    if (inside.length > 0 || imported.module === '') return inside;
    const files = await this.filesOf(file, imported);
    // Of an import of every name only the module itself, as it is written.
    if (imported.kind === 'all' && !imported.module.endsWith(name)) return [];
    const module = files.find((path) => new RegExp(`(^|/)${escaped(name)}(/__init__)?\\.\\w+$`).test(path));
    return module === undefined ? [] : [moduleTarget(file.snapshot, module, name)];
  }

  /** What a name means in that of which a file has every name: its own namespaces, then what it imports so. */
  async wholeNameOf(file: SourceFile, name: string): Promise<Target[]> {
    for (const own of ownNamespaces(file)) {
      const found = await this.#namespaces.find(file, own, name);
      if (found.length > 0) return found;
    }
    for (const imported of file.symbols.imports.filter(({ kind }) => kind === 'all')) {
      const found = await this.#inWhole(file, imported, name);
      if (found.length > 0) return found;
    }
    return [];
  }

  async #inWhole(file: SourceFile, imported: Import, name: string): Promise<Target[]> {
    const { snapshot, language } = file;
    const files = await this.filesOf(file, imported);
    const key = [snapshot.repo, snapshot.commit, language.name, name, imported.module, ...files].join('\0');
    const known = this.#whole.get(key) ?? this.nameOf(file, imported, name);
    this.#whole.set(key, known);
    return known;
  }

  /** What a file gives to others under a name. */
  exported({ snapshot, path }: Omit<Target, 'definition'>, name: string): Promise<Target[]> {
    return this.#exported(snapshot, { path, name }, new Set());
  }

  async #nameOf(
    file: Importer,
    { imported, name }: { imported: Import; name: string },
    seen: Set<string>,
  ): Promise<Target[]> {
    const files = await this.filesOf(file, imported);
    for (const path of files) {
      const found = await this.#exported(file.snapshot, { path, name }, seen);
      if (found.length > 0) return found;
    }
    if (imported.module === '') return [];
    const named = await this.#namespaces.find(file, imported, name);
    // What passes on everything (a header, say) leads too far.
    const isFar = seen.size > 0 && file.language.visibility !== undefined;
    return named.length > 0 || files.length > 0 || isFar ? named : this.#elsewhere(file, { imported, name }, seen);
  }

  async #exported(
    snapshot: Snapshot,
    { path, name }: { path: string; name: string },
    seen: Set<string>,
  ): Promise<Target[]> {
    const key = `${snapshot.repo}\0${path}\0${name}`;
    const language = snapshot.languages.of(path);
    if (!language || seen.has(key) || seen.size >= longestChain) return [];
    seen.add(key);
    const symbols = await snapshot.symbols(path);
    if (!symbols) return [];
    const own = symbols.definitionsOf(name).filter(isTopLevel);
    if (own.length > 0) return own.map((definition) => ({ snapshot, path, definition }));
    const module = symbols.imports.find(({ kind, local }) => kind === 'module' && local === name);
    if (module) return this.follow({ snapshot, path, language }, module);
    const passedOn = symbols.imports.filter(({ kind, local }) => kind === 'all' || (kind === 'name' && local === name));
    for (const imported of passedOn.toSorted((a, b) => Number(a.kind === 'all') - Number(b.kind === 'all'))) {
      const there = imported.kind === 'all' ? name : imported.imported;
      const found = await this.#nameOf({ snapshot, path, language }, { imported, name: there }, seen);
      if (found.length > 0) return found;
    }
    return [];
  }

  /** Looks for the name in the repositories whose package has the name of the module. */
  async #elsewhere(
    { snapshot, language }: Importer,
    { imported, name }: { imported: Import; name: string },
    seen: Set<string>,
  ): Promise<Target[]> {
    const key = `${imported.module}\0${name}`;
    // Several may say that they are the package, and none of them have the file.
    if (seen.has(key)) return [];
    seen.add(key);
    const named = name === 'default' ? imported.local : name;
    for (const manifest of language.manifestsOf?.(imported.module) ?? []) {
      const manifests = await this.#candidates.manifests(snapshot, manifest);
      for (const { snapshot: other, path } of manifests.slice(0, maxManifests)) {
        const exported = await this.#nameOf({ snapshot: other, path, language }, { imported, name }, seen);
        if (exported.length > 0) return exported;
        const folder = manifest.isOfAll ? '' : folderOf(path);
        const below = { folder, isFolderWhole: true, limit: maxElsewhere };
        const where: Where = { name: named, role: 'definition', language, ...below };
        const { files } = await this.#candidates.inSnapshot(other, path, where);
        const found = await topLevelIn(files, named);
        if (found.length > 0) return found;
      }
    }
    return [];
  }
}

/** Whether files of other repositories can import from a commit. */
export async function isImportable(snapshot: Snapshot, language: Language): Promise<boolean> {
  const names = await language.packageNames?.(snapshot);
  if (names) return names.length > 0;
  return language.manifestsOf !== undefined || language.namespaces !== undefined;
}
