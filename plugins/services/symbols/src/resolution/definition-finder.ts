import type { Outside } from '@sextant/contracts';
import { mostDefinitions } from '../limits.ts';
import type { Candidates } from '../candidates/candidates.ts';
import { namesParameter } from '../parse/file-symbols.ts';
import type { Definition, Reference } from '../parse/file-symbols.ts';
import { isIn, targetOf, targetsIn } from '../snapshot/source-file.ts';
import type { SourceFile, Target } from '../snapshot/source-file.ts';
import { MemberFinder } from './member-finder.ts';
import { NameResolver, firstOf } from './name-resolver.ts';
import type { Step } from './name-resolver.ts';
import { sensesOf } from './senses.ts';
import type { Sense } from './senses.ts';

/** Asks for the meaning of a name in a file. */
export interface Question {
  readonly file: SourceFile;
  readonly name: string;
  /** The line of the use that is meant. */
  readonly line?: number | undefined;
  /** The type or namespace that is written before the name. */
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

/** Finds what a name in a file means. It tries places in the order in which the language looks names up. */
export class DefinitionFinder {
  readonly names: NameResolver;
  readonly members: MemberFinder;

  constructor(candidates: Candidates) {
    this.names = new NameResolver(candidates);
    this.members = new MemberFinder(this.names);
  }

  /** The meaning of a name that the file uses. Its most used sense comes first. */
  async find({ file, name, line, owner }: Question): Promise<Meaning> {
    const owned = owner === undefined ? undefined : await this.#ofOwner({ file, name, owner });
    if (owned) return owned;
    const defined = definitionsOf(file, name, line);
    // The key of a literal says less than what it probably sets.
    const isDefined = defined.some(({ definition: { kind } }) => kind !== 'key');
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
      found.length === 0 ? line === undefined || !isDefined : line === undefined && unknown === senses[0];
    const guessed = unknown && isGuessed ? await this.#guess(file, name, unknown) : [];
    const isByNameOnly = guessed.length > 0;
    found.unshift(...guessed);
    if (found.length > 0) return { targets: await this.#shown(found), isByNameOnly };
    // The use may mean something else than the file's own definition of the name.
    if (defined.length > 0) return { targets: defined, isByNameOnly: outside !== undefined };
    return { targets: [], isByNameOnly, outside };
  }

  async #shown(targets: readonly Target[]): Promise<Target[]> {
    const { names } = this;
    return unique(await names.bodiesFirst(await names.reopened(targets))).slice(0, mostDefinitions.answer);
  }

  /** A member of the type or namespace that the file knows as `owner`. Undefined if there is none. */
  async #ofOwner({ file, name, owner }: Question & { owner: string }): Promise<Meaning | undefined> {
    const own = targetsIn(file, name, ({ container }) => container === owner);
    if (own.length > 0) return { targets: await this.#shown(own), isByNameOnly: false };
    if (!file.symbols.has(owner) && !file.symbols.imports.some(({ local }) => local === owner)) return undefined;
    const { targets, isByNameOnly } = await this.find({ file, name: owner });
    const members = await this.members.types.ofTypes(targets, name);
    return members.length > 0 ? { targets: await this.#shown(members), isByNameOnly } : undefined;
  }

  /** What one use means that no local name hides. Nothing is guessed. */
  follow(file: SourceFile, use: Reference): Promise<Pick<Meaning, 'targets' | 'outside'>> {
    return this.#follow(file, use.name, { kind: use.isMember ? 'member' : 'alone', uses: [use] });
  }

  /** Follows imports, scopes, types and the rules of the language. */
  async #follow(file: SourceFile, name: string, sense: Sense): Promise<Pick<Meaning, 'targets' | 'outside'>> {
    const { kind, uses, definition } = sense;
    if (kind === 'local') return { targets: definition ? [targetOf(file, definition)] : [] };
    if (kind === 'member') return this.members.find(file, name, uses);
    const { imports } = this.names;
    const near: Step = (where, wanted) => this.names.near(where, wanted, uses);
    const importedMember: Step = (where, wanted) => this.members.imported(where, wanted);
    const steps = [near, membersAround, this.#inherited, importedMember, this.#visible];
    const targets = await firstOf(steps, { file, name }, uses);
    return { targets, ...(targets.length === 0 && { outside: await imports.outsideOf(file, name) }) };
  }

  /** Definitions that have the name, if nothing else leads to one. Members of other repositories are too many to be likely. */
  #guess(file: SourceFile, name: string, sense: Sense): Promise<Target[]> {
    if (isArgument(sense)) return Promise.resolve([]);
    const { neighbours, repository, elsewhere } = this.names;
    const others = sense.kind === 'member' || needsImport(file) ? [] : [elsewhere];
    const steps = [...(sense.kind === 'member' ? [membersOf] : []), neighbours, repository, ...others];
    return firstOf(steps, { file, name }, sense.uses);
  }

  /** The definitions of the name in the file itself, or else what `find` gives. */
  async findOwn(question: Question): Promise<Meaning> {
    const { file, name, line, owner } = question;
    const all = definitionsOf(file, name, line);
    const own = owner === undefined ? all : all.filter(({ definition: { container } }) => container === owner);
    const shared = own.filter(({ definition: { scope, kind } }) => !scope || !/^(variable|parameter)$/.test(kind));
    if (shared.length > 0)
      return { targets: unique([...shared, ...(await this.names.bodiesFirst(shared))]), isByNameOnly: false };
    return line === undefined && own.length > 0 ? { targets: own, isByNameOnly: false } : this.find(question);
  }

  /**
   * Names that a file sees without an import: those of its namespace and folder. If all files of the language see each other's names,
   * the only definition in the repository.
   */
  readonly #visible: Step = async (file, name, uses) => {
    const near = (await this.names.neighbours(file, name, uses)).filter(isAlone);
    if (near.length > 0 || file.language.visibility !== 'everywhere') return near;
    const all = (await this.names.repository(file, name, uses)).filter(isAlone);
    // In Rust, only macros are known without a path or `use`.
    const seen = file.language.family === 'rust' ? all.filter(({ definition }) => definition.kind === 'macro') : all;
    return isOneThing(seen) ? seen : [];
  };

  /** Inherited members of the types around the uses. */
  readonly #inherited: Step = async (file, name, uses) => {
    const [use] = uses;
    if (!use || file.language.visibility === undefined) return [];
    return this.members.membersOf(await this.members.before(file, { ...use, qualifier: 'this' }), name);
  };
}

/** Whether a name of another repository must be imported. Elsewhere it may be known without that, as in C or Ruby. */
const needsImport = ({ language }: SourceFile): boolean => language.visibility !== 'everywhere';

/** Whether all uses are names of arguments. Only the called function can define these. */
const isArgument = ({ uses }: Sense): boolean => uses.length > 0 && uses.every(namesParameter);

const isAlone = ({ definition: { isMember } }: Target): boolean => !isMember;

/** Whether definitions are those of one file, or reopen one type or namespace. */
function isOneThing(targets: readonly Target[]): boolean {
  const isReopened = targets.every(({ definition: { kind } }) => /^(class|module|namespace)$/.test(kind));
  const placeOf = ({ path, definition }: Target): string => (isReopened ? (definition.container ?? '') : path);
  return new Set(targets.map(placeOf)).size === 1;
}

const rank = ({ isMember, scope }: Definition): number => (isMember ? 1 : scope ? 2 : 0);

/** The definitions of a name in a file: top level first, then members, then local names. */
const definitionsOf = (file: SourceFile, name: string, line: number | undefined): Target[] =>
  targetsIn(file, name, (definition) => line === undefined || definition.line === line).toSorted(
    (a, b) => rank(a.definition) - rank(b.definition),
  );

/** Of several definitions in one line only one is shown. */
const unique = (targets: readonly Target[]): Target[] => [
  ...new Map(
    targets.map((target) => [`${target.snapshot.repo}\0${target.path}\0${target.definition.line}`, target]),
  ).values(),
];

const isType = ({ kind, scope }: Definition): boolean => kind !== 'type' && !scope;

/** Members of the types of a file. Type aliases are left out: values of such a shape are as likely to come from elsewhere. */
const membersOf: Step = (file, name) => {
  const isOfType = ({ container = '' }: Definition): boolean =>
    file.language.visibility !== undefined || file.symbols.definitionsOf(container).some(isType);
  return targetsIn(file, name, (one) => one.isMember && one.kind !== 'key' && isOfType(one));
};

/** Members of the types around the uses. Many languages name them without `this`. */
const membersAround: Step = (file, name, uses) => {
  if (file.language.visibility === undefined) return [];
  const isAround = (container: string): boolean =>
    file.symbols.definitionsOf(container).some((type) => uses.some((use) => isIn(use, type)));
  return targetsIn(file, name, ({ isMember, container }) => isMember && container !== undefined && isAround(container));
};
