import type { Language } from '@sextant/contracts';
import type { Candidate, Candidates } from '../candidates/candidates.ts';
import type { NameWanted } from '../candidates/name-index.ts';
import { Memoized } from '../memoized.ts';
import { namesParameter } from '../parse/file-symbols.ts';
import type { Definition, Import, Reference } from '../parse/file-symbols.ts';
import { folderOf } from '../paths.ts';
import type { ImportResolver } from './import-resolver.ts';
import { MemberFinder, topLevelOf } from './member-finder.ts';
import { likelihoodOf, sensesOf, nearest } from './senses.ts';
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
}

/** Finds what a name in a file means. It tries places in the order in which the language looks names up. */
export class DefinitionFinder {
  readonly members: MemberFinder;
  readonly #beside: MembersBeside;
  readonly #candidates: Candidates;
  readonly #imports: ImportResolver;
  /** What names stand for, by repository, path and name. */
  readonly #known = new Memoized<Target[]>();

  constructor(candidates: Candidates, imports: ImportResolver) {
    this.#candidates = candidates;
    this.#imports = imports;
    this.#beside = new MembersBeside(candidates);
    this.members = new MemberFinder(imports, {
      named: (file, name) => this.#named(file, name),
      behind: (file, module, name) => this.members.byPath(file, module.replaceAll('.', '\\'), name),
      exported: (module, name) => imports.exported(module, name),
      membersBeside: (type, name) => this.#beside.of(type, name),
    });
  }

  /** The definitions of a name that the file uses. Its most used sense comes first. */
  async find({ file, name, line }: Question): Promise<Target[]> {
    const found: Target[] = [];
    const senses = sensesOf(file, name, line);
    for (const sense of await this.#foreignLast(file, senses)) {
      const isFar = found.length === 0 && !isOfModule(file, sense) && !isArgument(sense);
      const steps = isFar ? [...this.#near(sense), ...this.#wide] : this.#near(sense);
      found.push(...(await firstOf(steps, { file, name }, sense.uses)));
    }
    if (found.length > 0) return unique(await this.#beside.bodiesFirst(found)).slice(0, maxTargets);
    const defined = definitionsOf(file, name, line);
    // For a name that the file uses, everything was tried.
    if (defined.length > 0 || senses.length > 0) return defined;
    return firstOf([this.#imported, ...this.#wide], { file, name }, []);
  }

  /** Members of foreign values come last: they can only be guessed. */
  async #foreignLast(file: SourceFile, senses: readonly Sense[]): Promise<readonly Sense[]> {
    if (senses.length < 2) return senses;
    const areForeign = await Promise.all(
      senses.map(async ({ kind, uses: [use] }) => {
        const before = kind === 'member' && use ? await this.members.before(file, use) : [];
        return before.length > 0 && before.every((shape) => shape.kind === 'foreign' && !shape.holds);
      }),
    );
    return [...senses.filter((_, index) => !areForeign[index]), ...senses.filter((_, index) => areForeign[index])];
  }

  /** The definitions of the name in the file itself, or else what `find` gives. */
  async findOwn({ file, name, line }: Question): Promise<Target[]> {
    const own = definitionsOf(file, name, line);
    const shared = own.filter(({ definition: { scope, kind } }) => !scope || !/^(variable|parameter)$/.test(kind));
    if (shared.length > 0) return unique([...shared, ...(await this.#beside.bodiesFirst(shared))]);
    return line === undefined && own.length > 0 ? own : this.find({ file, name, line });
  }

  /** What imports and the file itself define under the name. Empty if only guesses are left. */
  findNear(file: SourceFile, name: string): Promise<Target[]> {
    return firstOf([this.#imported, topLevelOf, this.#renamed], { file, name }, []);
  }

  #near({ kind, definition }: Sense): Step[] {
    if (kind === 'local')
      return [(file) => (definition ? [{ snapshot: file.snapshot, path: file.path, definition }] : [])];
    if (kind === 'member') return [(file, name, uses) => this.members.find(file, name, uses), membersOf];
    return [this.#imported, topLevelOf, this.#renamed, membersAround, this.#inherited];
  }

  get #wide(): Step[] {
    return [this.#neighbours, this.#repository, this.#elsewhere];
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
    const found = await definedIn(files, name, isWanted);
    if (found.length < 2) return found;
    const likelihood = likelihoodOf(file, uses, await this.#imports.allFilesOf(file));
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

/** Whether all uses stand behind imported packages. Only these packages can define the name. */
function isOfModule({ symbols, language }: SourceFile, { kind, uses }: Sense): boolean {
  if (kind !== 'member' || language.visibility !== 'folder') return false;
  const modules = new Set(symbols.imports.filter((one) => one.kind === 'module').map(({ local }) => local));
  return uses.every(
    ({ qualifier = '', at }) => modules.has(qualifier) && !nearest(symbols.definitionsOf(qualifier), at),
  );
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
