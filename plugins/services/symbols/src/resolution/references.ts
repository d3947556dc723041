import type { Candidate, CandidateList, Candidates } from '../candidates.ts';
import { namesParameter } from '../file-symbols.ts';
import type { Reference } from '../file-symbols.ts';
import { Once } from '../once.ts';
import { folderOf } from '../paths.ts';
import type { Snapshots } from '../snapshots.ts';
import { aliasesIn, isDefault, moduleName } from './aliases.ts';
import type { DefinitionFinder } from './definitions.ts';
import { fileKey, merged, ownUses, usesUnder } from './found-uses.ts';
import type { FoundUses } from './found-uses.ts';
import type { ImportResolver } from './imports.ts';
import { knowsTheType } from './known-types.ts';
import { ReceiverTypes } from './receiver-types.ts';
import { Rivals } from './rivals.ts';
import { keyOf } from './target.ts';
import type { SourceFile, Target } from './target.ts';
import type { Shape } from './types/shapes.ts';
import { userFiles } from './user-files.ts';

/** Values that are followed before what was found is enough; of one that takes long so many steps count as another. */
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

/** A word to search for, and the names that it may stand for. */
interface Round {
  readonly text: string;
  readonly names: ReadonlySet<string>;
}

/** The definition that is meant, under which names, and how many uses are enough where finding them takes long. */
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

export interface ReferenceParts {
  readonly candidates: Candidates;
  readonly imports: ImportResolver;
  readonly definitions: DefinitionFinder;
  readonly snapshots: Snapshots;
  /** Uses that are wanted. */
  readonly limit: number;
}

/** Finds the uses of a definition by asking each file that has the name what it means there. */
export class ReferenceFinder {
  readonly #parts: ReferenceParts;
  /** Every definition of one file that a use may name: overloads, and members of several types. */
  readonly #targets: readonly Target[];
  readonly #keys: ReadonlySet<string>;
  #rivals: Promise<CandidateList> | undefined;
  readonly #members: Rivals;
  readonly #receivers: ReceiverTypes;
  #followed = 0;

  constructor(parts: ReferenceParts, targets: readonly Target[]) {
    this.#parts = parts;
    this.#targets = targets;
    this.#keys = new Set(targets.map(keyOf));
    this.#members = new Rivals(parts, this.#keys);
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

  /** Looks at the files that have a text, less those that were seen, which become more. */
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
    const verdicts = new Once<boolean>();
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
    // Where members are named behind something only, what stands alone is another.
    if (isOwn) return !target.definition.isMember || file.language.visibility !== undefined;
    return this.#isMeantAlone(file, use, target);
  }

  /** Undefined where the type of what stands before the name is not evident. */
  async #isMeantByType(file: SourceFile, use: Reference): Promise<boolean | undefined> {
    this.#followed += 1;
    const { members } = this.#parts.definitions;
    const types = await members.before(file, use);
    const behind = await members.membersOf(types, use.name);
    const found = behind.length > 0 ? behind : await members.byPath(file, use.qualifier ?? '', use.name);
    if (found.length > 0) return found.some((one) => this.#keys.has(keyOf(one)));
    // Who adds members to a library's types is not known by an import.
    const isLibrary = file.language.visibility === undefined && types.length > 0 && types.every(isOfLibrary);
    return isLibrary || types.some(({ kind }) => kind === 'foreign') ? false : undefined;
  }

  /** Whether the name, standing alone in a file, means the definition. */
  async #isMeantAlone(file: SourceFile, use: Reference, target: Target): Promise<boolean> {
    const { isMember, container } = target.definition;
    const { visibility, hasBareMembers } = file.language;
    if (isMember && !hasBareMembers) return false;
    const near = await this.#parts.definitions.findNear(file, use.name);
    if (near.length > 0) return near.some((found) => this.#keys.has(keyOf(found)));
    if (isMember && container !== undefined)
      return (await this.#isMeantByType(file, { ...use, qualifier: 'this' })) === true;
    const isHere = file.snapshot.repo === target.snapshot.repo;
    if (visibility === 'folder' && isNeighbour(file, target)) return true;
    if (visibility === 'everywhere' && isHere && !(await this.#hasRival(target))) return true;
    const whole = await this.#parts.imports.wholeNameOf(file, target.definition.name);
    if (whole.length > 0) return whole.some((one) => this.#keys.has(keyOf(one)));
    return visibility === 'everywhere' && isHere;
  }

  /** Whether other files of the repository define the name, too. */
  #hasRival({ snapshot, path, definition: { name } }: Target): Promise<boolean> {
    const language = snapshot.languages.of(path);
    this.#rivals ??= language
      ? this.#parts.candidates.inSnapshot(snapshot, path, { name, role: 'definition', language, limit: 2 })
      : undefined;
    return Promise.resolve(this.#rivals).then((found) => found?.files.some((file) => file.path !== path) ?? false);
  }

  /** Whether `qualifier.name` means the definition. */
  async #isMeantBehind({ file, use, isOwn }: Used, target: Target): Promise<boolean> {
    const { name, qualifier } = use;
    const { isMember, container } = target.definition;
    if (isOwn && (isMember || container !== undefined)) return true;
    const imported = file.symbols.imports.find(({ local }) => local === qualifier);
    if (imported?.kind === 'module' || (imported && !isMember)) {
      const found = await this.#parts.imports.nameOf(file, imported, name);
      return found.some((one) => this.#keys.has(keyOf(one)));
    }
    if (!isMember) return container !== undefined && qualifier?.split(/::|\./).at(-1) === container;
    if (qualifier !== undefined && container !== undefined && imported) return imported.imported === container;
    if (isNeighbour(file, target) && file.language.visibility === 'folder') return true;
    const hasOwn = file.symbols.definitionsOf(name).some(({ isMember: isToo }) => isToo);
    const hasRival = (): Promise<boolean> => this.#hasRival(target);
    if (hasOwn || !(await knowsTheType(this.#parts, { file, use, target, hasRival }))) return false;
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
