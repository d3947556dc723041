import type { Language, Outside } from '@sextant/contracts';
import type { Candidate, Candidates } from '../candidates/candidates.ts';
import type { NameWanted } from '../candidates/name-index.ts';
import { Memoized } from '../memoized.ts';
import { namesParameter } from '../parse/file-symbols.ts';
import type { Definition, Import, Reference } from '../parse/file-symbols.ts';
import { folderOf } from '../paths.ts';
import type { ImportResolver } from './import-resolver.ts';
import { MemberFinder, topLevelOf } from './member-finder.ts';
import { callables, likelihoodOf, sensesOf } from './senses.ts';
import type { Sense } from './senses.ts';
import { definedIn, isIn, targetOf } from './target.ts';
import type { SourceFile, Target } from './target.ts';

/** Most files that are parsed to find a member, or a name that no import leads to. */
const maxFiles = 300;
const maxElsewhere = 50;
/** Definitions that one answer names. */
const maxTargets = 10;

/** What cannot stand where a type is wanted. */
const values = new Set(['function', 'method', 'constructor', 'property', 'constant', 'variable']);

/** What is asked of a name in a file. */
interface Question {
  readonly file: SourceFile;
  readonly name: string;
  /** Of the use that is meant. */
  readonly line?: number | undefined;
  /** The type or namespace that is said to have it. */
  readonly owner?: string | undefined;
}

/** What a name means, and how that is known. */
export interface Meaning {
  /** Likeliest first. */
  readonly targets: readonly Target[];
  /** Nothing leads to the targets but the name. */
  readonly isByNameOnly: boolean;
  /** The name comes from outside of all repositories; there are no targets then. */
  readonly outside?: Outside | undefined;
}

/** What one sense of a name was followed to. */
interface Followed {
  readonly targets: readonly Target[];
  readonly outside?: Outside | undefined;
}

/** Finds what a name in a file means. It tries places in the order in which the language looks names up. */
export class DefinitionFinder {
  readonly members: MemberFinder;
  readonly #beside: MembersBeside;
  readonly #candidates: Candidates;
  readonly #imports: ImportResolver;
  /** What names stand for, by repository, path and name. */
  readonly #known = new Memoized<Target[]>();
  readonly #unknown = new Memoized<boolean>();

  constructor(candidates: Candidates, imports: ImportResolver) {
    this.#candidates = candidates;
    this.#imports = imports;
    this.#beside = new MembersBeside(candidates);
    this.members = new MemberFinder(imports, {
      named: (file, name) => this.#named(file, name),
      behind: (file, module, name) => this.members.byPath(file, module.replaceAll('.', '\\'), name),
      exported: (module, name) => imports.exported(module, name),
      membersBeside: (type, name) => this.#beside.of(type, name),
      isUnknown: (file, name) => this.#isUnknown(file, name),
    });
  }

  /** What a name means that the file uses. Its most used sense comes first. */
  async find({ file, name, line, owner }: Question): Promise<Meaning> {
    const owned = owner === undefined ? undefined : await this.#ofOwner({ file, name, owner });
    if (owned) return owned;
    const defined = definitionsOf(file, name, line);
    const senses = sensesOf(file, name, line);
    const found: Target[] = [];
    let outside: Outside | undefined;
    let unknown: Sense | undefined;
    for (const sense of senses) {
      const followed = await this.#follow(file, name, sense);
      outside ??= followed.outside;
      found.push(...followed.targets);
      if (followed.targets.length > 0 || followed.outside) continue;
      unknown ??= sense;
    }
    // Without a line, the sense of most uses is the one that is meant.
    const isGuessed =
      line === undefined ? found.length === 0 || unknown === senses[0] : found.length + defined.length === 0;
    const guessed = unknown && isGuessed ? await this.#guess(file, name, unknown) : [];
    const isByNameOnly = guessed.length > 0;
    found.unshift(...guessed);
    if (found.length > 0) return { targets: await this.#shown(found), isByNameOnly };
    // The use may be another than what the file defines under its name.
    if (defined.length > 0) return { targets: defined, isByNameOnly: outside !== undefined };
    return { targets: [], isByNameOnly, outside };
  }

  async #shown(targets: readonly Target[]): Promise<Target[]> {
    const bodies = await this.#beside.bodiesFirst(await this.#beside.reopened(targets));
    return unique(bodies).slice(0, maxTargets);
  }

  /** A member of the type or namespace that the file knows under a name; undefined where it has none. */
  async #ofOwner({ file, name, owner }: Question & { owner: string }): Promise<Meaning | undefined> {
    const own = file.symbols.definitionsOf(name).filter(({ container }) => container === owner);
    if (own.length > 0) return { targets: await this.#shown(targetsOf(file, own)), isByNameOnly: false };
    if (!file.symbols.has(owner) && !file.symbols.imports.some(({ local }) => local === owner)) return undefined;
    const { targets, isByNameOnly } = await this.find({ file, name: owner });
    const members = await this.members.ofTypes(targets, name);
    return members.length > 0 ? { targets: await this.#shown(members), isByNameOnly } : undefined;
  }

  /** What imports, scopes, types and the rules of the language lead to. */
  async #follow(file: SourceFile, name: string, sense: Sense): Promise<Followed> {
    const { kind, uses, definition } = sense;
    if (kind === 'local') return { targets: definition ? [targetOf(file, definition)] : [] };
    if (kind === 'member') return this.members.find(file, name, uses);
    const steps = [this.#imported, topLevelOf, this.#renamed, membersAround, this.#inherited, this.#visible];
    const targets = await firstOf(steps, { file, name }, uses);
    return { targets, ...(targets.length === 0 && { outside: await this.#imports.outsideOf(file, name) }) };
  }

  /** Definitions that have the name, where nothing else leads to one. Members of other repositories are too many to be likely. */
  #guess(file: SourceFile, name: string, sense: Sense): Promise<Target[]> {
    if (isArgument(sense)) return Promise.resolve([]);
    const steps =
      sense.kind === 'member'
        ? [membersOf, this.#neighbours, this.#repository]
        : [this.#neighbours, this.#repository, this.#elsewhere];
    return firstOf(steps, { file, name }, sense.uses);
  }

  /** The definitions of the name in the file itself, or else what `find` gives. */
  async findOwn(question: Question): Promise<Meaning> {
    const { file, name, line, owner } = question;
    const all = definitionsOf(file, name, line);
    const own = owner === undefined ? all : all.filter(({ definition: { container } }) => container === owner);
    const shared = own.filter(({ definition: { scope, kind } }) => !scope || !/^(variable|parameter)$/.test(kind));
    if (shared.length > 0)
      return { targets: unique([...shared, ...(await this.#beside.bodiesFirst(shared))]), isByNameOnly: false };
    return line === undefined && own.length > 0 ? { targets: own, isByNameOnly: false } : this.find(question);
  }

  /** What imports and the file itself define under the name. Empty if only guesses are left. */
  findNear(file: SourceFile, name: string): Promise<Target[]> {
    return firstOf([this.#imported, topLevelOf, this.#renamed], { file, name }, []);
  }

  /** What a name stands for by imports, the file, or the files beside it. */
  #named(file: SourceFile, name: string): Promise<Target[]> {
    return this.#known.find([file.snapshot.repo, file.path, name], () => this.#findNamed(file, name));
  }

  async #findNamed(file: SourceFile, name: string): Promise<Target[]> {
    const near = await this.findNear(file, name);
    if (near.length > 0) return near;
    if (file.language.visibility === undefined) return this.#imports.wholeNameOf(file, name);
    return firstOf([this.#neighbours, this.#repository], { file, name }, []);
  }

  /** Whether the repository defines nothing of a name that others could see. */
  #isUnknown(file: SourceFile, name: string): Promise<boolean> {
    const { snapshot, language } = file;
    return this.#unknown.find([snapshot.repo, snapshot.commit, language.family, name], async () => {
      const { files } = await this.#candidates.inSnapshot(snapshot, file.path, {
        ...definers(file, name),
        limit: maxElsewhere,
      });
      const defined = await definedIn(files, name, ({ scope }) => scope === undefined);
      return defined.length === 0 && !(await this.#candidates.text.declares(snapshot, name));
    });
  }

  /**
   * What the language shows to a file without an import of it: names of its namespace and folder. Where all files see
   * each other's names, the only definition of it.
   */
  readonly #visible: Step = async (file, name, uses) => {
    const near = (await this.#neighbours(file, name, uses)).filter(isAlone);
    if (near.length > 0 || file.language.visibility !== 'everywhere') return near;
    const all = (await this.#repository(file, name, uses)).filter(isAlone);
    return isOneThing(all) ? all : [];
  };

  /** Inherited members of the types around the uses. */
  readonly #inherited: Step = async (file, name, uses) => {
    const [use] = uses;
    if (!use || file.language.visibility === undefined) return [];
    return this.members.membersOf(await this.members.before(file, { ...use, qualifier: 'this' }), name);
  };

  readonly #imported: Step = (file, name) =>
    this.#followed(
      file,
      file.symbols.imports.filter(({ local }) => local === name),
    );

  /** What the file takes from elsewhere under another name. */
  readonly #renamed: Step = (file, name) =>
    this.#followed(
      file,
      file.symbols.imports.filter(
        ({ kind, imported, local }) => kind === 'name' && imported === name && local !== name,
      ),
    );

  async #followed(file: SourceFile, imports: readonly Import[]): Promise<Target[]> {
    for (const imported of imports) {
      const found = await this.#imports.follow(file, imported);
      if (found.length > 0) return found;
    }
    return [];
  }

  /** Files whose names are visible without an import, and files whose names are all imported. */
  readonly #neighbours: Step = async (file, name, uses) => {
    const whole = await this.#imports.wholeNameOf(file, name);
    if (whole.length > 0) return whole;
    if (file.language.visibility !== 'folder') return [];
    const where = { ...definers(file, name), folder: folderOf(file.path), limit: maxFiles };
    const { files } = await this.#candidates.inSnapshot(file.snapshot, file.path, where);
    return this.#ranked({ file, name, uses }, files);
  };

  readonly #repository: Step = async (file, name, uses) => {
    const where = { ...definers(file, name), limit: maxFiles };
    const { files } = await this.#candidates.inSnapshot(file.snapshot, file.path, where);
    return this.#ranked({ file, name, uses }, files);
  };

  readonly #elsewhere: Step = async (file, name, uses) => {
    const where = { ...definers(file, name), limit: maxElsewhere };
    const { files } = await this.#candidates.elsewhere(file.snapshot, where);
    return this.#ranked({ file, name, uses }, files);
  };

  async #ranked(
    { file, name, uses }: { file: SourceFile; name: string; uses: readonly Reference[] },
    files: readonly Candidate[],
  ): Promise<Target[]> {
    const isType = 2 * uses.filter(({ role }) => role === 'type').length > uses.length;
    const isWanted = ({ scope, kind }: Definition): boolean =>
      scope === undefined && kind !== 'key' && !(isType && values.has(kind));
    const all = await definedIn(files, name, isWanted);
    const imported = await this.#imports.allFilesOf(file);
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
}

async function firstOf(
  steps: readonly Step[],
  { file, name }: Question,
  uses: readonly Reference[],
): Promise<Target[]> {
  for (const step of steps) {
    const found = await step(file, name, uses);
    if (found.length > 0) return found;
  }
  return [];
}

/** Whether all uses are names of arguments. Only the called function can define these. */
const isArgument = ({ uses }: Sense): boolean => uses.length > 0 && uses.every(namesParameter);

const isAlone = ({ definition: { isMember } }: Target): boolean => !isMember;

/** Whether definitions are those of one file, or reopen one type or namespace. */
function isOneThing(targets: readonly Target[]): boolean {
  const isReopened = targets.every(({ definition: { kind } }) => /^(class|module|namespace)$/.test(kind));
  const placeOf = ({ path, definition }: Target): string => (isReopened ? (definition.container ?? '') : path);
  return new Set(targets.map(placeOf)).size === 1;
}

const definers = ({ language }: SourceFile, name: string): NameWanted => ({ name, role: 'definition', language });

const rank = ({ isMember, scope }: Definition): number => (isMember ? 1 : scope ? 2 : 0);

/** The definitions of a name in a file: top level first, then members, then local names. */
function definitionsOf(file: SourceFile, name: string, line: number | undefined): Target[] {
  const named = file.symbols.definitionsOf(name).filter((definition) => line === undefined || definition.line === line);
  return targetsOf(
    file,
    named.toSorted((a, b) => rank(a) - rank(b)),
  );
}

/** Two of one line look the same to who asks. */
const unique = (targets: readonly Target[]): Target[] => [
  ...new Map(
    targets.map((target) => [`${target.snapshot.repo}\0${target.path}\0${target.definition.line}`, target]),
  ).values(),
];

/** One way to find what a name means. Empty if it finds nothing. */
type Step = (file: SourceFile, name: string, uses: readonly Reference[]) => Promise<Target[]> | Target[];

const targetsOf = (file: SourceFile, definitions: readonly Definition[]): Target[] =>
  definitions.map((definition) => targetOf(file, definition));

/** Members of the types of a file, without types that only describe a shape: these are as likely met elsewhere. */
const membersOf: Step = (file, name) => {
  const { symbols } = file;
  const isOfType = ({ container = '' }: Definition): boolean =>
    file.language.visibility !== undefined ||
    symbols.definitionsOf(container).some(({ kind, scope }) => kind !== 'type' && !scope);
  return targetsOf(
    file,
    symbols
      .definitionsOf(name)
      .filter((definition) => definition.isMember && definition.kind !== 'key' && isOfType(definition)),
  );
};

/** Members of the types around the uses, which many languages name without `this`. */
const membersAround: Step = (file, name, uses) => {
  if (file.language.visibility === undefined) return [];
  const { symbols } = file;
  const isAround = (container: string): boolean =>
    symbols.definitionsOf(container).some((type) => uses.some((use) => isIn(use, type)));
  const members = symbols.definitionsOf(name).filter(({ isMember }) => isMember);
  return targetsOf(
    file,
    members.filter(({ container }) => container !== undefined && isAround(container)),
  );
};

/** Where files see each other's names, the members of a type may stand in any of them. */
class MembersBeside {
  readonly #candidates: Candidates;
  readonly #known = new Memoized<Target[]>();

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

  /** Puts the bodies of members before their declarations in types. */
  async bodiesFirst(targets: readonly Target[]): Promise<Target[]> {
    const found = await Promise.all(targets.map(async (target) => [...(await this.#bodies(target)), target]));
    return found.flat();
  }

  /** Those that stand outside of the type. */
  async #bodies(target: Target): Promise<Target[]> {
    const { snapshot, path, definition } = target;
    const { isMember, container, name, kind } = definition;
    if (!isMember || container === undefined) return [];
    if (snapshot.languages.of(path)?.visibility !== 'everywhere') return [];
    const all = await this.of({ snapshot, path, definition: { ...definition, name: container } }, name);
    const outside = await Promise.all(all.map(isOutside));
    if (await isOutside(target)) return [];
    const isCallable = callables.has(kind);
    return all.filter((one, index) => outside[index] && callables.has(one.definition.kind) === isCallable);
  }

  /** The other files that open a module, after the file that has its name. */
  async reopened(targets: readonly Target[]): Promise<Target[]> {
    const [first] = targets;
    const language = first?.snapshot.languages.of(first.path);
    if (!first || first.definition.kind !== 'module' || !language?.hasBareMembers) return [...targets];
    const { snapshot, path, definition } = first;
    const where = { name: definition.name, role: 'definition', language, limit: maxFiles } as const;
    const { files } = await this.#candidates.inSnapshot(snapshot, path, where);
    const others = await definedIn(
      files,
      definition.name,
      ({ kind, container }) => kind === 'module' && container === definition.container,
    );
    const ownFile = `${definition.name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase()}.`;
    const isNamed = (one: Target): boolean => one.path.slice(one.path.lastIndexOf('/') + 1).startsWith(ownFile);
    return [...others.filter(isNamed), ...targets, ...others];
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
