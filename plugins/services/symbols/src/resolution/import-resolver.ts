import { escapeRegExp } from '@sextant/core';
import type { Language, Outside, PackageManifest } from '@sextant/contracts';
import { definerLimits, importLimits } from '../limits.ts';
import type { Candidates } from '../candidates/candidates.ts';
import { Memoized } from '../memoized.ts';
import { wholeModule } from '../parse/file-symbols.ts';
import type { Definition, Import } from '../parse/file-symbols.ts';
import { folderOf } from '../paths.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { definedIn, fileKey, isTopLevel, moduleTarget, targetOf } from '../snapshot/source-file.ts';
import type { CommitFile, SourceFile, Target } from '../snapshot/source-file.ts';

/** A module of at most this many files is searched without asking which of them define the name. */
const fewFiles = 3;

/** Modules that can only be in the same repository: relative paths and aliases. */
const isOfRepository = /^$|^(?:\.|~|#|@\/|(?:crate|self|super)\b)/;

type Importer = Omit<SourceFile, 'symbols'>;

/** Follows imports to definitions, through files that re-export names and into other repositories. */
export class ImportResolver {
  readonly #candidates: Candidates;
  /** Files of imports. Each use in a file asks for the same ones. */
  readonly #files = new Memoized<readonly string[]>();
  readonly #allFiles = new Memoized<ReadonlySet<string>>();
  /** What names mean in files, modules and namespaces. Many files import the same ones. */
  readonly #meant = new Memoized<Target[]>();

  constructor(candidates: Candidates) {
    this.#candidates = candidates;
  }

  /** The files that an import names, in the same repository. */
  async filesOf({ snapshot, path, language }: Importer, { module, imported }: Import): Promise<readonly string[]> {
    if (module === '') return [path];
    return this.#files.find([fileKey({ snapshot, path }), module, imported], async () => {
      return (await language.resolveImport?.({ path, module, name: imported }, snapshot)) ?? [];
    });
  }

  /** The files that any of a file's imports names. */
  allFilesOf(file: SourceFile): Promise<ReadonlySet<string>> {
    return this.#allFiles.find([fileKey(file)], async () => {
      return new Set((await Promise.all(file.symbols.imports.map((one) => this.filesOf(file, one)))).flat());
    });
  }

  /** What an imported name means. */
  async follow(file: Importer, imported: Import): Promise<Target[]> {
    if (imported.kind === 'name') return this.nameOf(file, imported, imported.imported);
    if (imported.kind !== 'module') return [];
    const [first] = await this.filesOf(file, imported);
    return first === undefined
      ? this.#moduleElsewhere(file, imported)
      : this.#module({ snapshot: file.snapshot, path: first }, imported.local);
  }

  /** The import that brings a name from outside of all repositories. Undefined if no import does. */
  async outsideOf(file: SourceFile, name: string): Promise<Outside | undefined> {
    for (const imported of file.symbols.imports.filter(({ kind, local }) => kind !== 'all' && local === name))
      if (await this.#isOutside(file, imported)) return { module: imported.module };
    return undefined;
  }

  async #isOutside(file: SourceFile, imported: Import): Promise<boolean> {
    if (isOfRepository.test(imported.module)) return false;
    return (await this.filesOf(file, imported)).length === 0 && (await this.follow(file, imported)).length === 0;
  }

  /** The value that a module is (`module.exports = value`), or else the module itself. */
  async #module(file: CommitFile, name: string): Promise<Target[]> {
    const whole = await this.#exported(file, { name: wholeModule }, new Set());
    return whole.length > 0 ? whole : [await moduleOf(file, name)];
  }

  /** What a name means in the module of an import. */
  async nameOf(file: Importer, imported: Import, name: string): Promise<Target[]> {
    const inside = await this.#nameOf(file, { imported, name }, new Set());
    if (inside.length > 0 || imported.module === '') return inside;
    const files = await this.filesOf(file, imported);
    // For an import of every name, only the module as it is written.
    if (imported.kind === 'all' && !imported.module.endsWith(name)) return [];
    const module = files.find((path) => isModule(path, name));
    return module === undefined ? [] : [moduleTarget({ snapshot: file.snapshot, path: module }, name)];
  }

  /** What a name means in the file's own namespaces, and then in the modules of which it imports every name. */
  async wholeNameOf(file: SourceFile, name: string): Promise<Target[]> {
    for (const own of ownNamespaces(file)) {
      const found = await this.#inNamespace(file, own, name);
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
    const key = ['whole', snapshot.repo, snapshot.commit, language.name, name, imported.module, ...files];
    return this.#meant.find(key, () => this.nameOf(file, imported, name));
  }

  /** What a file exports under a name. Of a package the first file stands for all. */
  exported({ snapshot, path }: CommitFile, name: string): Promise<Target[]> {
    return this.#meant.find(['file', fileKey({ snapshot, path }), name], async () => {
      const found = await this.#exported({ snapshot, path }, { name }, new Set());
      const language = snapshot.languages.of(path);
      if (found.length > 0 || !language) return found;
      if (language.visibility !== 'folder') return this.#below({ snapshot, path, language }, name);
      const wanted = { name, folder: folderOf(path), limit: definerLimits.module };
      return this.#candidates.definitions({ snapshot, path }, wanted, isTopLevel);
    });
  }

  async #nameOf(
    file: Importer,
    { imported, name }: { imported: Import; name: string },
    seen: Set<string>,
  ): Promise<Target[]> {
    const files = await this.filesOf(file, imported);
    for (const path of await this.#having(name, file, files)) {
      // An empty module stands for the file itself, where its own imports count too.
      const isInside = imported.module === '';
      const found = await this.#exported({ snapshot: file.snapshot, path }, { name, isInside }, seen);
      if (found.length > 0) return found;
    }
    if (imported.module === '') return [];
    const named = await this.#inNamespace(file, imported, name);
    // A file that passes on everything, such as a header, leads too far.
    const isFar = seen.size > 0 && file.language.visibility !== undefined;
    return named.length > 0 || files.length > 0 || isFar ? named : this.#elsewhere(file, { imported, name }, seen);
  }

  /** A module that lies in the folder of another. */
  async #below(file: Importer, name: string): Promise<Target[]> {
    const files = await this.filesOf(file, { module: '.', kind: 'name', imported: name, local: name });
    const path = files.find((one) => isModule(one, name));
    return path === undefined ? [] : [await moduleOf({ snapshot: file.snapshot, path }, name)];
  }

  /** The files of a package that define a name. */
  async #having(name: string, { snapshot, language }: Importer, files: readonly string[]): Promise<readonly string[]> {
    const [first] = files;
    if (first === undefined || files.length <= fewFiles || language.visibility !== 'folder') return files;
    const wanted = { name, language, folder: folderOf(first), limit: files.length };
    const found = await this.#candidates.definers({ snapshot, path: first }, wanted);
    const paths = new Set(found.files.map(({ path }) => path));
    return files.filter((path) => paths.has(path));
  }

  async #exported(
    { snapshot, path }: CommitFile,
    { name, isInside }: { name: string; isInside?: boolean },
    seen: Set<string>,
  ): Promise<Target[]> {
    const key = `${snapshot.repo}\0${path}\0${name}`;
    const language = snapshot.languages.of(path);
    if (!language || seen.has(key) || seen.size >= importLimits.chain) return [];
    seen.add(key);
    const symbols = await snapshot.symbols(path);
    if (!symbols) return [];
    const own = symbols.definitionsOf(name).filter(isTopLevel);
    if (own.length > 0) return own.map((definition) => targetOf({ snapshot, path }, definition));
    const given = symbols.imports.filter((one) => !one.isOwn || isInside);
    const module = given.find(({ kind, local }) => kind === 'module' && local === name);
    if (module) return this.follow({ snapshot, path, language }, module);
    const isNamed = (local: string): boolean => local === name || (name === 'default' && local === wholeModule);
    const passedOn = given.filter(({ kind, local }) => kind === 'all' || (kind === 'name' && isNamed(local)));
    for (const imported of passedOn.toSorted((a, b) => Number(a.kind === 'all') - Number(b.kind === 'all'))) {
      const there = imported.kind === 'all' ? name : imported.imported;
      const found = await this.#nameOf({ snapshot, path, language }, { imported, name: there }, seen);
      if (found.length > 0) return found;
    }
    return [];
  }

  /** The module in the repositories that have its package. */
  #moduleElsewhere({ snapshot, language }: Importer, { module, local }: Import): Promise<Target[]> {
    return this.#meant.find(['module', snapshot.repo, module], async () => {
      for await (const { snapshot: other, path } of this.#packages({ snapshot, language }, module)) {
        const [first] = (await language.resolveImport?.({ path, module, name: '' }, other)) ?? [];
        if (first !== undefined) return this.#module({ snapshot: other, path: first }, local);
      }
      return [];
    });
  }

  /** Looks for the name in the repositories whose package has the name of the module. */
  async #elsewhere(
    { snapshot, language }: Importer,
    { imported, name }: { imported: Import; name: string },
    seen: Set<string>,
  ): Promise<Target[]> {
    const key = `${imported.module}\0${name}`;
    // Several repositories may claim to be the package without having the file.
    if (seen.has(key)) return [];
    seen.add(key);
    const named = name === 'default' ? imported.local : name;
    for await (const { snapshot: other, path, isOfAll } of this.#packages({ snapshot, language }, imported.module)) {
      const exported = await this.#nameOf({ snapshot: other, path, language }, { imported, name }, seen);
      if (exported.length > 0) return exported;
      const below = { folder: isOfAll ? '' : folderOf(path), isFolderWhole: true, limit: definerLimits.module };
      const wanted = { name: named, language, ...below };
      const found = await this.#candidates.definitions({ snapshot: other, path }, wanted, isTopLevel);
      if (found.length > 0) return found;
    }
    return [];
  }

  /** The manifests of other repositories whose package has the name of a module. */
  async *#packages(
    { snapshot, language }: Pick<Importer, 'snapshot' | 'language'>,
    module: string,
  ): AsyncGenerator<CommitFile & Pick<PackageManifest, 'isOfAll'>> {
    for (const manifest of language.manifestsOf?.(module) ?? []) {
      const found = await this.#candidates.manifests(snapshot, manifest);
      yield* found.slice(0, importLimits.packages).map((file) => ({ ...file, isOfAll: manifest.isOfAll ?? false }));
    }
  }

  /** What a name means in the namespace of an import, wherever the files lie that declare it. The own repository comes first. */
  async #inNamespace(
    { snapshot, path, language }: Importer,
    { module, kind }: Import,
    name: string,
  ): Promise<Target[]> {
    const namespace = language.namespaces?.of({ module, name: kind === 'name' ? name : '' });
    if (namespace === undefined) return [];
    return this.#meant.find(['namespace', snapshot.repo, language.family, namespace, name], async () => {
      const { at } = language.namespaces ?? {};
      const place = at ? { isFitting: (other: string) => at(other) === namespace } : { besides: namespace };
      const where = { name, role: 'definition', language, limit: definerLimits.namespace, ...place } as const;
      const found = await this.#candidates.definitions({ snapshot, path }, where, isTopLevel);
      if (found.length > 0) return found;
      return definedIn((await this.#candidates.elsewhere(snapshot, where)).files, name, isTopLevel);
    });
  }
}

/** The names of packages that other repositories can import from a commit. Undefined if packages of the language have no names. */
export async function packagesOf(snapshot: Snapshot, language: Language): Promise<readonly string[] | undefined> {
  const names = await language.packageNames?.(snapshot);
  if (names) return names;
  return language.manifestsOf || language.namespaces ? undefined : [];
}

const isModule = (path: string, name: string): boolean =>
  new RegExp(`(^|/)${escapeRegExp(name)}(/__init__)?\\.\\w+$`).test(path);

/** A module is where its package is named, or else its file. */
async function moduleOf(file: CommitFile, name: string): Promise<Target> {
  const definition = (await file.snapshot.symbols(file.path))?.definitions.find(isPackage);
  return definition ? targetOf(file, definition) : moduleTarget(file, name);
}

/** The namespaces of a file as imports of all their names: its own first, then those around it. */
function ownNamespaces({ language, path, symbols }: SourceFile): Import[] {
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
