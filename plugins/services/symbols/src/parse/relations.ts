import type { Node } from 'web-tree-sitter';
import type { Definition, Reference } from './file-symbols.ts';
import { Nesting } from './nesting.ts';
import { shortType, shortValue } from './short-text.ts';

type Tags = ReadonlyMap<string, Node>;

/** A value that a function gives back, and where it stands. */
interface Returned {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

/** Longest text of the call signatures of one type. Further signatures are left out. */
const longestCallables = 1500;

/** Types of nodes that define a function or are its body. */
const isFunction = /function|func_literal|lambda|block|class/;
/** Types of nodes that are the arguments of a call. */
const isArguments = /argument/;
/** Values that have no members of their own. */
const nothing = /^(null|undefined|true|false|None|True|False|nil|void|\d|["']|<(?!-))/;

/** Collects the types of names and the bases of types from the tags of a file. docs/languages.md lists the tags. */
export class Relations {
  /** By where the name stands. */
  readonly #declared = new Map<number, string>();
  readonly #inferred = new Map<number, string>();
  readonly #bases = new Map<number, string[]>();
  readonly #functions = new Map<number, { readonly end: number; readonly name: number }>();
  readonly #returned: Returned[] = [];
  readonly #arguments = new Map<number, string | undefined>();

  add(tags: Tags): void {
    const returned = tags.get('returned');
    if (returned) this.#return(returned);
    const extended = tags.get('extended');
    const base = extended && textOf(tags.get('of-type')) + textOf(tags.get('type-arguments'));
    if (extended && base) this.#bases.set(extended.startIndex, [...(this.#bases.get(extended.startIndex) ?? []), base]);
    const typed = tags.get('typed');
    if (!typed) return;
    const whole = tags.get('function');
    if (whole) this.#functions.set(whole.startIndex, { end: whole.endIndex, name: typed.startIndex });
    const declared = declaredBy(tags);
    const before = this.#declared.get(typed.startIndex);
    if (tags.has('callable') && declared !== undefined)
      this.#addCallable(typed.startIndex, declared, textOf(tags.get('outer')));
    else if (declared !== undefined && before === undefined) this.#declared.set(typed.startIndex, declared);
    const value = declared === undefined ? this.valueOf(tags) : undefined;
    if (value !== undefined && !this.#inferred.has(typed.startIndex))
      this.#inferred.set(typed.startIndex, inferred(value, keyOf(typed, tags)));
  }

  /** The text of the value that a name gets, or of the value one part of which it gets. */
  valueOf(tags: Tags): string | undefined {
    const [type, value, element] = [tags.get('of-type'), tags.get('of-value'), tags.get('of-element')];
    const items = tags.get('of-items');
    if (items) return append(shortType(items), ')[]', '(_ as ');
    const result = tags.get('of-result');
    if (result) return append(shortType(result), ')', 'await (_ as ');
    const component = tags.get('element');
    if (component) return attributeOf(component, tags);
    if (value) return isFunction.test(value.type) ? undefined : told(shortValue(value));
    if (element) return append(shortValue(element), '[]');
    if (type) return append(shortType(type), ')', '(_ as ');
    const [argument, parameter] = [tags.get('argument'), tags.get('parameter-of')];
    const callable = tags.get('of-callable');
    if (callable && parameter) return append(shortType(callable), `)#${indexOf(parameter)}`, '(_ as ');
    const given = argument && this.#argumentOf(argument);
    if (tags.has('result')) return append(given, '()');
    return parameter ? append(given, `.${indexOf(parameter)}`) : given;
  }

  /** Call this after everything was added. */
  of(): (nameAt: number) => Pick<Definition, 'type' | 'bases'> {
    const results = this.#resultsByName();
    return (at) => {
      const declared = this.#declared.get(at);
      const result = declared?.endsWith('=>') ? results.get(at) : undefined;
      // The type of a getter is the type that its function returns.
      const type =
        declared === undefined ? this.#inferred.get(at) : declared === '=>' ? result : declared + (result ?? '');
      const bases = this.#bases.get(at);
      return { ...(type !== undefined && { type }), ...(bases && { bases }) };
    };
  }

  /** Cached, because it is asked for each key of a literal. */
  #argumentOf(argument: Node): string | undefined {
    if (this.#arguments.has(argument.id)) return this.#arguments.get(argument.id);
    // What is called stands before its arguments.
    const list = isArguments.test(argument.parent?.type ?? '') ? argument.parent : null;
    const [called, types] = list?.parent?.namedChildren ?? [];
    const madeFor = types?.type === 'type_arguments' ? textOf(types) : '';
    const whole = madeFor === '' && list ? before(list) : called;
    const given = append(whole ? shortValue(whole) : undefined, `#${indexOf(argument)}${madeFor}`);
    this.#arguments.set(argument.id, given);
    return given;
  }

  /** A type may have several call signatures. */
  #addCallable(at: number, callable: string, generics: string): void {
    const before = this.#declared.get(at) ?? '';
    if (before.length > longestCallables) return;
    this.#declared.set(at, before.includes('(') ? `${before}&(${callable})` : `${generics}(${callable})`);
  }

  #return(node: Node): void {
    const value = isFunction.test(node.type) ? undefined : told(shortValue(node));
    if (value !== undefined)
      this.#returned.push({ start: node.startIndex, end: node.endIndex, value: `=${node.startIndex}:${value}` });
  }

  /** The first returned value of each function, without the functions inside of it. */
  #resultsByName(): ReadonlyMap<number, string> {
    const spans = [...this.#functions].map(([start, { end, name }]) => ({ start, end, name: String(name) }));
    const nesting = new Nesting(spans);
    const results = new Map<number, string>();
    for (const { start, end, value } of this.#returned) {
      const name = nesting.around({ start, end, name: '' })?.name;
      if (name !== undefined && !results.has(Number(name))) results.set(Number(name), value);
    }
    return results;
  }
}

/** The text of a written type: that of a variable, or the parameters and result of a function. */
function declaredBy(tags: Tags): string | undefined {
  const [type, generics, result] = [tags.get('of-type'), tags.get('generics'), tags.get('gives')];
  const parameters = tags.get('takes') ?? tags.get('function');
  if (type && !tags.has('key')) return textOf(generics) + (shortType(type) ?? '');
  if (tags.has('getter')) return '=>';
  if (!parameters) return generics && !type ? textOf(generics) : undefined;
  const takes = tags.get('takes');
  return `${textOf(generics)}${(takes && shortType(takes)) ?? '()'}=>${result ? (shortType(result) ?? '') : ''}`;
}

/** What an attribute of JSX, or a key in one, belongs to: the first parameter of its component. */
function attributeOf(component: Node, tags: Tags): string | undefined {
  const name = component.type === 'identifier' && /^[a-z]/.test(component.text) ? undefined : shortValue(component);
  const attribute = tags.get('attribute');
  const part = attribute ? `.${attribute.text}${tags.has('item') ? '[]' : ''}` : '';
  return name === undefined ? `(_ as ${elementsType}["${component.text}"])${part}` : `${name}#0${part}`;
}

/** Where TypeScript looks up elements that are no components. */
const elementsType = 'JSX.IntrinsicElements';

const textOf = (node: Node | undefined): string => (node && shortType(node)) ?? '';

/** The text of a value, or of a part of it. */
const inferred = (value: string, key: string): string => (key === '' ? `=${value}` : `=(${value})${key}`);

const told = (value: string | undefined): string | undefined =>
  value === undefined || nothing.test(value) ? undefined : value;

const append = (text: string | undefined, after: string, before = ''): string | undefined =>
  text === undefined ? undefined : before + text + after;

function keyOf(typed: Node, tags: Tags): string {
  const key = tags.get('key');
  if (key) return `.${key.text}`;
  if (!tags.has('by-index')) return '';
  const { parent } = typed;
  // What stands alone before `:=` gets all of it.
  const isAlone = parent?.type === 'expression_list' && parent.namedChildCount === 1;
  return isAlone ? '' : `[${commasBefore(typed)}]`;
}

/** The part of a call before its arguments. */
const before = (list: Node): Pick<Node, 'text' | 'startIndex'> => {
  const { text = '', startIndex = 0 } = list.parent ?? {};
  return { text: text.slice(0, list.startIndex - startIndex), startIndex };
};

/** How many siblings stand before a node. */
function indexOf(node: Node): number {
  let index = 0;
  for (let before = node.previousNamedSibling; before; before = before.previousNamedSibling)
    if (before.type !== 'comment') index += 1;
  return index;
}

/** The index of a node in a list. Commas are counted, because parts may be left out. */
function commasBefore(node: Node): number {
  let count = 0;
  for (let before = node.previousSibling; before; before = before.previousSibling) if (before.type === ',') count += 1;
  return count;
}

/** A range of the file in which a value is of one of some types. */
interface Narrowed {
  readonly value: string;
  readonly start: number;
  readonly end: number;
  readonly types: string[];
}

/** Collects what tests say about values: `isinstance(x, Item)` in Python, `x instanceof Item` in TypeScript. */
export class Narrowing {
  readonly #all = new Map<string, Narrowed>();

  /** Adds a match with `@narrowed` (the value), `@narrowed-to` (its type), and the range. */
  add(tags: ReadonlyMap<string, Node>): void {
    const [value, type] = [tags.get('narrowed'), tags.get('narrowed-to')];
    const where = spanOf(tags);
    const text = value && shortValue(value);
    const typeText = type && shortType(type);
    if (text === undefined || typeText === undefined || !where) return;
    const key = `${text} ${where.start} ${where.end}`;
    const known = this.#all.get(key) ?? { value: text, ...where, types: [] };
    known.types.push(typeText);
    this.#all.set(key, known);
  }

  /** The use of a member, with the type of its qualifier if a test tells it. */
  applied(use: Reference): Reference {
    const { qualifier, at } = use;
    if (qualifier === undefined || this.#all.size === 0) return use;
    const around = [...this.#all.values()].filter(
      ({ value, start, end }) => start <= at && at < end && isBefore(value, qualifier),
    );
    const [nearest] = around.toSorted((a, b) => a.end - a.start - (b.end - b.start));
    if (!nearest) return use;
    return { ...use, qualifier: `(_ as ${typesOf(nearest)})${qualifier.slice(nearest.value.length)}` };
  }
}

/** The types as a union. Python writes several as `(A, B)`. */
const typesOf = ({ types }: Narrowed): string =>
  types.map((type) => type.replace(/^\(([^()]*?),?\)$/, '$1').replaceAll(',', '|')).join('|');

const isBefore = (value: string, qualifier: string): boolean =>
  qualifier.startsWith(value) && !/[\w$]/.test(qualifier[value.length] ?? '');

/** The range of a block, or from the end of a statement to the end of the block around it. */
function spanOf(tags: ReadonlyMap<string, Node>): { start: number; end: number } | undefined {
  const inside = tags.get('narrowed-in');
  if (inside) return { start: inside.startIndex, end: inside.endIndex };
  const before = tags.get('narrowed-after');
  return before?.parent ? { start: before.endIndex, end: before.parent.endIndex } : undefined;
}
