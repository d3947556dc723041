import type { Outside } from '@sextant/contracts';
import type { Definition, Reference } from '../parse/file-symbols.ts';
import type { ImportResolver } from './import-resolver.ts';
import { callables, nearest } from './senses.ts';
import { isIn, isTopLevel, keyOf, targetOf } from './target.ts';
import type { SourceFile, Target } from './target.ts';
import type { Place, Shape } from './types/shapes.ts';
import { valueIn } from './types/type-parser.ts';
import { Types } from './types/types.ts';
import type { NameFinder } from './types/types.ts';

/** Steps of one question. */
const mostWork = 400;

/** Most groups of equally written uses that are looked at, largest group first. */
const mostGroups = 10;

/** The variable or module with which a qualifier begins. */
const firstName = /(?!(?:await|new|this|self)\b)[\p{L}_$][\p{L}\p{N}_$]*/u;
/** A string, number, list or table that is written in place. */
const isLiteral = /^(?:["'`\d]|\[[^\]]*\]$|\{)/;

/** Finds what `value.name` means if the type of the value can be inferred. */
export class MemberFinder {
  readonly #imports: ImportResolver;
  readonly #types: Types;
  #steps = 0;

  constructor(imports: ImportResolver, names: NameFinder) {
    this.#imports = imports;
    this.#types = new Types(names);
  }

  /** The definitions that uses of a member mean. What most of them mean comes first. `outside` is told if all come from there. */
  async find(
    file: SourceFile,
    name: string,
    uses: readonly Reference[],
  ): Promise<{ targets: Target[]; outside?: Outside | undefined }> {
    const groups = [...Map.groupBy(uses, (use) => this.keyOf(file, use)).values()];
    const counts = new Map<string, { readonly target: Target; count: number }>();
    for (const group of groups.toSorted((a, b) => b.length - a.length).slice(0, mostGroups)) {
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
    for (const [use] of groups.slice(0, mostGroups)) {
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
    const types = await Promise.all(shapes.map((shape) => this.#types.outsideOf(shape)));
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

  /** The members of one name that some types or modules have. */
  ofTypes(types: readonly Target[], name: string): Promise<Target[]> {
    const work = { left: mostWork };
    return this.membersOf(
      types.map((target): Shape => ({ kind: 'type', target, args: [], isItself: true, work })),
      name,
    );
  }

  /** That were taken until now to tell what stands before uses. */
  get steps(): number {
    return this.#steps;
  }

  /** What stands before a use, where that is evident. */
  async before(file: SourceFile, { qualifier, at, line }: Reference): Promise<Shape[]> {
    if (qualifier === undefined) return [];
    const place: Place = { file, at, line, bindings: new Map(), work: { left: mostWork } };
    const shapes = await this.#types.values.of(valueIn(qualifier), place);
    this.#steps += mostWork - Math.max(0, place.work.left);
    return shapes;
  }

  async membersOf(shapes: readonly Shape[], name: string): Promise<Target[]> {
    return (await this.#types.membersOf(shapes, name)).map(({ target }) => target);
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
    if (qualifier === 'this') {
      const assigned = file.symbols.definitionsOf(name).filter((one) => one.isMember && one.container === undefined);
      if (assigned.length > 0) return assigned.map((one) => targetOf(file, one));
    }
    // A table or object of the file whose parts are written beside it.
    const parts = file.symbols
      .definitionsOf(name)
      .filter(({ container, kind }) => container === qualifier && kind !== 'key');
    if (topLevelOf(file, qualifier).length > 0) return parts.map((part) => targetOf(file, part));
    const behind = await this.byPath(file, qualifier, name);
    return behind.length > 0 ? behind : this.#extension(file, name);
  }

  /** Extensions of a type, which the file has itself or imports by their own name. */
  async #extension(file: SourceFile, name: string): Promise<Target[]> {
    const own = topLevelOf(file, name).filter(({ definition }) => isExtension(file, definition));
    if (own.length > 0) return own;
    for (const imported of file.symbols.imports.filter(({ kind, local }) => kind === 'name' && local === name)) {
      const found = await this.#imports.follow(file, imported);
      const extensions = found.filter(({ definition }) => definition.container !== undefined);
      if (extensions.length > 0) return extensions;
    }
    return [];
  }

  /** What a name means behind the module or the type that is written before it: `crate::goods::open`. */
  async byPath(file: SourceFile, qualifier: string, name: string): Promise<Target[]> {
    const modules = modulesBehind(file, qualifier, name);
    if (modules.length === 0) return [];
    for (const module of modules) {
      const found = await this.#imports.nameOf(file, { module, kind: 'name', imported: name, local: name }, name);
      if (found.length > 0) return found;
    }
    const [, around, type] = /^(.+)(?:::|\\|\.)(\w+)$/.exec(qualifier) ?? [];
    const types = around === undefined || type === undefined ? [] : await this.byPath(file, around, type);
    return this.ofTypes(types, name);
  }
}

/** Whether a function stands outside of the type that it belongs to. */
const isExtension = ({ symbols }: SourceFile, definition: Definition): boolean =>
  definition.container !== undefined &&
  !symbols.definitionsOf(definition.container).some((one) => isIn(definition, one));

/** Of a field and a method of one name, a call means the method. */
function ofKind(targets: readonly Target[], { role }: Reference): Target[] {
  const meant = targets.filter(({ definition: { kind } }) => callables.has(kind) === (role === 'call'));
  return meant.length > 0 ? meant : [...targets];
}

/** The qualified name as it is written, in the file's namespace, and with its first part resolved by imports. */
function modulesBehind({ language, symbols }: SourceFile, qualifier: string, name: string): string[] {
  const module = language.importOf?.(qualifier, name);
  if (module === undefined) return [];
  const [head = ''] = /^\w+/.exec(qualifier) ?? [];
  const own = symbols.definitions.filter(({ kind }) => kind === 'package').map((one) => one.name);
  const imported = symbols.imports.filter(({ kind, local }) => kind === 'name' && head !== '' && local === head);
  const separator = module.slice(qualifier.length, module.length - name.length);
  return [
    ...imported.map((one) => one.module + module.slice(head.length)),
    ...(head === '' ? [] : own.map((namespace) => namespace + separator + module)),
    module,
  ];
}

/** What a file defines under a name for all of it. */
export const topLevelOf = (file: SourceFile, name: string): Target[] =>
  file.symbols
    .definitionsOf(name)
    .filter(isTopLevel)
    .map((definition) => targetOf(file, definition));
