import { callableKinds, spaceKinds, valueKinds } from '@sextant/contracts/definition-kinds';
import { definerLimits } from '../limits.ts';
import type { Candidates } from '../candidates/candidates.ts';
import { Memoized } from '../memoized.ts';
import type { Import, Reference } from '../parse/file-symbols.ts';
import { folderOf } from '../paths.ts';
import { definedIn, isIn, isShared, isTopLevel, targetsIn } from '../snapshot/source-file.ts';
import type { CommitFile, IsWanted, SourceFile, Target } from '../snapshot/source-file.ts';
import { ImportResolver } from './import-resolver.ts';
import { likelihoodOf } from './senses.ts';

/** One way to find what a name means. Empty if it finds nothing. */
export type Step = (file: SourceFile, name: string, uses: readonly Reference[]) => Promise<Target[]> | Target[];

/** What the first step finds that finds anything. */
export async function firstOf(
  steps: readonly Step[],
  { file, name }: { readonly file: SourceFile; readonly name: string },
  uses: readonly Reference[] = [],
): Promise<Target[]> {
  for (const step of steps) {
    const found = await step(file, name, uses);
    if (found.length > 0) return found;
  }
  return [];
}

/** Finds what a name means that stands alone, and the members of a type that stand in other files. */
export class NameResolver {
  readonly imports: ImportResolver;
  readonly #candidates: Candidates;
  /** What names stand for, by repository, path and name. */
  readonly #known = new Memoized<Target[]>();
  readonly #unknown = new Memoized<boolean>();
  readonly #members = new Memoized<Target[]>();

  constructor(candidates: Candidates) {
    this.#candidates = candidates;
    this.imports = new ImportResolver(candidates);
  }

  /** What imports and the file itself define under the name. Empty if only guesses are left. */
  near(file: SourceFile, name: string, uses: readonly Reference[] = []): Promise<Target[]> {
    const steps = [this.imported, topLevelOf, this.renamed];
    // Where an import renames it, the name is the one that the module gives.
    return firstOf(areImports(uses) ? [this.renamed, ...steps] : steps, { file, name });
  }

  /** What a name stands for by imports, the file, or the files whose names it sees. */
  named(file: SourceFile, name: string): Promise<Target[]> {
    return this.#known.find([file.snapshot.repo, file.path, name], async () => {
      const near = await this.near(file, name);
      if (near.length > 0) return near;
      if (file.language.visibility === undefined) return this.imports.wholeNameOf(file, name);
      return firstOf([this.neighbours, this.repository], { file, name });
    });
  }

  /** Whether the repository defines nothing of a name that others could see. */
  isUnknown(file: SourceFile, name: string): Promise<boolean> {
    const { snapshot, language } = file;
    return this.#unknown.find([snapshot.repo, snapshot.commit, language.family, name], async () => {
      // In C, a field or function may have the name of a type.
      const isWanted: IsWanted =
        language.family === 'c' ? (one) => isShared(one) && !valueKinds.has(one.kind) : isShared;
      return (
        (await this.#candidates.definitions(file, { name, limit: definerLimits.elsewhere }, isWanted)).length === 0
      );
    });
  }

  readonly imported: Step = (file, name) =>
    this.#followed(
      file,
      file.symbols.imports.filter(({ local }) => local === name),
    );

  /** What the file imports under another name. */
  readonly renamed: Step = (file, name) =>
    this.#followed(
      file,
      file.symbols.imports.filter(
        ({ kind, imported, local }) => kind === 'name' && imported === name && local !== name,
      ),
    );

  async #followed(file: SourceFile, imports: readonly Import[]): Promise<Target[]> {
    for (const imported of imports) {
      const found = await this.imports.follow(file, imported);
      if (found.length > 0) return found;
    }
    return [];
  }

  /** Files whose names are visible without an import, and files whose names are all imported. */
  readonly neighbours: Step = async (file, name, uses) => {
    const whole = await this.imports.wholeNameOf(file, name);
    if (whole.length > 0) return whole;
    if (file.language.visibility !== 'folder') return [];
    const folder = folderOf(file.path);
    const { files } = await this.#candidates.definers(file, { name, folder, limit: definerLimits.repository });
    return this.#ranked({ file, name, uses }, files);
  };

  readonly repository: Step = async (file, name, uses) =>
    this.#ranked(
      { file, name, uses },
      (await this.#candidates.definers(file, { name, limit: definerLimits.repository })).files,
    );

  readonly elsewhere: Step = async (file, name, uses) => {
    const where = { name, role: 'definition', language: file.language, limit: definerLimits.elsewhere } as const;
    const { files } = await this.#candidates.elsewhere(file.snapshot, where);
    return this.#ranked({ file, name, uses }, files);
  };

  async #ranked(
    { file, name, uses }: { file: SourceFile; name: string; uses: readonly Reference[] },
    files: readonly CommitFile[],
  ): Promise<Target[]> {
    const isType = 2 * uses.filter(({ role }) => role === 'type').length > uses.length;
    const isCalled = uses.length > 0 && uses.every(({ role }) => role === 'call');
    const isWanted: IsWanted = ({ scope, kind }) =>
      scope === undefined && kind !== 'key' && !(isType && valueKinds.has(kind)) && !(isCalled && spaceKinds.has(kind));
    const all = await definedIn(files, name, isWanted);
    const imported = await this.imports.allFilesOf(file);
    const found = all.filter(
      ({ path, definition }) => !definition.isPrivate || path === file.path || imported.has(path),
    );
    if (found.length < 2) return found;
    const likelihood = likelihoodOf(file, uses, imported);
    return found
      .map((target) => ({ target, score: likelihood(target) }))
      .toSorted((a, b) => b.score - a.score)
      .map(({ target }) => target);
  }

  /** Members of a type that stand in files which see its names. */
  membersBeside({ snapshot, path, definition: type }: Target, name: string): Promise<Target[]> {
    const visibility = snapshot.languages.of(path)?.visibility;
    if (visibility === undefined) return Promise.resolve([]);
    const folder = visibility === 'folder' ? folderOf(path) : undefined;
    const key = [snapshot.repo, snapshot.commit, folder ?? '', type.name, name];
    const wanted = { name, limit: definerLimits.repository, ...(folder !== undefined && { folder }) };
    return this.#members.find(key, () =>
      this.#candidates.definitions({ snapshot, path }, wanted, (one) => isShared(one) && one.container === type.name),
    );
  }

  /** Puts the bodies of members before their declarations in types. */
  async bodiesFirst(targets: readonly Target[]): Promise<Target[]> {
    const found = await Promise.all(targets.map(async (target) => [...(await this.#bodies(target)), target]));
    return found.flat();
  }

  /** The bodies that stand outside of the type. */
  async #bodies(target: Target): Promise<Target[]> {
    const { snapshot, path, definition } = target;
    const { isMember, container, name, kind } = definition;
    if (!isMember || container === undefined) return [];
    if (snapshot.languages.of(path)?.visibility !== 'everywhere') return [];
    const all = await this.membersBeside({ snapshot, path, definition: { ...definition, name: container } }, name);
    const outside = await Promise.all(all.map(isOutside));
    if (await isOutside(target)) return [];
    const isCallable = callableKinds.has(kind);
    return all.filter((one, index) => outside[index] && callableKinds.has(one.definition.kind) === isCallable);
  }

  /** Adds the other files that open a module. The file that has its name comes first. */
  async reopened(targets: readonly Target[]): Promise<Target[]> {
    const [first] = targets;
    const language = first?.snapshot.languages.of(first.path);
    if (!first || first.definition.kind !== 'module' || !language?.hasBareMembers) return [...targets];
    const { name, container } = first.definition;
    const isPart: IsWanted = (one) => one.kind === 'module' && one.container === container;
    const others = await this.#candidates.definitions(first, { name, limit: definerLimits.repository }, isPart);
    const ownFile = `${name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase()}.`;
    const isNamed = (one: Target): boolean => one.path.slice(one.path.lastIndexOf('/') + 1).startsWith(ownFile);
    return [...others.filter(isNamed), ...targets, ...others];
  }
}

const areImports = (uses: readonly Reference[]): boolean =>
  uses.length > 0 && uses.every(({ role }) => role === 'import');

/** What a file defines under a name for all of it. */
export const topLevelOf = (file: SourceFile, name: string): Target[] => targetsIn(file, name, isTopLevel);

async function isOutside({ snapshot, path, definition }: Target): Promise<boolean> {
  const types = (await snapshot.symbols(path))?.definitionsOf(definition.container ?? '') ?? [];
  return !types.some((type) => isIn(definition, type));
}
