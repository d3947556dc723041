import type { Definition } from '../../parse/file-symbols.ts';
import { moduleTarget } from '../../snapshot/source-file.ts';
import { calledForeign, calledWith, flat, functionFor, givenBy, itselfOf, madeFor, withArity } from './shapes.ts';
import type { Place, Shape, TypeAt } from './shapes.ts';
import type { Generic, Step, TypeNode, ValueHead, ValueNode } from './type-parser.ts';
import type { Types } from './types.ts';

const ownObjects = new Set(['this', 'self', '@', '$this', 'Self', 'cls']);

/** Infers what values are. It starts with the head of a chain and takes one step after the other. */
export class Values {
  readonly #types: Types;

  constructor(types: Types) {
    this.#types = types;
  }

  async of(value: ValueNode, place: Place): Promise<Shape[]> {
    place.work.left -= 1;
    if (place.work.left < 0) return [];
    if (value.kind === 'await') return this.#awaited(await this.of(value.of, place));
    if (value.kind === 'either') return flat(value.of.map((one) => this.of(one, place)));
    // A cast decides the type; the steps before it do not matter.
    const cast = value.steps.findLastIndex(({ kind }) => kind === 'cast');
    const heads = cast < 0 ? await this.#ofHead(value.head, place) : [];
    let shapes: Shape[] = withArity(heads, argumentsOf(value.steps[0]).length, typeItself);
    // `super()` is what some languages write for `super`.
    const isSuper = value.head.kind === 'name' && value.head.name === 'super' && value.steps[0]?.kind === 'call';
    const skipped = isSuper || isModuleExports(value, place) ? 1 : Math.max(0, cast);
    for (const step of value.steps.slice(skipped)) {
      if (shapes.length === 0 && step.kind !== 'cast') return [];
      shapes = await this.#after(step, shapes, place);
    }
    return shapes;
  }

  /** The results of calling functions, or types as constructors. */
  async called(shapes: readonly Shape[], args: readonly TypeAt[]): Promise<Shape[]> {
    return flat(shapes.map((shape) => this.#called(shape, args)));
  }

  async #ofHead(head: ValueHead, place: Place): Promise<Shape[]> {
    switch (head.kind) {
      case 'typed':
        return this.#types.of({ node: head.type, place });
      case 'value':
        return this.of(head.value, place);
      case 'array':
        return head.first ? [{ kind: 'list', args: [{ node: valueNode(head.first), place }] }] : [];
      case 'name':
        if (head.name === 'super') return this.#basesAround(place);
        if (ownObjects.has(head.name)) return this.#types.around(place);
        if (isOwnModule(head.name, place)) return [ownModule(place)];
        return this.#ofName(head.name, place);
    }
  }

  /** PHP defines a variable without the `$` that stands before each use. If `parent` (PHP) or `base` (C#) is no name, it means `super`. */
  async #ofName(name: string, place: Place): Promise<Shape[]> {
    const found = await this.#types.ofName(name, place);
    if (found.length > 0) return found;
    if (name.startsWith('$')) return this.#types.ofName(name.slice(1), place);
    return /^(parent|base)$/.test(name) ? this.#basesAround(place) : [];
  }

  async #basesAround(place: Place): Promise<Shape[]> {
    return flat((await this.#types.around(place)).map((one) => this.#types.basesOf(one)));
  }

  #after(step: Step, shapes: readonly Shape[], place: Place): Promise<Shape[]> {
    switch (step.kind) {
      case 'member':
        return this.#member(shapes, step);
      case 'call':
        return this.called(
          shapes,
          step.args.map((node) => ({ node, place })),
        );
      case 'arguments':
        return Promise.resolve([...shapes]);
      case 'element':
        return elementsOf(this.#types, shapes, step.index);
      case 'cast':
        return this.#types.of({ node: step.type, place });
      case 'argument':
        return this.#argument(shapes, step, place);
      case 'parameters':
        return flat(shapes.map((shape) => this.#parameters(shape)));
    }
  }

  /** The parameters of a class are those of its constructor, or else its fields. */
  async #parameters(shape: Shape): Promise<Shape[]> {
    if (shape.kind === 'function') return [{ kind: 'parameters', place: shape.place }];
    if (shape.kind !== 'type' || !shape.isItself) return shape.kind === 'foreign' ? [shape] : [];
    const made = await this.#types.ofMembers([shape], '__init__');
    return made.length > 0 ? flat(made.map((one) => this.#parameters(one))) : [shape];
  }

  async #member(shapes: readonly Shape[], { name, isKey }: Step & { kind: 'member' }): Promise<Shape[]> {
    const held = await flat(
      shapes.map((one) => (one.kind === 'foreign' && one.holds ? this.#types.of(one.holds) : Promise.resolve([]))),
    );
    const inside: Shape[] = held.length > 0 ? await this.#member(held, { kind: 'member', name }) : [];
    if (inside.length > 0) return inside;
    const tables = shapes.filter(({ kind }) => isKey && (kind === 'map' || kind === 'record'));
    if (tables.length > 0) return elementsOf(this.#types, tables, undefined);
    const methods = shapes.flatMap((one): Shape[] => {
      if (one.kind === 'foreign') return [{ ...one, name }];
      return isLibrary(one) ? [{ kind: 'method', of: one, name }] : [];
    });
    const members = await this.#types.ofMembers(shapes, name);
    // What the companion of a type has in Kotlin, the type has.
    const companions = members.length > 0 || name !== 'Companion' ? [] : shapes.filter((one) => typeItself(one));
    return [...methods, ...members, ...companions];
  }

  async #called(shape: Shape, args: readonly TypeAt[]): Promise<Shape[]> {
    if (shape.kind === 'function')
      return this.#types.of({ node: shape.node.gives, place: bound(shape.place, shape.node.generics, args) });
    if (shape.kind === 'method') {
      const given = givenBy(shape.of, shape.name);
      return given === undefined ? [] : 'kind' in given ? [given] : this.#types.of(given);
    }
    if (shape.kind === 'foreign') return calledForeign(shape, args);
    if (shape.kind !== 'type') return [];
    if (shape.isItself) return this.#types.instance(shape, args);
    const functions = await this.#asFunction(shape);
    return this.called(functions.length > 0 ? functions : await this.#types.ofMembers([shape], '__call__'), args);
  }

  /** The functions that values of a type are, if they can be called. */
  async #asFunction(shape: Shape & { kind: 'type' }): Promise<Shape[]> {
    if (shape.target.definition.kind === 'type') return [];
    const found = await this.#types.callable(shape);
    return found.filter(({ kind }) => kind === 'function');
  }

  async #argument(shapes: readonly Shape[], step: Step & { kind: 'argument' }, place: Place): Promise<Shape[]> {
    const args = step.args.map((node): TypeAt => ({ node, place }));
    return flat(
      shapes.map((shape) =>
        shape.kind === 'foreign' ? this.#givenToForeign(madeFor(shape, args), step) : this.#argumentOf(shape, step),
      ),
    );
  }

  /** A foreign function made for a type takes values of it, or functions that take and return them. */
  async #givenToForeign(type: TypeAt | undefined, { parameter }: Step & { kind: 'argument' }): Promise<Shape[]> {
    if (!type) return [];
    const values = await this.#types.of(type);
    return parameter === undefined ? [...values, functionFor(type)] : values;
  }

  async #argumentOf(shape: Shape, { index, parameter }: Step & { kind: 'argument' }): Promise<Shape[]> {
    if (shape.kind === 'method') {
      const given = parameter === undefined ? undefined : calledWith(shape.of, shape.name, parameter);
      return given ? this.#types.of(given) : [];
    }
    const functions = shape.kind === 'type' ? await this.#functionsOf(shape) : [shape];
    const taken = await flat(functions.map((one) => this.#taken(one, index)));
    return parameter === undefined ? taken : flat(taken.map((one) => this.#taken(one, parameter)));
  }

  async #functionsOf(shape: Shape & { kind: 'type' }): Promise<Shape[]> {
    if (!shape.isItself) return this.#asFunction(shape);
    const constructors = await this.#types.ofMembers([shape], 'constructor');
    return constructors.length > 0 ? constructors : this.#types.basesOf(shape);
  }

  /** The type of the parameter at an index. The last parameter may take the rest. */
  async #taken(shape: Shape, index: number): Promise<Shape[]> {
    if (shape.kind === 'type' && !shape.isItself)
      return flat((await this.#asFunction(shape)).map((one) => this.#taken(one, index)));
    if (shape.kind !== 'function') return [];
    const { takes } = shape.node;
    const last = takes.at(-1);
    const isRest = last?.isRest === true && index >= takes.length - 1;
    const parameter = isRest ? last : takes[index];
    if (!parameter) return [];
    const place = bound(shape.place, shape.node.generics, []);
    const types = await this.#types.of({ node: parameter.type, place });
    return isRest ? elementsOf(this.#types, types, index - takes.length + 1) : types;
  }

  async #awaited(shapes: readonly Shape[]): Promise<Shape[]> {
    const kept = shapes.filter(({ kind }) => kind !== 'promise');
    const promised = shapes.flatMap((one) => (one.kind === 'promise' ? one.args.slice(0, 1) : []));
    return [...kept, ...(await flat(promised.map((one) => this.#types.of(one))))];
  }
}

/** What stands between `<` and `>` behind a type or function. */
const argumentsOf = (step: Step | undefined): readonly TypeNode[] =>
  step?.kind === 'call' || step?.kind === 'arguments' ? step.args : [];

/** The definition of a type that is named, not of a value of it. */
const typeItself = (shape: Shape): Definition | undefined =>
  shape.kind === 'type' && shape.isItself ? shape.target.definition : undefined;

/** Whether a CommonJS file names itself: `exports`, or `module` in `module.exports`. */
const isOwnModule = (name: string, { file: { language, symbols } }: Place): boolean =>
  language.family === 'javascript' &&
  (name === 'exports' || name === 'module') &&
  symbols.definitionsOf(name).every(({ isMember }) => isMember);

type Chain = Extract<ValueNode, { readonly kind: 'chain' }>;

/** Whether a chain begins with `module.exports`. Its head `module` already means the exports. */
function isModuleExports({ head, steps: [first] }: Chain, place: Place): boolean {
  const isModule = head.kind === 'name' && head.name === 'module' && isOwnModule(head.name, place);
  return isModule && first?.kind === 'member' && first.name === 'exports';
}

const ownModule = ({ file, work }: Place): Shape => itselfOf(moduleTarget(file, 'exports'), work);

/** The elements of lists and maps. Of a tuple the part at the index, or else its last part. */
export async function elementsOf(types: Types, shapes: readonly Shape[], index: number | undefined): Promise<Shape[]> {
  const held = shapes.flatMap((shape): TypeAt[] => {
    if (shape.kind === 'list') return shape.args.slice(0, 1);
    if (shape.kind === 'record') return shape.args.slice(-1);
    if (shape.kind === 'map') return index === undefined ? shape.args.slice(-1) : shape.args.slice(index, index + 1);
    if (shape.kind !== 'tuple') return [];
    const one = index === undefined ? undefined : (shape.of[index] ?? shape.of.at(-1));
    return one ? [one] : [...shape.of];
  });
  const foreign = await flat(
    shapes.map(async (shape): Promise<Shape[]> => {
      if (shape.kind !== 'foreign') return [];
      const inside =
        shape.holds && index === undefined ? await elementsOf(types, await types.of(shape.holds), index) : [];
      return inside.length > 0 ? inside : [shape];
    }),
  );
  return [...foreign, ...(await flat(held.map((one) => types.of(one))))];
}

/** A place with type parameters bound to their arguments, or else to their bounds. */
export function bound(place: Place, generics: readonly Generic[], args: readonly TypeAt[]): Place {
  if (generics.length === 0) return place;
  const given = generics.flatMap(({ name, otherwise }, index): [string, TypeAt][] => {
    const one = args[index] ?? (otherwise && { node: otherwise, place });
    return one ? [[name, one]] : [];
  });
  return { ...place, bindings: new Map([...place.bindings, ...given]) };
}

const isLibrary = (shape: Shape): shape is Shape & { kind: 'list' | 'map' | 'record' | 'promise' } =>
  ['list', 'map', 'record', 'promise'].includes(shape.kind);

const valueNode = (value: ValueNode): TypeNode => ({ kind: 'value', value, at: undefined });
