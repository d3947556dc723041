import type { Outside } from '@sextant/contracts';
import { callableKinds } from '@sextant/contracts/definition-kinds';
import { inference } from '../limits.ts';
import type { Definition, Reference } from '../parse/file-symbols.ts';
import { isIn, keyOf, targetsIn } from '../snapshot/source-file.ts';
import type { IsWanted, SourceFile, Target } from '../snapshot/source-file.ts';
import type { ImportResolver } from './import-resolver.ts';
import { topLevelOf } from './name-resolver.ts';
import type { NameResolver } from './name-resolver.ts';
import { nearest } from './senses.ts';
import type { Place, Shape } from './types/shapes.ts';
import { valueIn } from './types/type-parser.ts';
import { Types } from './types/types.ts';

/** The variable or module with which a qualifier begins. */
const firstName = /(?!(?:await|new|this|self)\b)[\p{L}_$][\p{L}\p{N}_$]*/u;
const lastPart = /\.\w+$/;
/** A type with its package before it. What the companion of a type has in Kotlin, the type has. */
const typeAtEnd = /^.+?\.(\p{Lu}\w*)(?=(?:\.Companion)?$)/u;
/** A string, number, list or table that is written in place. */
const isLiteral = /^(?:["'`\d]|\[[^\]]*\]$|\{)/;

/** Finds what `value.name` means if the type of the value can be inferred. */
export class MemberFinder {
  readonly #names: NameResolver;
  readonly #imports: ImportResolver;
  readonly types: Types;
  #steps = 0;

  constructor(names: NameResolver) {
    this.#names = names;
    this.#imports = names.imports;
    this.types = new Types(names);
  }

  /** The definitions that uses of a member mean, the most used first. `outside` is set if all values come from outside. */
  async find(
    file: SourceFile,
    name: string,
    uses: readonly Reference[],
  ): Promise<{ targets: Target[]; outside?: Outside | undefined }> {
    const groups = [...Map.groupBy(uses, (use) => this.keyOf(file, use)).values()];
    const counts = new Map<string, { readonly target: Target; count: number }>();
    for (const group of groups.toSorted((a, b) => b.length - a.length).slice(0, inference.groups)) {
      const [use] = group;
      for (const target of use ? await this.#inside(file, use, name) : []) {
        const counted = counts.get(keyOf(target)) ?? { target, count: 0 };
        counted.count += group.length;
        counts.set(keyOf(target), counted);
      }
    }
    const targets = [...counts.values()].toSorted((a, b) => b.count - a.count).map(({ target }) => target);
    return targets.length > 0 ? { targets } : { targets, outside: await this.#outside(file, groups) };
  }

  /** From where the values come, if all of them come from outside of all repositories. */
  async #outside(file: SourceFile, groups: readonly (readonly Reference[])[]): Promise<Outside | undefined> {
    let outside: Outside | undefined;
    for (const [use] of groups.slice(0, inference.groups)) {
      const one = use && (await this.#outsideBefore(file, use));
      if (!one) return undefined;
      outside ??= one;
    }
    return outside;
  }

  async #outsideBefore(file: SourceFile, use: Reference): Promise<Outside | undefined> {
    const { qualifier = '' } = use;
    if (isLiteral.test(qualifier)) return {};
    const shapes = await this.before(file, use);
    const types = await Promise.all(shapes.map((shape) => this.types.outsideOf(shape)));
    if (shapes.length === 0 || types.includes(undefined)) return undefined;
    const first = firstName.exec(qualifier)?.[0] ?? '';
    const isOwn = file.symbols.definitionsOf(first).length > 0;
    const names = [...(isOwn ? [] : [first]), ...types.flatMap((one) => one ?? [])];
    for (const name of names) {
      const imported = await this.#imports.outsideOf(file, name);
      if (imported) return imported;
    }
    return {};
  }

  /** The steps that were taken so far to infer what stands before uses. */
  get steps(): number {
    return this.#steps;
  }

  /** What the value before a use is. Empty if that cannot be inferred. */
  async before(file: SourceFile, { qualifier, at, line }: Reference): Promise<Shape[]> {
    if (qualifier === undefined) return [];
    const place: Place = { file, at, line, bindings: new Map(), work: { left: inference.steps } };
    const shapes = await this.types.of({ node: valueIn(qualifier), place });
    this.#steps += inference.steps - Math.max(0, place.work.left);
    return shapes;
  }

  async membersOf(shapes: readonly Shape[], name: string): Promise<Target[]> {
    return (await this.types.membersOf(shapes, name)).map(({ target }) => target);
  }

  /** Uses with equal keys mean the same: the text before them is equal and begins with the same variable. */
  keyOf(file: SourceFile, { qualifier = '', at, line }: Reference): string {
    const first = firstName.exec(qualifier)?.[0] ?? '';
    const around = /\b(this|self|super|cls)\b|@/.test(qualifier)
      ? line
      : nearest(file.symbols.definitionsOf(first), at)?.at;
    return `${qualifier} ${around ?? ''}`;
  }

  async #inside(file: SourceFile, use: Reference, name: string): Promise<Target[]> {
    const { qualifier } = use;
    if (qualifier === undefined) return [];
    const found = await this.membersOf(await this.before(file, use), name);
    if (found.length > 0) return ofKind(found, use);
    for (const imported of file.symbols.imports.filter(({ local, kind }) => local === qualifier && kind === 'module')) {
      const there = await this.#imports.nameOf(file, imported, name);
      if (there.length > 0) return there;
    }
    // Outside of classes, what a function assigns to `this`.
    const assigned = qualifier === 'this' ? targetsIn(file, name, isAssigned) : [];
    if (assigned.length > 0) return assigned;
    // A table or object of the file whose parts are written beside it.
    if (topLevelOf(file, qualifier).length > 0)
      return targetsIn(file, name, ({ container, kind }) => container === qualifier && kind !== 'key');
    const behind = await this.types.byPath(file, qualifier, name);
    return behind.length > 0 ? behind : this.#extension(file, name);
  }

  /** Extensions of a type, which the file has itself, imports by their own name, or sees in its package. */
  async #extension(file: SourceFile, name: string): Promise<Target[]> {
    const own = topLevelOf(file, name).filter(({ definition }) => isExtension(file, definition));
    if (own.length > 0) return own;
    for (const imported of file.symbols.imports.filter(({ kind, local }) => kind === 'name' && local === name)) {
      const found = await this.#imports.follow(file, imported);
      const extensions = found.filter(({ definition }) => definition.container !== undefined);
      if (extensions.length > 0) return extensions;
    }
    const imported = await this.imported(file, name);
    if (imported.length > 0) return imported;
    const near = await this.#names.neighbours(file, name, []);
    return near.filter(({ definition: { isMember, container } }) => !isMember && container !== undefined);
  }

  /** What a file takes out of a type: `import com.acme.Store.open`, `import static com.acme.Store.*`. */
  async imported(file: SourceFile, name: string): Promise<Target[]> {
    if (!file.language.namespaces) return [];
    for (const { kind, local, module, imported } of file.symbols.imports) {
      if (kind === 'module' || (kind === 'name' && local !== name)) continue;
      const [owner = '', type = ''] = typeAtEnd.exec(kind === 'name' ? module.replace(lastPart, '') : module) ?? [];
      if (type === '') continue;
      const one = { module: owner, kind: 'name', imported: type, local: type } as const;
      const found = await this.types.ofTypes(await this.#imports.nameOf(file, one, type), imported || name);
      if (found.length > 0) return found;
    }
    return [];
  }
}

const isAssigned: IsWanted = ({ isMember, container }) => isMember && container === undefined;

/** Whether a function stands outside of the type that it belongs to. */
const isExtension = ({ symbols }: SourceFile, definition: Definition): boolean =>
  definition.container !== undefined &&
  !symbols.definitionsOf(definition.container).some((one) => isIn(definition, one));

/** Of a field and a method of one name, a call means the method. */
function ofKind(targets: readonly Target[], { role }: Reference): Target[] {
  const meant = targets.filter(({ definition: { kind } }) => callableKinds.has(kind) === (role === 'call'));
  return meant.length > 0 ? meant : [...targets];
}
