import type { Definition, Reference } from '../file-symbols.ts';
import type { ImportResolver } from './imports.ts';
import { nearest } from './meanings.ts';
import { isTopLevel } from './target.ts';
import type { SourceFile, Target } from './target.ts';

const ownObjects = new Set(['this', 'self', 'cls', 'super', 'super()', '@']);
/** Types above a type that are looked at; also what ends a circle. */
const maxBases = 20;

/** Finds what a name of a type means in a file. */
export type FindType = (file: SourceFile, name: string) => Promise<Target[]>;

/** Finds what `value.name` means where it is evident what the value is. */
export class MemberFinder {
  readonly #imports: ImportResolver;
  readonly #findType: FindType;

  constructor(imports: ImportResolver, findType: FindType) {
    this.#imports = imports;
    this.#findType = findType;
  }

  /** For uses of one name behind something; what stands before most of them decides first. */
  async find(file: SourceFile, name: string, uses: readonly Reference[]): Promise<Target[]> {
    const groups = Map.groupBy(uses, (use) => this.keyOf(file, use));
    for (const group of [...groups.values()].toSorted((a, b) => b.length - a.length)) {
      const [use] = group;
      const found = use ? await this.#inside(file, use, name) : [];
      if (found.length > 0) return found;
    }
    return [];
  }

  /** The type of what stands before a use, where it is evident; a module is none. */
  async typeBefore(file: SourceFile, use: Reference): Promise<Target[]> {
    const [first, ...properties] = (use.qualifier ?? '').split(/\??\./);
    if (first === undefined || !/^[\w$@()]+$/.test(first)) return [];
    let types = await this.#typeOf(file, first, use);
    for (const property of properties) {
      const members = await this.membersOf(types, property.replace(/^#/, ''));
      types = (await Promise.all(members.map((member) => this.#typeOfMember(member)))).flat();
    }
    return types;
  }

  async #typeOf(file: SourceFile, value: string, use: Reference): Promise<Target[]> {
    if (ownObjects.has(value)) {
      const around = typeAround(file, use);
      return around ? [targetOf(file, around)] : [];
    }
    const type = typeNameOf(file, value, use);
    return type === undefined ? [] : (await this.#findType(file, type)).filter(isType);
  }

  async #typeOfMember({ snapshot, path, definition: { type } }: Target): Promise<Target[]> {
    const symbols = await snapshot.symbols(path);
    const language = snapshot.languages.of(path);
    if (type === undefined || !symbols || !language) return [];
    return (await this.#findType({ snapshot, path, language, symbols }, type)).filter(isType);
  }

  /** Uses behind what is the same variable, or one of the same type, mean the same. */
  keyOf(file: SourceFile, use: Reference): string {
    const { qualifier = '' } = use;
    const [first = ''] = qualifier.split(/\??\./);
    const type = ownObjects.has(first) ? typeAround(file, use)?.at : typeNameOf(file, first, use);
    return `${qualifier} ${type ?? ''}`;
  }

  async #inside(file: SourceFile, use: Reference, name: string): Promise<Target[]> {
    const { qualifier } = use;
    if (qualifier === undefined) return [];
    for (const imported of file.symbols.imports.filter(({ local }) => local === qualifier)) {
      const found =
        imported.kind === 'module'
          ? await this.#imports.nameOf(file, imported, name)
          : await this.membersOf(await this.#imports.follow(file, imported), name);
      if (found.length > 0) return found;
    }
    const typed = await this.membersOf(await this.typeBefore(file, use), name);
    return typed.length > 0 ? typed : this.membersOf(topLevelOf(file, qualifier), name);
  }

  /** Members of types, or of those that they extend; top-level names of modules. */
  async membersOf(holders: readonly Target[], name: string): Promise<Target[]> {
    const waiting = [...holders];
    for (let looked = 0; looked < maxBases; looked += 1) {
      const holder = waiting.shift();
      if (!holder) return [];
      const { snapshot, path, definition } = holder;
      const symbols = await snapshot.symbols(path);
      const language = snapshot.languages.of(path);
      if (!symbols || !language) continue;
      const file = { snapshot, path, language, symbols };
      const isInside = (one: Definition): boolean =>
        definition.kind === 'module'
          ? isTopLevel(one)
          : one.container === definition.name && (one.isMember || !one.scope);
      const found = symbols.definitionsOf(name).filter(isInside);
      if (found.length > 0) return found.map((one) => targetOf(file, one));
      for (const base of definition.bases ?? []) waiting.push(...(await this.#findType(file, base)));
    }
    return [];
  }
}

/** The name of the type of a variable. */
function typeNameOf({ symbols }: SourceFile, value: string, { at }: Reference): string | undefined {
  const named = symbols.definitionsOf(value);
  return (nearest(named, at) ?? named.find(isTopLevel))?.type;
}

/** The smallest type around a place. */
function typeAround({ symbols }: SourceFile, { line }: Reference): Definition | undefined {
  const around = symbols.definitions.filter(
    ({ kind, startLine, endLine }) => typeKinds.has(kind) && startLine <= line && line <= endLine,
  );
  return around.toSorted((a, b) => a.endLine - a.startLine - (b.endLine - b.startLine))[0];
}

const typeKinds = new Set(['class', 'interface', 'type', 'enum', 'struct', 'trait', 'module']);

const isType = ({ definition: { kind } }: Target): boolean => typeKinds.has(kind);

const targetOf = ({ snapshot, path }: SourceFile, definition: Definition): Target => ({ snapshot, path, definition });

/** What a file defines under a name for all of it. */
export const topLevelOf = (file: SourceFile, name: string): Target[] =>
  file.symbols
    .definitionsOf(name)
    .filter(isTopLevel)
    .map((definition) => targetOf(file, definition));
