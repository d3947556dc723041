import type { Definition } from '../../parse/file-symbols.ts';
import { moduleTarget } from '../../snapshot/source-file.ts';
import { calledForeign, calledWith, flat, functionFor, givenBy, itselfOf, madeFor, withArity } from './shapes.ts';
import type { Place, Shape, TypeAt } from './shapes.ts';
import type { Generic, StepNode, VariableNode } from './type-parser.ts';
import type { Types } from './types.ts';

const ownObjects = new Set(['this', 'self', '@', '$this', 'Self', 'cls']);

/** Infers what names in values stand for, and what the steps behind values lead to. */
export class Values {
  readonly #types: Types;

  constructor(types: Types) {
    this.#types = types;
  }

  async named({ name, arity }: VariableNode, place: Place): Promise<Shape[]> {
    if (name === 'super') return this.#basesAround(place);
    if (ownObjects.has(name)) return this.#types.around(place);
    if (isOwnModule(name, place)) return [itselfOf(moduleTarget(place.file, 'exports'), place.work)];
    return withArity(await this.#ofName(name, place), arity, typeItself);
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

  async after(step: StepNode, shapes: readonly Shape[], place: Place): Promise<Shape[]> {
    switch (step.kind) {
      case 'await':
        return this.#awaited(shapes);
      case 'member':
        return this.#member(shapes, step);
      case 'call':
        return this.called(
          shapes,
          step.args.map((node) => ({ node, place })),
        );
      case 'element':
        return elementsOf(this.#types, shapes, step.index);
      case 'argument':
        return this.#argument(shapes, step, place);
      case 'parameters':
        return flat(shapes.map((shape) => this.#parameters(shape)));
    }
  }

  /** The results of calling functions, or types as constructors. */
  async called(shapes: readonly Shape[], args: readonly TypeAt[]): Promise<Shape[]> {
    return flat(shapes.map((shape) => this.#called(shape, args)));
  }

  /** The parameters of a class are those of its constructor, or else its fields. */
  async #parameters(shape: Shape): Promise<Shape[]> {
    if (shape.kind === 'function') return [{ kind: 'parameters', place: shape.place }];
    if (shape.kind !== 'type' || !shape.isItself) return shape.kind === 'foreign' ? [shape] : [];
    const made = await this.#types.ofMembers([shape], '__init__');
    return made.length > 0 ? flat(made.map((one) => this.#parameters(one))) : [shape];
  }

  async #member(
    shapes: readonly Shape[],
    { name, isKey }: Pick<StepNode & { kind: 'member' }, 'name' | 'isKey'>,
  ): Promise<Shape[]> {
    const held = await flat(
      shapes.map((one) => (one.kind === 'foreign' && one.holds ? this.#types.of(one.holds) : Promise.resolve([]))),
    );
    const inside: Shape[] = held.length > 0 ? await this.#member(held, { name }) : [];
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

  async #argument(shapes: readonly Shape[], step: StepNode & { kind: 'argument' }, place: Place): Promise<Shape[]> {
    const args = step.args.map((node): TypeAt => ({ node, place }));
    return flat(
      shapes.map((shape) =>
        shape.kind === 'foreign' ? this.#givenToForeign(madeFor(shape, args), step) : this.#argumentOf(shape, step),
      ),
    );
  }

  /** A foreign function made for a type takes values of it, or functions that take and return them. */
  async #givenToForeign(type: TypeAt | undefined, { parameter }: StepNode & { kind: 'argument' }): Promise<Shape[]> {
    if (!type) return [];
    const values = await this.#types.of(type);
    return parameter === undefined ? [...values, functionFor(type)] : values;
  }

  async #argumentOf(shape: Shape, { index, parameter }: StepNode & { kind: 'argument' }): Promise<Shape[]> {
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

/** The definition of a type that is named, not of a value of it. */
const typeItself = (shape: Shape): Definition | undefined =>
  shape.kind === 'type' && shape.isItself ? shape.target.definition : undefined;

/** Whether a CommonJS file names itself: `exports`, or `module` in `module.exports`. */
const isOwnModule = (name: string, { file: { language, symbols } }: Place): boolean =>
  language.family === 'javascript' &&
  (name === 'exports' || name === 'module') &&
  symbols.definitionsOf(name).every(({ isMember }) => isMember);

/** Whether what stands before a step means the same as with it: `super` of `super()`, `module` of `module.exports`. */
export function isMeantBefore(step: StepNode, place: Place): boolean {
  const { of } = step;
  if (of.kind !== 'variable') return false;
  if (step.kind === 'call') return of.name === 'super';
  return step.kind === 'member' && step.name === 'exports' && of.name === 'module' && isOwnModule(of.name, place);
}

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
