import { definerLimits, inference, inferredValues, userLimits } from '../limits.ts';
import type { Candidates, CandidateList } from '../candidates/candidates.ts';
import { Memoized } from '../memoized.ts';
import { isShadowed, namesParameter, wholeModule } from '../parse/file-symbols.ts';
import type { Import, Reference } from '../parse/file-symbols.ts';
import { folderOf } from '../paths.ts';
import type { Snapshots } from '../snapshot/snapshot.ts';
import { fileKey, isIn, keyOf, targetsIn } from '../snapshot/source-file.ts';
import type { CommitFile, SourceFile, Target } from '../snapshot/source-file.ts';
import type { DefinitionFinder } from './definition-finder.ts';
import { packagesOf } from './import-resolver.ts';
import { likelihoodOf, nearest } from './senses.ts';
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
  readonly #keys: ReadonlySet<string>;
  /** Other members of the name that the repository has. */
  #rivals: Promise<readonly Target[]> | undefined;
  #followed = 0;

  constructor(parts: ReferenceParts, targets: readonly Target[], overridden = noneOverridden) {
    this.#parts = parts;
    this.#targets = targets;
    this.#overridden = { members: keysOf(overridden.members), types: keysOf(overridden.types) };
    this.#isOfInterface = overridden.isOfInterface;
    this.#meant = [...targets, ...overridden.members];
    this.#shared = targets.find(({ definition }) => !definition.scope);
    this.#keys = keysOf(targets);
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
    const files = all.files.filter((file) => !seen.has(fileKey(file)));
    for (const file of files) seen.add(fileKey(file));
    const uses = await this.#usesIn(files, names, all.isNaming);
    return { files: uses.files, isCut: all.isCut || uses.isCut };
  }

  /** Once many values are looked at, `limit` uses are enough, and none are wanted of files that do not name the type. */
  async #usesIn(
    files: readonly CommitFile[],
    names: ReadonlySet<string>,
    isNaming: (file: CommitFile) => boolean,
  ): Promise<AllUses> {
    const { snapshots, definitions, limit } = this.#parts;
    const found: FoundUses[] = [];
    for (let at = 0; at < files.length; at += atOnce) {
      await snapshots.share();
      const isLong = this.#followed + definitions.members.steps / inferredValues.steps >= inferredValues.values;
      const isEnough = countOf(found) >= limit || !files.slice(at, at + atOnce).some(isNaming);
      if (snapshots.isLate || (isLong && isEnough)) return { files: found, isCut: true };
      const some = await Promise.all(files.slice(at, at + atOnce).map(({ snapshot, path }) => snapshot.file(path)));
      const meant = await Promise.all(some.map(async (file) => (file ? [await this.#meantIn(file, names)] : [])));
      found.push(...meant.flat().filter(({ uses }) => uses.length > 0));
    }
    return { files: found, isCut: false };
  }

  async #meantIn(file: SourceFile, names: ReadonlySet<string>): Promise<FoundUses> {
    const verdicts = new Memoized<boolean>();
    // Where a member needs no qualifier, a bare name may mean another one in each type.
    const isOfType =
      file.language.hasBareMembers === true && this.#targets.some(({ definition }) => definition.isMember);
    const isMeant = async (use: Reference): Promise<boolean> => {
      await this.#parts.snapshots.share();
      const place = isOfType && !use.isMember ? use.line : this.#parts.definitions.members.keyOf(file, use);
      const key = [String(use.isMember), use.name, String(use.role === 'import'), String(place)];
      return verdicts.find(key, () => this.#isMeant(file, use));
    };
    const uses = usesUnder(file, names);
    const areMeant = await Promise.all(uses.map(isMeant));
    return { file, uses: uses.filter((_, index) => areMeant[index]) };
  }

  /** Whether the definition of a use is the one that is asked for. */
  async #isMeant(file: SourceFile, use: Reference): Promise<boolean> {
    this.#followed += 1;
    const { targets, outside } = await this.#parts.definitions.follow(file, use);
    if (targets.length === 0)
      return !outside && !namesParameter(use) && anyOf(this.#targets, (target) => this.#isLikely(file, use, target));
    return (
      this.#isAmong(targets) ||
      (await this.#mayRun(file, use, targets)) ||
      anyOf(targets, (one) => this.#isImplementing(one))
    );
  }

  #isAmong(found: readonly Target[]): boolean {
    return found.some((one) => this.#keys.has(keyOf(one)));
  }

  readonly #isBase = (type: Shape): boolean =>
    type.kind === 'type' && !type.isItself && this.#overridden.types.has(keyOf(type.target));

  /** Whether a call through a base type may run what overrides the member there. `super.name` means just that member. */
  async #mayRun(file: SourceFile, use: Reference, found: readonly Target[]): Promise<boolean> {
    const { qualifier = 'this' } = use;
    if (inherited.test(qualifier) || !found.some((one) => this.#overridden.members.has(keyOf(one)))) return false;
    return (await this.#parts.definitions.members.before(file, { ...use, qualifier })).some(this.#isBase);
  }

  /** Whether a member implements that of an interface which is asked for. Then a call of it is a use of that one. */
  async #isImplementing(member: Target): Promise<boolean> {
    if (!this.#isOfInterface) return false;
    return this.#implementing.find([keyOf(member)], async () => {
      const { members } = await overriddenBy(this.#parts.definitions.members.types, [member]);
      return this.#isAmong(members);
    });
  }

  /** Whether a use that nothing explains probably means a target: its file knows the target, and no other member is as likely. */
  async #isLikely(file: SourceFile, use: Reference, target: Target): Promise<boolean> {
    const { isMember, container, isPrivate } = target.definition;
    const { visibility } = file.language;
    const isOwn = fileKey(file) === fileKey(target);
    const isHere = file.snapshot.repo === target.snapshot.repo;
    const isEverywhere = isHere && visibility === 'everywhere';
    if (!use.isMember)
      return (isOwn && visibility !== undefined) || (isEverywhere && !isPrivate && (!isMember || !container));
    if (isOwn && container !== undefined) return true;
    if (!isMember) return container !== undefined && use.qualifier?.split(/::|\./).at(-1) === container;
    if (isHere && visibility === 'folder' && folderOf(file.path) === folderOf(target.path)) return true;
    if (file.symbols.definitionsOf(use.name).some((one) => one.isMember)) return false;
    const rivals = await this.#rivalsOf(target);
    if (isEverywhere && rivals.length === 0) return true;
    const imported = await this.#parts.definitions.names.imports.allFilesOf(file);
    const isKnown = (isHere && imported.has(target.path)) || (await this.#namesType(file, target));
    if (!isKnown || hasWrittenType(file, use)) return false;
    const likelihood = likelihoodOf(file, [use], imported);
    return rivals.every((rival) => likelihood(rival) < likelihood(target));
  }

  #rivalsOf(target: Target): Promise<readonly Target[]> {
    const wanted = { name: target.definition.name, limit: definerLimits.rivals };
    this.#rivals ??= this.#parts.candidates
      .definitions(target, wanted, (one) => one.isMember && one.kind !== 'key')
      .then((all) => all.filter((one) => !this.#keys.has(keyOf(one))));
    return this.#rivals;
  }

  /** Whether a file names the type of a member, and does not mean another one. */
  async #namesType(file: SourceFile, { definition: { container = '' }, snapshot, path }: Target): Promise<boolean> {
    if (file.symbols.usesOf(container).length === 0) return false;
    const types = await this.#parts.definitions.names.named(file, container);
    return types.length === 0 || types.some((one) => one.path === path && one.snapshot.repo === snapshot.repo);
  }
}

/** Whether the type of the value before a use is written, though it leads nowhere, as `any` does. */
function hasWrittenType({ symbols }: SourceFile, { qualifier = '', at }: Reference): boolean {
  const { type = '=' } = nearest(symbols.definitionsOf(qualifier), at) ?? {};
  return !type.startsWith('=');
}

async function anyOf(targets: readonly Target[], test: (target: Target) => Promise<boolean>): Promise<boolean> {
  for (const target of targets) if (await test(target)) return true;
  return false;
}

/** What stands before a member of the base types: `parent` in PHP, `base` in C#. */
const inherited = /^(super|parent|base)\b/;
/** Names of constructors. A call of the class uses them, but does not write the name. */
const unnamed = new Set(['constructor', '__init__', '__construct', 'initialize']);

/** The uses of what one file defines under a name. */
export async function findUses(parts: ReferenceParts, targets: readonly Target[]): Promise<AllUses> {
  const [target] = targets;
  if (!target) return nothing;
  const { name, kind } = target.definition;
  const isUnnamed = unnamed.has(name) || kind === 'constructor';
  const classes = isUnnamed ? await classesOf(targets) : [];
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

/** Folders of copied packages. They do not use the code around them. */
const vendored = /(^|\/)(vendor|node_modules|third_party)\//;

const noFiles: CandidateList = { files: [], isCut: false };

/** Files that have a text: the file of the definition first, then files that name its type, then the others. */
interface UserFiles extends CandidateList {
  /** Whether a file names the type. All files do if the definition is no member. */
  readonly isNaming: (file: CommitFile) => boolean;
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
  if (types.includes(undefined)) return { files: [target, ...files], isCut, isNaming: () => true };
  const names = [...new Set(types)].flatMap((one) => one ?? []).slice(0, userLimits.types);
  const users = await Promise.all(names.map((name) => usersOf(candidates, target, name)));
  const naming = new Set(users.flatMap((some) => [...some.here.files, ...some.there.files].map(fileKey)));
  const isNaming = (file: CommitFile): boolean => file === target || naming.has(fileKey(file));
  return { files: [target, ...files.toSorted((a, b) => Number(isNaming(b)) - Number(isNaming(a)))], isCut, isNaming };
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
