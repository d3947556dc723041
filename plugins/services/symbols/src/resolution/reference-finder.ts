import { inference, inferredValues, userLimits } from '../limits.ts';
import type { Candidates, CandidateList } from '../candidates/candidates.ts';
import { Memoized } from '../memoized.ts';
import { isShadowed, namesParameter, wholeModule } from '../parse/file-symbols.ts';
import type { Import, Reference } from '../parse/file-symbols.ts';
import { folderOf } from '../paths.ts';
import type { Snapshots } from '../snapshot/snapshot.ts';
import { fileKey, isIn, isShared, keyOf, targetsIn } from '../snapshot/source-file.ts';
import type { CommitFile, SourceFile, Target } from '../snapshot/source-file.ts';
import type { DefinitionFinder } from './definition-finder.ts';
import { packagesOf } from './import-resolver.ts';
import { CompetingDefinitions, knowsTheType, ReceiverTypes } from './member-uses.ts';
import type { NameResolver } from './name-resolver.ts';
import { nearest } from './senses.ts';
import { flat, itselfOf } from './types/shapes.ts';
import type { Shape } from './types/shapes.ts';
import type { Types } from './types/types.ts';

/** Files that are looked at side by side. */
const atOnce = 16;

/** The uses in one file. */
export interface FoundUses {
  readonly file: SourceFile;
  readonly uses: readonly Reference[];
}

export interface AllUses {
  /** The file of the definition first, then those of its repository, then of others. */
  readonly files: readonly FoundUses[];
  readonly isCut: boolean;
}

const nothing: AllUses = { files: [], isCut: false };

interface Used {
  readonly file: SourceFile;
  readonly use: Reference;
  /** Whether the file is that of the definition. */
  readonly isOwn: boolean;
}

interface ReferenceParts {
  readonly candidates: Candidates;
  readonly definitions: DefinitionFinder;
  readonly snapshots: Snapshots;
  /** Uses that are wanted. */
  readonly limit: number;
}

/** Finds the uses of a definition. For each file that has the name, it asks what the name means there. */
class ReferenceFinder {
  readonly #parts: ReferenceParts;
  /** The definitions of one file that a use may name: overloads, and members of several types. */
  readonly #targets: readonly Target[];
  readonly #overridden: Readonly<Record<'members' | 'types', ReadonlySet<string>>>;
  readonly #isOfInterface: boolean;
  /** Whether members implement a target, by their keys. */
  readonly #implementing = new Memoized<boolean>();
  /** The targets, and the members of base types that they override. */
  readonly #meant: readonly Target[];
  /** The first that other files may use. */
  readonly #shared: Target | undefined;
  /** Whether the targets stand outside of the type that they are for, which may be one of a library. */
  readonly #isExtension: boolean;
  readonly #names: NameResolver;
  readonly #keys: ReadonlySet<string>;
  readonly #competing: CompetingDefinitions;
  readonly #receivers: ReceiverTypes;
  #followed = 0;

  constructor(parts: ReferenceParts, targets: readonly Target[], overridden = noneOverridden) {
    this.#parts = parts;
    this.#targets = targets;
    this.#overridden = { members: keysOf(overridden.members), types: keysOf(overridden.types) };
    this.#isOfInterface = overridden.isOfInterface;
    this.#meant = [...targets, ...overridden.members];
    this.#shared = targets.find(({ definition }) => !definition.scope);
    this.#isExtension = targets.every(({ definition }) => !definition.isMember && definition.container !== undefined);
    this.#names = parts.definitions.names;
    this.#keys = keysOf(targets);
    this.#competing = new CompetingDefinitions(parts.candidates, this.#names.imports, this.#keys);
    this.#receivers = new ReceiverTypes(parts.candidates, this.#meant);
  }

  async find(target: Target): Promise<AllUses> {
    const file = await target.snapshot.file(target.path);
    if (!file) return nothing;
    const local = { file, uses: this.#targets.flatMap((one) => (one.definition.scope ? ownUses(file, one) : [])) };
    const others = this.#shared ? await this.#findShared(file, this.#shared) : nothing;
    return { ...others, files: merged([local, ...others.files], target) };
  }

  async #findShared(file: SourceFile, target: Target): Promise<AllUses> {
    const { name } = target.definition;
    const seen = new Set<string>();
    const rounds = [await this.#round(target, { text: name, names: new Set([name]), seen })];
    const aliases = isDefault(file, name) ? [moduleName(target.path)] : aliasesIn(rounds.flatMap(filesIn), name);
    for (const text of aliases.slice(0, userLimits.aliases))
      rounds.push(await this.#round(target, { text, names: new Set([name, 'default', text]), seen }));
    return { files: rounds.flatMap(({ files }) => files), isCut: rounds.some(({ isCut }) => isCut) };
  }

  /** Looks at the files that have a text, except those in `seen`, for `names` that may mean the target. Adds the files to `seen`. */
  async #round(
    target: Target,
    { text, names, seen }: { text: string; names: ReadonlySet<string>; seen: Set<string> },
  ): Promise<AllUses> {
    const all = await userFiles(this.#parts.candidates, [target, ...this.#meant], text);
    const isFresh = (file: CommitFile): boolean => !seen.has(fileKey(file));
    const [naming, others] = [all.naming.filter(isFresh), all.others.filter(isFresh)];
    for (const file of [...naming, ...others]) seen.add(fileKey(file));
    const uses = await this.#usesIn(naming, names, this.#parts.limit);
    const more = await this.#usesIn(others, names, 0);
    return { files: [...uses.files, ...more.files], isCut: all.isCut || more.isCut };
  }

  /** Once many values are looked at, `enough` uses are enough. */
  async #usesIn(files: readonly CommitFile[], names: ReadonlySet<string>, enough: number): Promise<AllUses> {
    const { snapshots, definitions } = this.#parts;
    const found: FoundUses[] = [];
    for (let at = 0; at < files.length; at += atOnce) {
      await snapshots.share();
      const isLong = this.#followed + definitions.members.steps / inferredValues.steps >= inferredValues.values;
      if (snapshots.isLate || (isLong && countOf(found) >= enough)) return { files: found, isCut: true };
      const some = await Promise.all(files.slice(at, at + atOnce).map(({ snapshot, path }) => snapshot.file(path)));
      const meant = await Promise.all(some.map(async (file) => (file ? [await this.#meantIn(file, names)] : [])));
      found.push(...meant.flat().filter(({ uses }) => uses.length > 0));
    }
    return { files: found, isCut: false };
  }

  async #meantIn(file: SourceFile, names: ReadonlySet<string>): Promise<FoundUses> {
    const isOwn = this.#shared !== undefined && fileKey(file) === fileKey(this.#shared);
    const targets = this.#targets.filter(({ path, definition }) => path === this.#shared?.path && isShared(definition));
    const verdicts = new Memoized<boolean>();
    const isOfPlace = file.language.hasBareMembers && targets.some(({ definition }) => definition.isMember);
    const isMeant = async (use: Reference): Promise<boolean> => {
      await this.#parts.snapshots.share();
      const place = isOfPlace && !use.isMember ? use.line : this.#parts.definitions.members.keyOf(file, use);
      const key = [String(use.isMember), use.name, String(use.role === 'import'), String(place)];
      return verdicts.find(key, () => this.#isAnyMeant({ file, use, isOwn }, targets));
    };
    const uses = usesUnder(file, names);
    const areMeant = await Promise.all(uses.map(isMeant));
    return { file, uses: uses.filter((_, index) => areMeant[index]) };
  }

  async #isAnyMeant(used: Used, targets: readonly Target[]): Promise<boolean> {
    if (!used.use.isMember) return anyOf(targets, (target) => this.#isMeant(used, target));
    if (!this.#isOfInterface && (await this.#receivers.isOther(used.file, used.use))) return false;
    const byType = await this.#isMeantByType(used.file, used.use);
    if (namesParameter(used.use)) return byType === true;
    return byType ?? anyOf(targets, (target) => this.#isMeantBehind(used, target));
  }

  #isAmong(found: readonly Target[]): boolean {
    return found.some((one) => this.#keys.has(keyOf(one)));
  }

  readonly #isBase = (type: Shape): boolean =>
    type.kind === 'type' && !type.isItself && this.#overridden.types.has(keyOf(type.target));

  /** Whether a call through a base type may run what overrides the member there. `super.name` means just that member. */
  #mayRun({ qualifier = '' }: Reference, types: readonly Shape[], found: readonly Target[]): boolean {
    return !inherited.test(qualifier) && types.some(this.#isBase) && found.some(this.#isOverridden);
  }

  /** Whether a member implements that of an interface which is asked for. Then a call of it is a use of that one. */
  async #isImplementing(member: Target): Promise<boolean> {
    if (!this.#isOfInterface) return false;
    return this.#implementing.find([keyOf(member)], async () => {
      const { members } = await overriddenBy(this.#parts.definitions.members.types, [member]);
      return this.#isAmong(members);
    });
  }

  readonly #isOverridden = (member: Target): boolean => this.#overridden.members.has(keyOf(member));

  async #isMeant({ file, use, isOwn }: Used, target: Target): Promise<boolean> {
    // In a language where members always have a qualifier, a bare name means something else.
    if (isOwn && !isOfModule(file, use)) return !target.definition.isMember || file.language.visibility !== undefined;
    return this.#isMeantAlone(file, use, target);
  }

  /** Undefined if the type of the qualifier cannot be inferred. */
  async #isMeantByType(file: SourceFile, use: Reference): Promise<boolean | undefined> {
    this.#followed += 1;
    const { members } = this.#parts.definitions;
    const types = await members.before(file, use);
    const behind = await members.membersOf(types, use.name);
    const found = behind.length > 0 ? behind : await members.types.byPath(file, use.qualifier ?? '', use.name);
    if (found.length > 0)
      return (
        this.#isAmong(found) || this.#mayRun(use, types, found) || anyOf(found, (one) => this.#isImplementing(one))
      );
    if (this.#isExtension && hasPackagesInFolders(file)) return undefined;
    // Only languages that share names without imports have extensions of library types.
    const isLibrary = file.language.visibility === undefined && types.length > 0 && types.every(isOfLibrary);
    return isLibrary || types.some(({ kind }) => kind === 'foreign') ? false : undefined;
  }

  /** Whether the name, standing alone in a file, means the definition. */
  async #isMeantAlone(file: SourceFile, use: Reference, target: Target): Promise<boolean> {
    const { isMember, container } = target.definition;
    const { visibility, hasBareMembers } = file.language;
    if (isMember && !hasBareMembers) return false;
    const near = await this.#names.near(file, use.name, [use]);
    if (near.length > 0) return this.#isAmong(near);
    if (isMember && container !== undefined) return this.#isMeantBare(file, use);
    const isHere = file.snapshot.repo === target.snapshot.repo;
    if (target.definition.isPrivate)
      return this.#isAmong(await this.#names.imports.wholeNameOf(file, target.definition.name));
    if (visibility === 'folder' && isNeighbour(file, target)) return true;
    if (visibility === 'everywhere' && isHere && !(await this.#competing.areElsewhere(target))) return true;
    const whole = await this.#names.imports.wholeNameOf(file, target.definition.name);
    if (whole.length > 0) return this.#isAmong(whole);
    return visibility === 'everywhere' && isHere;
  }

  /** Whether a member that stands alone is one of the type around it, or else one that the file imports. */
  async #isMeantBare(file: SourceFile, use: Reference): Promise<boolean> {
    const byType = await this.#isMeantByType(file, { ...use, qualifier: 'this' });
    return byType ?? this.#isAmong(await this.#parts.definitions.members.imported(file, use.name));
  }

  /** Whether `qualifier.name` means the definition. */
  async #isMeantBehind({ file, use, isOwn }: Used, target: Target): Promise<boolean> {
    const { name, qualifier } = use;
    const { isMember, container } = target.definition;
    if (isOwn && (isMember || container !== undefined)) return true;
    const imported = file.symbols.imports.find(({ local }) => local === qualifier);
    if (imported?.kind === 'module' || (imported && !isMember))
      return this.#isAmong(await this.#names.imports.nameOf(file, imported, name));
    if (!isMember && container !== undefined && qualifier?.split(/::|\./).at(-1) === container) return true;
    // An extension in Kotlin is seen as other names of its package are.
    if (!isMember)
      return container !== undefined && hasPackagesInFolders(file) && this.#isMeantAlone(file, use, target);
    if (qualifier !== undefined && container !== undefined && imported) return imported.imported === container;
    if (isNeighbour(file, target) && file.language.visibility === 'folder') return true;
    const hasOwn = file.symbols.definitionsOf(name).some(({ isMember: isToo }) => isToo);
    const competing = this.#competing;
    if (hasOwn || !(await knowsTheType(this.#names, { file, use, target, competing }))) return false;
    return competing.areLess(file, target, use);
  }
}

async function anyOf(targets: readonly Target[], test: (target: Target) => Promise<boolean>): Promise<boolean> {
  for (const target of targets) if (await test(target)) return true;
  return false;
}

/** What stands before a member of the base types: `parent` in PHP, `base` in C#. */
const inherited = /^(super|parent|base)\b/;
const libraryKinds = new Set(['list', 'map', 'record', 'promise', 'tuple']);
const isOfLibrary = ({ kind }: Shape): boolean => libraryKinds.has(kind);

const hasPackagesInFolders = ({ language: { visibility, hasBareMembers } }: SourceFile): boolean =>
  visibility === 'folder' && hasBareMembers === true;

const isNeighbour = ({ snapshot, path }: SourceFile, target: Target): boolean =>
  snapshot.repo === target.snapshot.repo && folderOf(path) === folderOf(target.path);

/** Names of constructors. A call of the class uses them, but does not write the name. */
const unnamed = new Set(['constructor', '__init__', '__construct', 'initialize']);

/** The uses of what one file defines under a name. */
export async function findUses(parts: ReferenceParts, targets: readonly Target[]): Promise<AllUses> {
  const [target] = targets;
  if (!target) return nothing;
  const { name, kind, container } = target.definition;
  const isUnnamed = unnamed.has(name) || kind === 'constructor';
  const classes = isUnnamed && name !== container ? await classesOf(targets) : [];
  const overridden = isUnnamed ? noneOverridden : await overriddenBy(parts.definitions.members.types, targets);
  const own = await new ReferenceFinder(parts, targets, overridden).find(target);
  if (classes.length === 0) return own;
  const all = await Promise.all(classes.map((one) => new ReferenceFinder(parts, [one]).find(one)));
  const calls = all.flatMap((one) => one.files).map(({ file, uses }) => ({ file, uses: uses.filter(isCall) }));
  return { files: merged([...own.files, ...calls], target), isCut: [own, ...all].some(({ isCut }) => isCut) };
}

const keysOf = (targets: readonly Target[]): ReadonlySet<string> => new Set(targets.map(keyOf));
const isCall = ({ role }: { readonly role: string }): boolean => role === 'call';
const filesIn = ({ files }: AllUses): SourceFile[] => files.map(({ file }) => file);
const countOf = (found: readonly FoundUses[]): number => found.reduce((sum, { uses }) => sum + uses.length, 0);

/** The types around members. */
async function classesOf(targets: readonly Target[]): Promise<Target[]> {
  const found = await Promise.all(
    targets.map(async ({ snapshot, path, definition }) => {
      const { isMember, container } = definition;
      const file = isMember && container !== undefined ? await snapshot.file(path) : undefined;
      return file ? targetsIn(file, container ?? '', (one) => isIn(definition, one)).slice(0, 1) : [];
    }),
  );
  return found.flat();
}

/** The types from which those around members inherit, and their members that are overridden or implemented. */
interface Overridden {
  readonly members: readonly Target[];
  readonly types: readonly Target[];
  readonly isOfInterface: boolean;
}

const noneOverridden: Overridden = { members: [], types: [], isOfInterface: false };

/** A call of what a member overrides may run that member, if the value may be of its type. */
async function overriddenBy(types: Types, targets: readonly Target[]): Promise<Overridden> {
  const [first] = targets;
  if (!first || first.definition.scope) return noneOverridden;
  const work = { left: inference.steps };
  const bases = new Map<string, Shape & { kind: 'type' }>();
  const around = await classesOf(targets);
  let level: Shape[] = around.map((target) => itselfOf(target, work));
  for (let depth = 0; level.length > 0 && depth < inference.bases; depth += 1) {
    level = await flat(level.map((type) => types.basesOf(type)));
    for (const base of level) if (base.kind === 'type') bases.set(keyOf(base.target), base);
  }
  const all = [...bases.values()];
  const members = await types.membersOf(all, first.definition.name);
  const isOfInterface = around.some(({ definition: { kind } }) => kind === 'interface' || kind === 'trait');
  return { members: members.map(({ target }) => target), types: all.map(({ target }) => target), isOfInterface };
}

/** Uses of a local name, where it is visible. */
function ownUses({ symbols }: SourceFile, { definition }: Target): Reference[] {
  const all = symbols.definitionsOf(definition.name);
  const uses = symbols.usesOf(definition.name).filter(({ isMember }) => !isMember);
  return uses.filter(({ at }) => nearest(all, at)?.at === definition.at);
}

/** Uses under one of the names, or under the file's own alias of it. */
function usesUnder({ symbols }: SourceFile, names: ReadonlySet<string>): Reference[] {
  const here = new Set(names);
  const isNamed = ({ kind, module, imported }: Import): boolean =>
    kind === 'module' ? names.has('default') && names.has(moduleName(module)) : kind === 'name' && names.has(imported);
  for (const one of symbols.imports) if (isNamed(one)) here.add(one.local);
  const uses = [...here].flatMap((name) => symbols.usesOf(name).filter((use) => !isShadowed(symbols, use)));
  return uses.toSorted((a, b) => a.at - b.at);
}

/** Joins uses by file. The file of the definition comes first, then those of its repository. */
function merged(all: readonly FoundUses[], target: CommitFile): FoundUses[] {
  const files = Map.groupBy(all, ({ file }) => fileKey(file));
  const found = [...files.values()].flatMap((same) => {
    const uses = new Map(same.flatMap((one) => one.uses.map((use) => [use.at, use])));
    const [first] = same;
    return first && uses.size > 0 ? [{ ...first, uses: [...uses.values()].toSorted((a, b) => a.at - b.at) }] : [];
  });
  const rank = ({ file }: FoundUses): number =>
    file.snapshot.repo !== target.snapshot.repo ? 2 : fileKey(file) === fileKey(target) ? 0 : 1;
  return found.toSorted((a, b) => rank(a) - rank(b));
}

/** Whether the name is the default export of its file, or the whole module. */
const isDefault = ({ symbols }: SourceFile, name: string): boolean =>
  name === 'default' ||
  symbols.imports.some(
    ({ module, imported, local }) => module === '' && imported === name && ['default', wholeModule].includes(local),
  );

/** The name under which other files import a file. */
const moduleName = (path: string): string => {
  const [last = '', folder = ''] = path.split('/').toReversed();
  const bare = last.replace(/\..*$/, '');
  return /^(index|__init__)$/.test(bare) ? folder : bare;
};

/** Other names that files give to what they import. */
const aliasesIn = (files: readonly SourceFile[], name: string): string[] => {
  const imports = files.flatMap(({ symbols }) => symbols.imports);
  const renamed = imports.filter(
    ({ imported, local }) => imported === name && ![name, 'default', wholeModule].includes(local),
  );
  return [...new Set(renamed.map(({ local }) => local))];
};

/** Whether a use stands in an import, or under a name that an import gives. Then it means what the module has. */
const isOfModule = ({ symbols }: SourceFile, { role, name }: Reference): boolean =>
  role === 'import' ||
  symbols.imports.some(
    (one) => one.local === name && one.imported !== name && one.kind === 'name' && one.module !== '',
  );

/** Folders of copied packages. They do not use the code around them. */
const vendored = /(^|\/)(vendor|node_modules|third_party)\//;

const noFiles: CandidateList = { files: [], isCut: false };

/** Files that have a text. */
interface UserFiles {
  /** The file of the definition, then files that name its type. All files if the definition is no member. */
  readonly naming: readonly CommitFile[];
  readonly others: readonly CommitFile[];
  readonly isCut: boolean;
}

/** Finds the files that may use the definitions of one file, by a word that they have. */
async function userFiles(
  candidates: Candidates,
  targets: readonly [Target, ...Target[]],
  text: string,
): Promise<UserFiles> {
  const [target] = targets;
  const { here, there } = await usersOf(candidates, target, text);
  const files = [...here.files.filter(({ path }) => path !== target.path), ...there.files];
  const isCut = here.isCut || there.isCut;
  const types = targets.map(({ definition: { isMember, container } }) => (isMember ? container : undefined));
  if (types.includes(undefined)) return { naming: [target, ...files], others: [], isCut };
  const names = [...new Set(types)].flatMap((one) => one ?? []).slice(0, userLimits.types);
  const users = await Promise.all(names.map((name) => usersOf(candidates, target, name)));
  const naming = new Set(users.flatMap((some) => [...some.here.files, ...some.there.files].map(fileKey)));
  const isNaming = (file: CommitFile): boolean => naming.has(fileKey(file));
  return {
    naming: [target, ...files.filter(isNaming)],
    others: files.filter((file) => !isNaming(file)),
    isCut,
  };
}

/** Files of the repository, and of all others. Vendored code has no users elsewhere: they have their own copy. */
async function usersOf(
  candidates: Candidates,
  { snapshot, path }: Target,
  name: string,
): Promise<Readonly<Record<'here' | 'there', CandidateList>>> {
  const language = snapshot.languages.of(path);
  if (!language) return { here: noFiles, there: noFiles };
  const isVendored = vendored.test(path);
  const users = { name, role: 'use', language } as const;
  const isFitting = (other: string): boolean => !vendored.test(other);
  const here = await candidates.inSnapshot(snapshot, path, {
    ...users,
    ...(!isVendored && { isFitting }),
    limit: userLimits.repository,
  });
  const packages = await packagesOf(snapshot, language);
  if (isVendored || packages?.length === 0) return { here, there: noFiles };
  return { here, there: await candidates.elsewhere(snapshot, { ...users, packages, limit: userLimits.elsewhere }) };
}
