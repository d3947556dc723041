import { qualifierKinds } from '@sextant/contracts/definition-kinds';
import { inference } from '../../limits.ts';
import type { Definition, FileSymbols } from '../../parse/file-symbols.ts';
import type { NameResolver } from '../name-resolver.ts';
import { nearest } from '../senses.ts';
import { isIn, isTopLevel, targetOf, targetsIn } from '../../snapshot/source-file.ts';
import type { IsWanted, SourceFile, Target } from '../../snapshot/source-file.ts';
import { componentOf, flat, foreignOf, itselfOf, libraryOf, transparent, withArity, wrappers } from './shapes.ts';
import type { Place, Shape, TypeAt } from './shapes.ts';
import { genericsIn, isStep, readType } from './type-parser.ts';
import type { TypeNode } from './type-parser.ts';
import { Values, bound, isMeantBefore } from './values.ts';

/** A name as types have it, but not type parameters. */
const typeName = /^\p{Lu}\w*\p{Ll}\w*$/u;

/** Names of the type around a place. */
const ownTypes = new Set(['Self', 'self', 'static']);

/** A member, and the place where the names of its type are looked up. */
interface Member {
  readonly target: Target;
  readonly place: Place;
}

/** Tells what types are and which members they have, from the texts of types in definitions. */
export class Types {
  readonly values: Values;
  readonly #names: NameResolver;

  constructor(names: NameResolver) {
    this.#names = names;
    this.values = new Values(this);
  }

  /** The shapes of values of a written type, or of a written value. */
  async of({ node, place }: TypeAt): Promise<Shape[]> {
    if (isStep(node)) {
      const before = await this.of({ node: node.of, place });
      return before.length === 0 || isMeantBefore(node, place) ? before : this.values.after(node, before, place);
    }
    place.work.left -= 1;
    if (place.work.left < 0) return [];
    switch (node.kind) {
      case 'name':
        return this.#named(node, place);
      case 'variable':
        return this.values.named(node, place);
      case 'list':
        return [{ kind: 'list', args: [{ node: node.of, place }] }];
      case 'tuple':
        return [{ kind: 'tuple', of: node.of.map((one) => ({ node: one, place })) }];
      case 'either':
        return flat(node.of.map((one) => this.of({ node: one, place })));
      case 'function':
        return [{ kind: 'function', node, place }];
      case 'span':
        return [{ kind: 'span', start: node.start, end: node.end, place }];
      case 'part':
        return this.#partOf(await this.of({ node: node.of, place }), node.name);
      case 'elsewhere':
        return this.of({ node: node.of, place: { ...place, at: node.at } });
      case 'unknown':
        return [];
    }
  }

  /** The shapes of the members of one name. */
  async ofMembers(shapes: readonly Shape[], name: string): Promise<Shape[]> {
    const members = await this.membersOf(shapes, name);
    return flat(members.map(({ target, place }) => this.ofTarget(target, place)));
  }

  /** The members of one name. A type's own members come before inherited ones. */
  membersOf(shapes: readonly Shape[], name: string): Promise<Member[]> {
    return flat(shapes.map((shape) => this.#membersOf(shape, name)));
  }

  /** The members of one name that some types or modules have. */
  async ofTypes(types: readonly Target[], name: string, work = { left: inference.steps }): Promise<Target[]> {
    return (
      await this.membersOf(
        types.map((target) => itselfOf(target, work)),
        name,
      )
    ).map(({ target }) => target);
  }

  /** What a name means behind the module or the type that is written before it: `crate::goods::open`. */
  async byPath(file: SourceFile, qualifier: string, name: string): Promise<Target[]> {
    const modules = modulesBehind(file, qualifier, name);
    if (modules.length === 0) return [];
    for (const module of modules) {
      const imported = { module, kind: 'name', imported: name, local: name } as const;
      const found = await this.#names.imports.nameOf(file, imported, name);
      if (found.length > 0) return found;
    }
    const [, around, type] = /^(.+)(?:::|\\|\.)(\w+)$/.exec(qualifier) ?? [];
    const types = around === undefined || type === undefined ? [] : await this.byPath(file, around, type);
    return this.ofTypes(types, name);
  }

  /** The shapes of a name that stands alone. */
  async ofName(name: string, place: Place): Promise<Shape[]> {
    // In `x := x.next()` the second `x` is another variable.
    const others = place.file.symbols.definitionsOf(name).filter(({ at }) => at !== place.at);
    const local = nearest(others, place.at);
    if (local) return this.ofTarget(targetOf(place.file, local), place);
    const own = await this.#ofOwnMember(name, place);
    if (own.length > 0) return own;
    const targets = await this.#names.named(place.file, name);
    if (targets.length === 0) return foreignOf(name, await this.#isForeign(name, place));
    return flat(targets.map((target) => this.ofTarget(target, { ...place, bindings: new Map() })));
  }

  /** In many languages members of the type around a place are named alone. */
  async #ofOwnMember(name: string, place: Place): Promise<Shape[]> {
    if (place.file.language.visibility === undefined) return [];
    return this.ofMembers(await this.around(place), name);
  }

  /** The shapes of a definition: a type itself, or what the text of its type says. */
  async ofTarget(target: Target, { bindings, work }: Place): Promise<Shape[]> {
    const { kind, type, at, line } = target.definition;
    if (qualifierKinds.has(kind)) return [itselfOf(target, work)];
    const file = type === undefined ? undefined : await target.snapshot.file(target.path);
    return type === undefined || !file ? [] : this.#ofText(type, { file, at, line, bindings, work });
  }

  #ofText(type: string, place: Place): Promise<Shape[]> {
    return this.of({ node: readType(place.file.language.typeText?.(type) ?? type), place });
  }

  /** The type around a place. If the type stands elsewhere, the one that the member around the place belongs to. */
  async around(place: Place): Promise<Shape[]> {
    const { file, work } = place;
    const { type, container } = aroundLine(file.symbols, place.line);
    if (type) return [{ kind: 'type', target: targetOf(file, type), args: [], isItself: false, work }];
    if (container === undefined || file.language.visibility === undefined) return [];
    const named = await this.#names.named(file, container);
    return flat(named.map((target) => this.instance({ target, work }, [])));
  }

  /** The base types of a type. */
  async basesOf(shape: Shape): Promise<Shape[]> {
    if (shape.kind !== 'type') return [];
    const { bases = [] } = shape.target.definition;
    const place = bases.length > 0 ? await this.#inside(shape) : undefined;
    if (!place) return [];
    const found = await flat(bases.map((base) => this.#ofText(base, place)));
    return found.map((base) => (base.kind === 'type' ? { ...base, isItself: shape.isItself } : base));
  }

  /** The function that a value of a type is, if it can be called. */
  async callable(shape: Shape & { kind: 'type' }): Promise<Shape[]> {
    const { type } = shape.target.definition;
    const place = type === undefined ? undefined : await this.#inside(shape);
    return type === undefined || !place ? [] : this.of({ node: readType(type), place });
  }

  /** A place in a type, with its parameters bound to its arguments. */
  async #inside({ target, args, work }: Shape & { kind: 'type' }): Promise<Place | undefined> {
    const file = await target.snapshot.file(target.path);
    if (!file) return undefined;
    const { at, line, type } = target.definition;
    return bound({ file, at, line, bindings: new Map(), work }, genericsIn(type), args);
  }

  async #named({ name, args }: TypeNode & { kind: 'name' }, place: Place): Promise<Shape[]> {
    const bound = place.bindings.get(name);
    if (bound) return this.of(bound);
    const given = args.map((node): TypeAt => ({ node, place }));
    const [first] = given;
    const found = await this.#defined(name, given, place);
    if (found.length > 0) return found;
    const last = name.slice(name.lastIndexOf('.') + 1);
    if (ownTypes.has(last)) return this.around(place);
    if (/^tuple$/i.test(last)) return [{ kind: 'tuple', of: given }];
    if (last === 'Callable' && args[1])
      return [{ kind: 'function', node: { kind: 'function', generics: [], takes: [], gives: args[1] }, place }];
    if (/^type$/i.test(last) && first) return (await this.of(first)).map(itself);
    const library = libraryOf(last);
    if (library) return [{ kind: library, args: given }];
    if (wrappers.has(last) && first) return [{ kind: 'list', args: given }, ...(await this.of(first))];
    const component = first ? componentOf(last, first) : [];
    if (component.length > 0) return component;
    if (last === 'ReturnType') return first ? this.values.called(await this.of(first), []) : [];
    if (transparent.has(last) && first) return this.of(first);
    return foreignOf(name, await this.#isForeign(name, place), first);
  }

  /** Whether a name without definition is imported, or names a type that the repository does not define. */
  async #isForeign(name: string, { file }: Place): Promise<boolean> {
    if (isImported(name, file)) return true;
    if (file.symbols.definitionsOf(name).length > 0) return false;
    // In C, types have names as values have.
    return (typeName.test(name) || file.language.family === 'c') && this.#names.isUnknown(file, name);
  }

  /** The names of the types from outside of all repositories that a value is of, or that its type inherits from. Undefined if there are none. */
  async outsideOf(shape: Shape, depth = 0): Promise<readonly string[] | undefined> {
    if (shape.kind === 'foreign') return [shape.name];
    if (shape.kind !== 'type') return ['span', 'function', 'parameters'].includes(shape.kind) ? undefined : [];
    if (depth > inference.bases) return undefined;
    const bases = await this.basesOf(shape);
    const found = (await Promise.all(bases.map((base) => this.outsideOf(base, depth + 1)))).find((one) => one);
    // `module.Type` is known by the import of the module.
    return found && [...found, ...(shape.target.definition.bases ?? []).map((base) => base.replace(/\W.*$/su, ''))];
  }

  async #partOf(shapes: readonly Shape[], name: string): Promise<Shape[]> {
    return [...shapes.filter(({ kind }) => kind === 'foreign'), ...(await this.ofMembers(shapes, name))];
  }

  async #defined(name: string, args: readonly TypeAt[], place: Place): Promise<Shape[]> {
    const [head = '', ...rest] = name.split('.');
    const local = rest.length === 0 && nearest(place.file.symbols.definitionsOf(head), place.at);
    // A type parameter has the members of the type that it extends.
    if (local && local.kind === 'parameter') return this.ofTarget(targetOf(place.file, local), place);
    let targets: readonly Target[] = local ? [targetOf(place.file, local)] : await this.#names.named(place.file, head);
    for (const part of rest) targets = await this.ofTypes(targets, part, place.work);
    if (targets.length === 0 && rest.length > 0)
      targets = await this.byPath(
        place.file,
        name.slice(0, name.lastIndexOf('.')).replaceAll('.', '\\'),
        rest.at(-1) ?? '',
      );
    const fitting = withArity(targets, args.length, ({ definition }) => definition);
    return flat(fitting.map((target) => this.instance({ target, work: place.work }, args)));
  }

  /** The shapes of values of a defined type. An alias has those of the type that it names. */
  async instance(
    { target, work }: { readonly target: Target; readonly work: Place['work'] },
    args: readonly TypeAt[],
  ): Promise<Shape[]> {
    const { kind, type } = target.definition;
    if (!qualifierKinds.has(kind)) return [];
    const shape: Shape = { kind: 'type', target, args, isItself: false, work };
    if (kind !== 'type' || type === undefined) return [shape];
    const place = await this.#inside(shape);
    if (!place) return [shape];
    const meant = await this.#ofText(type, place);
    // A name for a type may have members of its own.
    return meant.length === 0 || place.file.language.visibility === 'folder' ? [shape, ...meant] : meant;
  }

  async #membersOf(shape: Shape, name: string): Promise<Member[]> {
    if (shape.kind === 'span') {
      const isInside: IsWanted = ({ isMember, at }) => isMember && shape.start <= at && at < shape.end;
      return membersAt(shape.place, targetsIn(shape.place.file, name, isInside).slice(0, 1));
    }
    if (shape.kind === 'parameters') return membersAt(shape.place, parametersIn(shape.place, name));
    if (shape.kind === 'foreign' && shape.holds) return this.membersOf(await this.of(shape.holds), name);
    if (shape.kind !== 'type') return [];
    shape.work.left -= 1;
    const place = shape.work.left < 0 ? undefined : await this.#inside(shape);
    if (!place) return [];
    const own = await this.#ownMembers(shape.target, name, place);
    return own.length > 0 ? own : this.membersOf(await this.basesOf(shape), name);
  }

  async #ownMembers(target: Target, name: string, place: Place): Promise<Member[]> {
    const { kind, at } = target.definition;
    const isModule = kind === 'package' || (kind === 'module' && at === 0);
    const here = isModule ? [] : membersIn(place.file, target.definition, name);
    const found = isModule
      ? await this.#names.imports.exported(target, name)
      : here.length > 0
        ? here
        : await this.#names.membersBeside(target, name);
    return found.map((one) => ({ target: one, place }));
  }
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

const membersAt = (place: Place, targets: readonly Target[]): Member[] =>
  targets.map((target) => ({ target, place: { ...place, at: target.definition.at } }));

const isImported = (name: string, file: SourceFile): boolean =>
  file.symbols.imports.some(({ local }) => local === name || name.startsWith(`${local}.`));

const itself = (shape: Shape): Shape => (shape.kind === 'type' ? { ...shape, isItself: true } : shape);

/** The members of one name that a file has of a type in it. */
function membersIn(file: SourceFile, type: Definition, name: string): Target[] {
  const others = file.symbols.definitionsOf(type.name).filter((one) => one.at !== type.at);
  return targetsIn(
    file,
    name,
    (one) =>
      one.container === type.name &&
      (one.isMember || isTopLevel(one)) &&
      one.kind !== 'key' &&
      (isIn(one, type) || !others.some((other) => isIn(one, other))),
  );
}

/** The parameter of one name that a function has, whose own name stands at a place. */
function parametersIn({ file, at }: Place, name: string): Target[] {
  const parameters = file.symbols.definitionsOf(name).filter((one) => one.kind === 'parameter' && one.at > at);
  const own = nearest(parameters, at);
  return own ? [targetOf(file, own)] : [];
}

/** What stands around a line: the nearest type, and the name of the type that a member there belongs to. */
function aroundLine(
  symbols: FileSymbols,
  line: number,
): { readonly type: Definition | undefined; readonly container: string | undefined } {
  const around = symbols.definitions.filter((one) => isIn({ line }, one)).toSorted(bySize);
  return {
    type: around.find(({ kind }) => qualifierKinds.has(kind)),
    container: around.find((one) => one.container !== undefined && !one.scope)?.container,
  };
}

const bySize = (a: Definition, b: Definition): number => a.endLine - a.startLine - (b.endLine - b.startLine);
