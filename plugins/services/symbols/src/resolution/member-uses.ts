import { definerLimits, userLimits } from '../limits.ts';
import type { CandidateList, Candidates } from '../candidates/candidates.ts';
import { Memoized } from '../memoized.ts';
import { qualifierKinds } from '../parse/definition-kinds.ts';
import type { Reference } from '../parse/file-symbols.ts';
import { definedIn, isShared, keyOf } from '../snapshot/source-file.ts';
import type { CommitFile, SourceFile, Target } from '../snapshot/source-file.ts';
import type { ImportResolver } from './import-resolver.ts';
import type { NameResolver } from './name-resolver.ts';
import { likelihoodOf, nearest } from './senses.ts';

/** Other definitions of a name that the repository has. */
export class CompetingDefinitions {
  readonly #candidates: Candidates;
  readonly #imports: ImportResolver;
  /** Keys of the definitions whose uses are wanted. */
  readonly #keys: ReadonlySet<string>;
  #files: Promise<CandidateList> | undefined;
  #members: Promise<Target[]> | undefined;

  constructor(candidates: Candidates, imports: ImportResolver, keys: ReadonlySet<string>) {
    this.#candidates = candidates;
    this.#imports = imports;
    this.#keys = keys;
  }

  /** Whether other files define the name, too. */
  async areElsewhere(target: Target): Promise<boolean> {
    this.#files ??= this.#candidates.definers(target, { name: target.definition.name, limit: 2 });
    return (await this.#files).files.some(({ path }) => path !== target.path);
  }

  /** Whether a use of a member is less likely to mean any of them than the target. */
  async areLess(file: SourceFile, target: Target, use: Reference): Promise<boolean> {
    this.#members ??= this.#findMembers(target);
    const rivals = await this.#members;
    if (rivals.length === 0) return true;
    const likelihood = likelihoodOf(file, [use], await this.#imports.allFilesOf(file));
    const least = likelihood(target);
    return rivals.every((rival) => likelihood(rival) < least);
  }

  async #findMembers(target: Target): Promise<Target[]> {
    const wanted = { name: target.definition.name, limit: definerLimits.rivals };
    const found = await this.#candidates.definitions(
      target,
      wanted,
      ({ isMember, kind }) => isMember && kind !== 'key',
    );
    return found.filter((rival) => !this.#keys.has(keyOf(rival)));
  }
}

/** `Type`, `crate::goods::Type`, `goods.Type`. What the companion of a type has in Kotlin, the type has. */
const typePath = /^(?:\w+(?:::|\.|\\))*?(\p{Lu}\w*)(?:\.Companion)?$/u;
/** A type annotation that is one plain type, and no list or container of it. */
const plainType = /^[*&\s]*(?:(?:mut|const|final)\s+)?(?:\w+(?:::|\.|\\))*([\p{L}_]\w*)$/u;

/** Tells by names alone that a use means a member of another type. This is quick, and most uses of a common name are such. */
export class ReceiverTypes {
  readonly #candidates: Candidates;
  /** Members that one file defines. */
  readonly #targets: readonly Target[];
  readonly #known = new Memoized<boolean>();

  constructor(candidates: Candidates, targets: readonly Target[]) {
    this.#candidates = candidates;
    this.#targets = targets;
  }

  /**
   * Whether a use of a member stands behind a package, or behind a value of another type. That type has such a member
   * itself, or neither repository defines it.
   */
  isOther(file: SourceFile, use: Reference): Promise<boolean> | boolean {
    if (!this.#targets.every(isOfType)) return false;
    if (isPackage(file, use)) return true;
    const type = typeNameBefore(file, use);
    if (type === undefined || this.#targets.some(({ definition }) => definition.container === type)) return false;
    return this.#known.find([file.snapshot.repo, type, use.name], () => this.#isAnother(file, type, use.name));
  }

  /** By what the repositories of the file and of the target define. */
  async #isAnother(file: SourceFile, type: string, name: string): Promise<boolean> {
    const places = [...this.#targets, file].map((one) => [one.snapshot.repo, one.snapshot] as const);
    for (const place of new Map(places).values()) {
      const wanted = { name: type, language: file.language, limit: userLimits.types };
      const { files, isCut } = await this.#candidates.definers({ snapshot: place, path: '' }, wanted);
      if (isCut || !(await areOwners(files, type, name))) return false;
    }
    return true;
  }
}

/** Whether each file that defines the type also defines the member for it. */
async function areOwners(files: readonly CommitFile[], type: string, name: string): Promise<boolean> {
  const types = await definedIn(files, type, isShared);
  const members = await definedIn(files, name, ({ container }) => container === type);
  const having = new Set(members.map(({ path }) => path));
  return types.every(({ path, definition: { kind } }) => qualifierKinds.has(kind) && having.has(path));
}

const isOfType = ({ definition: { isMember, container } }: Target): boolean => isMember && container !== undefined;

/** A package has no members of types. */
function isPackage({ language, symbols }: SourceFile, { qualifier = '', at }: Reference): boolean {
  if (language.visibility !== 'folder' || nearest(symbols.definitionsOf(qualifier), at)) return false;
  return symbols.imports.some(({ kind, local }) => kind === 'module' && local === qualifier);
}

/** The name of the type that is written before a use, or beside the variable there. */
function typeNameBefore(file: SourceFile, { qualifier = '', at }: Reference): string | undefined {
  const { symbols } = file;
  const local = nearest(symbols.definitionsOf(qualifier), at);
  const name = local ? plainType.exec(local.type ?? '')?.[1] : typePath.exec(qualifier)?.[1];
  const isOwnName = (one: string): boolean =>
    symbols.definitionsOf(one).some(({ scope }) => scope !== undefined) ||
    symbols.imports.some(({ kind, imported, local: here }) => here === one && (kind !== 'name' || imported !== one));
  return name === undefined || isOwnName(name) ? undefined : name;
}

/** A use that may mean a member. */
interface MemberUse {
  readonly file: SourceFile;
  readonly use: Reference;
  readonly target: Target;
  readonly competing: CompetingDefinitions;
}

/** Whether a file names the type of a member, or imports the file that has it. */
export async function knowsTheType(names: NameResolver, { file, use, target, competing }: MemberUse): Promise<boolean> {
  const { container = '' } = target.definition;
  const { visibility } = file.language;
  const isHere = file.snapshot.repo === target.snapshot.repo;
  const isKey = use.qualifier === undefined;
  const isNamed = file.symbols.usesOf(container).length > 0;
  const imported = async (): Promise<boolean> => (await names.imports.allFilesOf(file)).has(target.path);
  // If a package is a folder, its names are visible there and where it is imported.
  if (isHere && visibility === 'folder') return (isNamed || !isKey) && imported();
  if (isNamed) return isHere || isOrUnknown(names, { file, name: container, target });
  if (!isHere || isKey) return false;
  // If types do not tell (macros, aliases), a name with one definition does.
  return (visibility === 'everywhere' && !(await competing.areElsewhere(target))) || imported();
}

/** Whether a name in another repository means a definition in the target's file, or cannot be resolved. */
async function isOrUnknown(
  names: NameResolver,
  { file, name, target }: { file: SourceFile; name: string; target: Target },
): Promise<boolean> {
  const near = await names.near(file, name);
  const found = near.length > 0 ? near : await names.imports.wholeNameOf(file, name);
  const { snapshot, path } = target;
  return found.length === 0 || found.some((one) => one.snapshot.repo === snapshot.repo && one.path === path);
}
