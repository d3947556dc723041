import type { Candidate, Candidates } from '../candidates.ts';
import type { NameWanted } from '../name-index.ts';
import { namesParameter } from '../file-symbols.ts';
import type { Definition, Import, Reference } from '../file-symbols.ts';
import { Once } from '../once.ts';
import { folderOf } from '../paths.ts';
import type { ImportResolver } from './imports.ts';
import { membersAround, membersOf, targetsOf } from './file-members.ts';
import type { Step } from './file-members.ts';
import { likelihoodOf } from './likelihood.ts';
import { meaningsOf, nearest } from './meanings.ts';
import type { Meaning } from './meanings.ts';
import { MemberFinder, topLevelOf } from './members.ts';
import { MembersBeside } from './members-beside.ts';
import { definedIn } from './target.ts';
import type { SourceFile, Target } from './target.ts';

/** Files that are parsed to find a name that no import leads to. */
const maxFiles = 300;
const maxElsewhere = 50;
/** Definitions that one answer names. */
const maxTargets = 10;

/** What cannot stand where a type is wanted. */
const values = new Set(['function', 'method', 'constructor', 'property', 'constant', 'variable']);

/** What is asked of a name in a file. */
export interface Question {
  readonly file: SourceFile;
  readonly name: string;
  /** Of the use that is meant. */
  readonly line?: number | undefined;
}

/** Finds what a name in a file means: the nearest place first that the rules of the language suggest. */
export class DefinitionFinder {
  readonly members: MemberFinder;
  readonly #beside: MembersBeside;
  readonly #candidates: Candidates;
  readonly #imports: ImportResolver;
  /** What names stand for, by repository, path and name. */
  readonly #known = new Once<Target[]>();

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

  /** For a file that uses the name: of each of its meanings there, the most used first. */
  async find({ file, name, line }: Question): Promise<Target[]> {
    const found: Target[] = [];
    const meanings = meaningsOf(file, name, line);
    for (const meaning of await this.#foreignLast(file, meanings)) {
      const isFar = found.length === 0 && !isOfModule(file, meaning) && !isArgument(meaning);
      const steps = isFar ? [...this.#near(meaning), ...this.#wide] : this.#near(meaning);
      found.push(...(await firstOf(steps, { file, name }, meaning.uses)));
    }
    if (found.length > 0) return unique(await this.#beside.bodiesFirst(found)).slice(0, maxTargets);
    const defined = definitionsOf(file, name, line);
    // Of a name that the file uses everything was tried.
    if (defined.length > 0 || meanings.length > 0) return defined;
    return firstOf([this.#imported, ...this.#wide], { file, name }, []);
  }

  /** What is behind something from outside of all repositories can only be guessed. */
  async #foreignLast(file: SourceFile, meanings: readonly Meaning[]): Promise<readonly Meaning[]> {
    if (meanings.length < 2) return meanings;
    const areForeign = await Promise.all(
      meanings.map(async ({ kind, uses: [use] }) => {
        const before = kind === 'member' && use ? await this.members.before(file, use) : [];
        return before.length > 0 && before.every((shape) => shape.kind === 'foreign' && !shape.holds);
      }),
    );
    return [...meanings.filter((_, index) => !areForeign[index]), ...meanings.filter((_, index) => areForeign[index])];
  }

  /** For a file that is said to define the name; for one that uses it as `find` does. */
  async findOwn({ file, name, line }: Question): Promise<Target[]> {
    const own = definitionsOf(file, name, line);
    const shared = own.filter(({ definition: { scope, kind } }) => !scope || !/^(variable|parameter)$/.test(kind));
    if (shared.length > 0) return unique([...shared, ...(await this.#beside.bodiesFirst(shared))]);
    return line === undefined && own.length > 0 ? own : this.find({ file, name, line });
  }

  /** What surely is meant, as imports and the file itself say; empty where only the name is known. */
  findNear(file: SourceFile, name: string): Promise<Target[]> {
    return firstOf([this.#imported, topLevelOf, this.#renamed], { file, name }, []);
  }

  #near({ kind, definition }: Meaning): Step[] {
    if (kind === 'local')
      return [(file) => (definition ? [{ snapshot: file.snapshot, path: file.path, definition }] : [])];
    if (kind === 'member') return [(file, name, uses) => this.members.find(file, name, uses), membersOf];
    return [this.#imported, topLevelOf, this.#renamed, membersAround, this.#inherited];
  }

  get #wide(): Step[] {
    return [this.#neighbours, this.#repository, this.#elsewhere];
  }

  /** What a name stands for, where imports, the file or the files beside it tell. */
  #named(file: SourceFile, name: string): Promise<Target[]> {
    return this.#known.find([file.snapshot.repo, file.path, name], () => this.#findNamed(file, name));
  }

  async #findNamed(file: SourceFile, name: string): Promise<Target[]> {
    const near = await this.findNear(file, name);
    if (near.length > 0) return near;
    if (file.language.visibility === undefined) return this.#imports.wholeNameOf(file, name);
    return firstOf([this.#neighbours, this.#repository], { file, name }, []);
  }

  /** Members of what the types extend that the uses stand in. */
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

  /** Files that see each other's names without an import, and those of which every name was imported. */
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

/** Whether the uses name what a function takes: what it does not have nobody else has. */
const isArgument = ({ uses }: Meaning): boolean => uses.length > 0 && uses.every(namesParameter);

/** Whether the uses stand behind packages that the file imports: what these do not have nobody else has. */
function isOfModule({ symbols, language }: SourceFile, { kind, uses }: Meaning): boolean {
  if (kind !== 'member' || language.visibility !== 'folder') return false;
  const modules = new Set(symbols.imports.filter((one) => one.kind === 'module').map(({ local }) => local));
  return uses.every(
    ({ qualifier = '', at }) => modules.has(qualifier) && !nearest(symbols.definitionsOf(qualifier), at),
  );
}

const definers = ({ language }: SourceFile, name: string): NameWanted => ({ name, role: 'definition', language });

const rank = ({ isMember, scope }: Definition): number => (isMember ? 1 : scope ? 2 : 0);

/** What a file defines under a name: for all of it, then members, then local names. */
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
