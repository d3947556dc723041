import type { Candidate, CandidateList, Candidates } from '../candidates.ts';
import { isShadowed } from '../file-symbols.ts';
import type { Reference } from '../file-symbols.ts';
import { folderOf } from '../paths.ts';
import { aliasesIn, isDefault, moduleName } from './aliases.ts';
import type { DefinitionFinder } from './definitions.ts';
import { fileKey, merged, ownUses } from './found-uses.ts';
import type { FoundUses } from './found-uses.ts';
import { packagesOf } from './imports.ts';
import type { ImportResolver } from './imports.ts';
import { Rivals } from './rivals.ts';
import { keyOf } from './target.ts';
import type { SourceFile, Target } from './target.ts';

/** Files of the repository, and of all others, that are parsed for one answer. */
const maxFiles = 2000;
const maxElsewhere = 500;
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

export interface ReferenceParts {
  readonly candidates: Candidates;
  readonly imports: ImportResolver;
  readonly definitions: DefinitionFinder;
  readonly signal: AbortSignal;
}

/** Finds the uses of a definition by asking each file that has the name what it means there. */
export class ReferenceFinder {
  readonly #parts: ReferenceParts;
  /** Every definition of one file that a use may name: overloads, and members of several types. */
  readonly #targets: readonly Target[];
  readonly #keys: ReadonlySet<string>;
  #rivals: Promise<CandidateList> | undefined;
  readonly #members: Rivals;

  constructor(parts: ReferenceParts, targets: readonly Target[]) {
    this.#parts = parts;
    this.#targets = targets;
    this.#keys = new Set(targets.map(keyOf));
    this.#members = new Rivals(parts, this.#keys);
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
    const { snapshot, path } = target;
    const language = snapshot.languages.of(path);
    if (!language) return { files: [], isCut: false };
    const { candidates } = this.#parts;
    const users = { name: text, role: 'use', language } as const;
    const here = await candidates.inSnapshot(snapshot, path, { ...users, limit: maxFiles });
    const packages = await packagesOf(snapshot, language);
    const there =
      packages?.length === 0
        ? { files: [], isCut: false }
        : await candidates.elsewhere(snapshot, { ...users, packages, limit: maxElsewhere });
    const others = here.files.filter((file) => file.path !== path);
    const fresh = [target, ...others, ...there.files].filter((file) => !seen.has(fileKey(file)));
    for (const file of fresh) seen.add(fileKey(file));
    return { files: await this.#usesIn(fresh, target, names), isCut: here.isCut || there.isCut };
  }

  async #usesIn(files: readonly Candidate[], target: Target, names: ReadonlySet<string>): Promise<FoundUses[]> {
    const found: FoundUses[] = [];
    for (let at = 0; at < files.length; at += atOnce) {
      this.#parts.signal.throwIfAborted();
      const some = files.slice(at, at + atOnce).map((candidate) => this.#usesOf(candidate, target, names));
      found.push(...(await Promise.all(some)).flatMap((uses) => uses ?? []));
    }
    return found;
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
    const known = new Map<string, Promise<boolean>>();
    const isMeant = (use: Reference): Promise<boolean> => {
      const key = `${use.isMember} ${use.name} ${this.#parts.definitions.members.keyOf(file, use)}`;
      const verdict = known.get(key) ?? anyOf(targets, (one) => this.#isMeant({ file, use, isOwn }, one));
      known.set(key, verdict);
      return verdict;
    };
    const verdicts = await Promise.all(uses.map(isMeant));
    return uses.filter((_, index) => verdicts[index]);
  }

  async #isMeant(
    { file, use, isOwn }: { file: SourceFile; use: Reference; isOwn: boolean },
    target: Target,
  ): Promise<boolean> {
    if (use.isMember)
      return (await this.#isMeantByType(file, use)) ?? this.#isMeantBehind({ file, use, isOwn }, target);
    // Where members are named behind something only, what stands alone is another.
    if (isOwn) return !target.definition.isMember || file.language.visibility !== undefined;
    return this.#isMeantAlone(file, use, target);
  }

  /** Undefined where the type of what stands before the name is not evident. */
  async #isMeantByType(file: SourceFile, use: Reference): Promise<boolean | undefined> {
    const { members } = this.#parts.definitions;
    const types = await members.before(file, use);
    const behind = await members.membersOf(types, use.name);
    const found = behind.length > 0 ? behind : await members.byPath(file, use.qualifier ?? '', use.name);
    if (found.length > 0) return found.some((one) => this.#keys.has(keyOf(one)));
    return types.some(({ kind }) => kind === 'foreign') ? false : undefined;
  }

  /** Whether the name, standing alone in a file, means the definition. */
  async #isMeantAlone(file: SourceFile, { name }: Reference, target: Target): Promise<boolean> {
    if (target.definition.isMember) return false;
    const near = await this.#parts.definitions.findNear(file, name);
    if (near.length > 0) return near.some((found) => this.#keys.has(keyOf(found)));
    const { visibility } = file.language;
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
  async #isMeantBehind(
    { file, use, isOwn }: { file: SourceFile; use: Reference; isOwn: boolean },
    target: Target,
  ): Promise<boolean> {
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
    if (hasOwn || !(await this.#knowsTheType(file, target, qualifier === undefined))) return false;
    return this.#members.areLess(file, target, use);
  }

  /** Whether a file names the type of a member, or imports the file that has it. */
  async #knowsTheType(file: SourceFile, target: Target, isKey: boolean): Promise<boolean> {
    const { path, snapshot } = target;
    const { container } = target.definition;
    const isHere = file.snapshot.repo === snapshot.repo;
    if (container !== undefined && file.symbols.usesOf(container).length > 0)
      return isHere || this.#isOrUnknown(file, container, target);
    if (!isHere || isKey) return false;
    // What types cannot tell (a macro, a type that stands for another) is told by a name that nothing else has.
    if (file.language.visibility === 'everywhere' && !(await this.#hasRival(target))) return true;
    return (await this.#parts.imports.allFilesOf(file)).has(path);
  }

  /** Whether a name in a file of another repository means one in the file of a definition, or nobody can tell. */
  async #isOrUnknown(file: SourceFile, name: string, { snapshot, path }: Target): Promise<boolean> {
    const near = await this.#parts.definitions.findNear(file, name);
    const found = near.length > 0 ? near : await this.#parts.imports.wholeNameOf(file, name);
    return found.length === 0 || found.some((one) => one.snapshot.repo === snapshot.repo && one.path === path);
  }
}

async function anyOf(targets: readonly Target[], test: (target: Target) => Promise<boolean>): Promise<boolean> {
  for (const target of targets) if (await test(target)) return true;
  return false;
}

const isNeighbour = ({ snapshot, path }: SourceFile, target: Target): boolean =>
  snapshot.repo === target.snapshot.repo && folderOf(path) === folderOf(target.path);

/** Uses under one of the names, or under the one that the file gives to it. */
function usesUnder({ symbols }: SourceFile, names: ReadonlySet<string>): Reference[] {
  const here = new Set(names);
  for (const { kind, imported, local } of symbols.imports) if (kind === 'name' && names.has(imported)) here.add(local);
  const uses = [...here].flatMap((name) => symbols.usesOf(name).filter((use) => !isShadowed(symbols, use)));
  return uses.toSorted((a, b) => a.at - b.at);
}
