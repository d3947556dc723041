import type { Language } from '@sextant/contracts';
import type { Candidate, CandidateList, Candidates } from '../candidates/candidates.ts';
import { Memoized } from '../memoized.ts';
import { isShadowed, namesParameter, wholeModule } from '../parse/file-symbols.ts';
import type { Import, Reference } from '../parse/file-symbols.ts';
import { folderOf } from '../paths.ts';
import type { Snapshots } from '../snapshot/snapshot.ts';
import type { DefinitionFinder } from './definition-finder.ts';
import { packagesOf } from './import-resolver.ts';
import { ReceiverTypes, CompetingMembers, knowsTheType } from './member-uses.ts';
import type { NameResolver } from './name-resolver.ts';
import { nearest } from './senses.ts';
import { fileOf, isIn, keyOf, targetOf } from './target.ts';
import type { SourceFile, Target } from './target.ts';
import type { Shape } from './types/shapes.ts';

/** Values whose types are inferred until `limit` uses are enough. Each `stepsOfValue` steps of inference count as one value more. */
const mostValues = 600;
const stepsOfValue = 200;
/** Other names of a definition that are followed. */
const maxAliases = 5;
/** Files that are looked at side by side. */
const atOnce = 16;

export interface AllUses {
  /** The file of the definition first, then those of its repository, then of others. */
  readonly files: readonly FoundUses[];
  readonly isCut: boolean;
}

/** A word to search for, and the names under which files may import the definition. */
interface Round {
  readonly text: string;
  readonly names: ReadonlySet<string>;
}

/** The definition whose uses are wanted, its names, and how many uses are enough once `mostValues` is reached. */
interface Wanted {
  readonly target: Target;
  readonly names: ReadonlySet<string>;
  readonly enough: number;
}

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
  readonly #names: NameResolver;
  readonly #keys: ReadonlySet<string>;
  #competing: Promise<CandidateList> | undefined;
  readonly #members: CompetingMembers;
  readonly #receivers: ReceiverTypes;
  #followed = 0;

  constructor(parts: ReferenceParts, targets: readonly Target[]) {
    this.#parts = parts;
    this.#targets = targets;
    this.#names = parts.definitions.names;
    this.#keys = new Set(targets.map(keyOf));
    this.#members = new CompetingMembers(parts.candidates, this.#names.imports, this.#keys);
    this.#receivers = new ReceiverTypes(parts.candidates, targets);
  }

  async find({ snapshot, path }: Target): Promise<AllUses> {
    const language = snapshot.languages.of(path);
    const symbols = await snapshot.symbols(path);
    if (!language || !symbols) return { files: [], isCut: false };
    const file = { snapshot, path, language, symbols };
    const local = { file, uses: this.#targets.flatMap((one) => (one.definition.scope ? ownUses(file, one) : [])) };
    const shared = this.#targets.find((one) => !one.definition.scope);
    const others = shared ? await this.#findShared(file, shared) : { files: [], isCut: false };
    return { ...others, files: merged([local, ...others.files], { snapshot, path }) };
  }

  async #findShared(file: SourceFile, target: Target): Promise<AllUses> {
    const { path, definition } = target;
    const seen = new Set<string>();
    const first = await this.#round(target, { text: definition.name, names: new Set([definition.name]) }, seen);
    const aliases = isDefault(file, definition.name)
      ? [moduleName(path)]
      : aliasesIn(
          first.files.map(({ file }) => file),
          definition.name,
        );
    const rounds = [first];
    for (const text of aliases.slice(0, maxAliases)) {
      const names = new Set([definition.name, 'default', text]);
      rounds.push(await this.#round(target, { text, names }, seen));
    }
    return { files: rounds.flatMap(({ files }) => files), isCut: rounds.some(({ isCut }) => isCut) };
  }

  /** Looks at the files that have a text, except those in `seen`, and adds them to it. */
  async #round(target: Target, { text, names }: Round, seen: Set<string>): Promise<AllUses> {
    const all = await userFiles(this.#parts.candidates, [target, ...this.#targets], text);
    const isFresh = (file: Candidate): boolean => !seen.has(fileKey(file));
    const [naming, others] = [all.naming.filter(isFresh), all.others.filter(isFresh)];
    for (const file of [...naming, ...others]) seen.add(fileKey(file));
    const uses = await this.#usesIn(naming, { target, names, enough: this.#parts.limit });
    const more = await this.#usesIn(others, { target, names, enough: 0 });
    return { files: [...uses.files, ...more.files], isCut: all.isCut || more.isCut };
  }

  async #usesIn(files: readonly Candidate[], wanted: Wanted): Promise<AllUses> {
    const found: FoundUses[] = [];
    const { target, names, enough } = wanted;
    for (let at = 0; at < files.length; at += atOnce) {
      await this.#parts.snapshots.share();
      if (this.#parts.snapshots.isLate) return { files: found, isCut: true };
      const count = found.reduce((sum, { uses }) => sum + uses.length, 0);
      if (this.#isLong() && count >= enough) return { files: found, isCut: true };
      const some = files.slice(at, at + atOnce).map((candidate) => this.#usesOf(candidate, target, names));
      found.push(...(await Promise.all(some)).flatMap((uses) => uses ?? []));
    }
    return { files: found, isCut: false };
  }

  #isLong(): boolean {
    return this.#followed + this.#parts.definitions.members.steps / stepsOfValue >= mostValues;
  }

  async #usesOf(
    { snapshot, path }: Candidate,
    target: Target,
    names: ReadonlySet<string>,
  ): Promise<FoundUses | undefined> {
    const language = snapshot.languages.of(path);
    const symbols = await snapshot.symbols(path);
    if (!language || !symbols) return undefined;
    const file = { snapshot, path, language, symbols };
    const uses = await this.#meant(file, usesUnder(file, names), target);
    return uses.length > 0 ? { file, uses } : undefined;
  }

  async #meant(file: SourceFile, uses: readonly Reference[], target: Target): Promise<readonly Reference[]> {
    const isOwn = fileKey(file) === fileKey(target);
    const targets = this.#targets.filter(({ path, definition }) => path === target.path && !definition.scope);
    const verdicts = new Memoized<boolean>();
    const isOfPlace = file.language.hasBareMembers && targets.some(({ definition }) => definition.isMember);
    const isMeant = async (use: Reference): Promise<boolean> => {
      await this.#parts.snapshots.share();
      const place = isOfPlace && !use.isMember ? use.line : this.#parts.definitions.members.keyOf(file, use);
      const key = [String(use.isMember), use.name, String(place)];
      return verdicts.find(key, () => this.#isAnyMeant({ file, use, isOwn }, targets));
    };
    const areMeant = await Promise.all(uses.map(isMeant));
    return uses.filter((_, index) => areMeant[index]);
  }

  async #isAnyMeant(used: Used, targets: readonly Target[]): Promise<boolean> {
    if (!used.use.isMember) return anyOf(targets, (target) => this.#isMeant(used, target));
    if (await this.#receivers.isOther(used.file, used.use)) return false;
    const byType = await this.#isMeantByType(used.file, used.use);
    if (namesParameter(used.use)) return byType === true;
    return byType ?? anyOf(targets, (target) => this.#isMeantBehind(used, target));
  }

  async #isMeant({ file, use, isOwn }: Used, target: Target): Promise<boolean> {
    // In a language where members always have a qualifier, a bare name means something else.
    if (isOwn) return !target.definition.isMember || file.language.visibility !== undefined;
    return this.#isMeantAlone(file, use, target);
  }

  /** Undefined if the type of the qualifier cannot be inferred. */
  async #isMeantByType(file: SourceFile, use: Reference): Promise<boolean | undefined> {
    this.#followed += 1;
    const { members } = this.#parts.definitions;
    const types = await members.before(file, use);
    const behind = await members.membersOf(types, use.name);
    const found = behind.length > 0 ? behind : await members.types.byPath(file, use.qualifier ?? '', use.name);
    if (found.length > 0) return found.some((one) => this.#keys.has(keyOf(one)));
    // Only languages that share names without imports have extensions of library types.
    const isLibrary = file.language.visibility === undefined && types.length > 0 && types.every(isOfLibrary);
    return isLibrary || types.some(({ kind }) => kind === 'foreign') ? false : undefined;
  }

  /** Whether the name, standing alone in a file, means the definition. */
  async #isMeantAlone(file: SourceFile, use: Reference, target: Target): Promise<boolean> {
    const { isMember, container } = target.definition;
    const { visibility, hasBareMembers } = file.language;
    if (isMember && !hasBareMembers) return false;
    const near = await this.#names.near(file, use.name);
    if (near.length > 0) return near.some((found) => this.#keys.has(keyOf(found)));
    if (isMember && container !== undefined)
      return (await this.#isMeantByType(file, { ...use, qualifier: 'this' })) === true;
    const isHere = file.snapshot.repo === target.snapshot.repo;
    if (target.definition.isPrivate) {
      const included = await this.#names.imports.wholeNameOf(file, target.definition.name);
      return included.some((one) => this.#keys.has(keyOf(one)));
    }
    if (visibility === 'folder' && isNeighbour(file, target)) return true;
    if (visibility === 'everywhere' && isHere && !(await this.#hasCompetingDefinition(target))) return true;
    const whole = await this.#names.imports.wholeNameOf(file, target.definition.name);
    if (whole.length > 0) return whole.some((one) => this.#keys.has(keyOf(one)));
    return visibility === 'everywhere' && isHere;
  }

  /** Whether other files of the repository define the name, too. */
  #hasCompetingDefinition({ snapshot, path, definition: { name } }: Target): Promise<boolean> {
    const language = snapshot.languages.of(path);
    this.#competing ??= language
      ? this.#parts.candidates.inSnapshot(snapshot, path, { name, role: 'definition', language, limit: 2 })
      : undefined;
    return Promise.resolve(this.#competing).then((found) => found?.files.some((file) => file.path !== path) ?? false);
  }

  /** Whether `qualifier.name` means the definition. */
  async #isMeantBehind({ file, use, isOwn }: Used, target: Target): Promise<boolean> {
    const { name, qualifier } = use;
    const { isMember, container } = target.definition;
    if (isOwn && (isMember || container !== undefined)) return true;
    const imported = file.symbols.imports.find(({ local }) => local === qualifier);
    if (imported?.kind === 'module' || (imported && !isMember)) {
      const found = await this.#names.imports.nameOf(file, imported, name);
      return found.some((one) => this.#keys.has(keyOf(one)));
    }
    if (!isMember) return container !== undefined && qualifier?.split(/::|\./).at(-1) === container;
    if (qualifier !== undefined && container !== undefined && imported) return imported.imported === container;
    if (isNeighbour(file, target) && file.language.visibility === 'folder') return true;
    const hasOwn = file.symbols.definitionsOf(name).some(({ isMember: isToo }) => isToo);
    const hasCompetingDefinition = (): Promise<boolean> => this.#hasCompetingDefinition(target);
    if (hasOwn || !(await knowsTheType(this.#names, { file, use, target, hasCompetingDefinition }))) return false;
    return this.#members.areLess(file, target, use);
  }
}

async function anyOf(targets: readonly Target[], test: (target: Target) => Promise<boolean>): Promise<boolean> {
  for (const target of targets) if (await test(target)) return true;
  return false;
}

const libraryKinds = new Set(['list', 'map', 'record', 'promise', 'tuple']);
const isOfLibrary = ({ kind }: Shape): boolean => libraryKinds.has(kind);

const isNeighbour = ({ snapshot, path }: SourceFile, target: Target): boolean =>
  snapshot.repo === target.snapshot.repo && folderOf(path) === folderOf(target.path);

/** Names of constructors. A call of the class uses them, but does not write the name. */
const unnamed = new Set(['constructor', '__init__', '__construct', 'initialize']);

/** The uses of what one file defines under a name. */
export async function findUses(parts: ReferenceParts, targets: readonly Target[]): Promise<AllUses> {
  const [target] = targets;
  if (!target) return { files: [], isCut: false };
  const { name, kind, container } = target.definition;
  const classes = unnamed.has(name) || (kind === 'constructor' && name !== container) ? await classesOf(targets) : [];
  const own = await new ReferenceFinder(parts, targets).find(target);
  if (classes.length === 0) return own;
  const all = await Promise.all(classes.map((one) => new ReferenceFinder(parts, [one]).find(one)));
  const calls = all.flatMap((one) => one.files).map(({ file, uses }) => ({ file, uses: uses.filter(isCall) }));
  return { files: merged([...own.files, ...calls], target), isCut: [own, ...all].some(({ isCut }) => isCut) };
}

const isCall = ({ role }: { readonly role: string }): boolean => role === 'call';

async function classesOf(targets: readonly Target[]): Promise<Target[]> {
  const found = await Promise.all(
    targets.map(async (target) => {
      const { isMember, container } = target.definition;
      const file = isMember && container !== undefined ? await fileOf(target) : undefined;
      const named = file && container !== undefined ? file.symbols.definitionsOf(container) : [];
      const around = named.filter((one) => isIn(target.definition, one));
      return file ? around.slice(0, 1).map((one) => targetOf(file, one)) : [];
    }),
  );
  return found.flat();
}

/** The uses in one file. */
export interface FoundUses {
  readonly file: SourceFile;
  readonly uses: readonly Reference[];
}

const fileKey = ({ snapshot, path }: Candidate): string => `${snapshot.repo}\0${snapshot.commit}\0${path}`;

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
function merged(all: readonly FoundUses[], { snapshot, path }: Candidate): FoundUses[] {
  const files = Map.groupBy(all, ({ file }) => fileKey(file));
  const found = [...files.values()].flatMap((same) => {
    const uses = new Map(same.flatMap((one) => one.uses.map((use) => [use.at, use])));
    const [first] = same;
    return first && uses.size > 0 ? [{ ...first, uses: [...uses.values()].toSorted((a, b) => a.at - b.at) }] : [];
  });
  const rank = ({ file }: FoundUses): number =>
    file.snapshot.repo !== snapshot.repo ? 2 : fileKey(file) === fileKey({ snapshot, path }) ? 0 : 1;
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

/** Most files of the repository, and of all others, that are parsed for one answer. */
const maxFiles = 2000;
const maxElsewhere = 500;
/** Types of the members of one name that are told apart. */
const maxTypes = 20;

/** Folders of copied packages. They do not use the code around them. */
const vendored = /(^|\/)(vendor|node_modules|third_party)\//;

/** Files that have a text. */
interface UserFiles {
  /** The file of the definition, then files that name its type. All files if the definition is no member. */
  readonly naming: readonly Candidate[];
  readonly others: readonly Candidate[];
  readonly isCut: boolean;
}

const none: CandidateList = { files: [], isCut: false };

/** Finds the files that may use the definitions of one file, by a word that they have. */
async function userFiles(
  candidates: Candidates,
  targets: readonly [Target, ...Target[]],
  text: string,
): Promise<UserFiles> {
  const [target] = targets;
  const { snapshot, path } = target;
  const language = snapshot.languages.of(path);
  if (!language) return { naming: [], others: [], isCut: false };
  const using = (name: string): Promise<CandidateList[]> => usersOf(candidates, target, { name, language });
  const [here = none, there = none] = await using(text);
  const files = [...here.files.filter((file) => file.path !== path), ...there.files];
  const isCut = here.isCut || there.isCut;
  const types = targets.map(({ definition: { isMember, container } }) => (isMember ? container : undefined));
  if (types.includes(undefined)) return { naming: [target, ...files], others: [], isCut };
  const names = [...new Set(types)].flatMap((one) => one ?? []).slice(0, maxTypes);
  const lists = (await Promise.all(names.map(using))).flat();
  const naming = new Set(lists.flatMap((list) => list.files.map(fileKey)));
  const { likely = [], unlikely = [] } = Object.groupBy(files, (file) =>
    naming.has(fileKey(file)) ? 'likely' : 'unlikely',
  );
  return { naming: [target, ...likely], others: unlikely, isCut };
}

/** Files of the repository, then of all others. Vendored code has no users elsewhere: they have their own copy. */
async function usersOf(
  candidates: Candidates,
  { snapshot, path }: Target,
  { name, language }: { name: string; language: Language },
): Promise<CandidateList[]> {
  const isVendored = vendored.test(path);
  const users = { name, role: 'use', language } as const;
  const here = await candidates.inSnapshot(snapshot, path, {
    ...users,
    ...(!isVendored && { isFitting: (other: string) => !vendored.test(other) }),
    limit: maxFiles,
  });
  const packages = await packagesOf(snapshot, language);
  if (isVendored || packages?.length === 0) return [here];
  return [here, await candidates.elsewhere(snapshot, { ...users, packages, limit: maxElsewhere })];
}
