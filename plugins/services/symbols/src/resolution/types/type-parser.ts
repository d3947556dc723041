/** A parsed type, or a parsed value, which tells a type. */
export type TypeNode =
  /** Values of the type that is named. */
  | { readonly kind: 'name'; readonly name: string; readonly args: readonly TypeNode[] }
  | VariableNode
  | { readonly kind: 'list'; readonly of: TypeNode }
  | { readonly kind: 'tuple' | 'either'; readonly of: readonly TypeNode[] }
  | FunctionNode
  /** Members between two offsets of the file. */
  | { readonly kind: 'span'; readonly start: number; readonly end: number }
  /** The type of one member of a type. */
  | { readonly kind: 'part'; readonly of: TypeNode; readonly name: string }
  /** A value that does not stand beside the name whose type it tells. */
  | { readonly kind: 'elsewhere'; readonly of: TypeNode; readonly at: number }
  | StepNode
  | { readonly kind: 'unknown' };

/** A name in a value: what it stands for, which may be a type itself. `arity`: how many type arguments follow it. */
export interface VariableNode {
  readonly kind: 'variable';
  readonly name: string;
  readonly arity: number;
}

/** What a value leads to. */
export type StepNode = { readonly of: TypeNode } & (
  | { readonly kind: 'await' }
  /** `isKey`: the name stands in brackets. */
  | { readonly kind: 'member'; readonly name: string; readonly isKey?: true }
  | { readonly kind: 'call'; readonly args: readonly TypeNode[] }
  | { readonly kind: 'element'; readonly index: number | undefined }
  /** The parameters of a function, which named arguments name. */
  | { readonly kind: 'parameters' }
  /** One argument of a function or, if `parameter` is given, a parameter of the callback that the argument is. `args`: the type arguments of the call. */
  | {
      readonly kind: 'argument';
      readonly index: number;
      readonly parameter: number | undefined;
      readonly args: readonly TypeNode[];
    }
);

export interface FunctionNode {
  readonly kind: 'function';
  readonly generics: readonly Generic[];
  readonly takes: readonly Parameter[];
  readonly gives: TypeNode;
}

/** A type parameter, with its default or its bound. */
export interface Generic {
  readonly name: string;
  readonly otherwise: TypeNode | undefined;
}

interface Parameter {
  readonly isRest: boolean;
  readonly type: TypeNode;
}

export const isStep = (node: TypeNode): node is StepNode =>
  ['await', 'member', 'call', 'element', 'parameters', 'argument'].includes(node.kind);

const unknown: TypeNode = { kind: 'unknown' };

const words =
  /\{\d+:\d+\}|=>|->|<-|\.\.\.|\?->|\?\.|::|\?\?|\|\||&&|[#@$]?[\p{L}_$][\p{L}\p{N}_$]*|\d+|"[^"]*"|'[^']*'|\S/gu;

/** The tokens of a text, taken one by one. */
class Words {
  readonly #words: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#words = text.match(words) ?? [];
  }

  get next(): string {
    return this.#words[this.#at] ?? '';
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#words.length;
  }

  /** The token that is `count` behind the next one. */
  ahead(count: number): string {
    return this.#words[this.#at + count] ?? '';
  }

  take(): string {
    this.#at += 1;
    return this.#words[this.#at - 1] ?? '';
  }

  skip(...any: readonly string[]): boolean {
    if (this.isAtEnd || !any.includes(this.next)) return false;
    this.#at += 1;
    return true;
  }

  /** Tries to read something. Goes back if there is nothing to read. */
  attempt<T>(read: () => T | undefined): T | undefined {
    const before = this.#at;
    const found = read();
    if (found === undefined) this.#at = before;
    return found;
  }
}

const isName = (word: string): boolean => /^[#@$\p{L}_]/u.test(word) && word !== '@' && word !== '#';

/** Words before a parameter, or before a type parameter. */
const isModifier = (word: string): boolean =>
  /^(readonly|public|private|protected|override|abstract|const|in|out|typename|class)$/.test(word);

/** The whole text of a definition's type. */
function whole(words: Words): TypeNode {
  if (words.skip('=')) return valueType(words);
  const generics = genericsOf(words);
  if (generics.length > 0 && words.isAtEnd) return unknown;
  const type = typeOf(words);
  return type.kind === 'function' && generics.length > 0 && type.generics.length === 0 ? { ...type, generics } : type;
}

/** `T extends X = Y` of `<…>`. */
function genericsOf(words: Words): Generic[] {
  const generics: Generic[] = [];
  if (!words.skip('<')) return generics;
  while (!words.isAtEnd && !words.skip('>')) {
    while (isModifier(words.next)) words.take();
    const name = words.take();
    const least = words.skip('extends', ':') ? typeOf(words) : undefined;
    generics.push({ name, otherwise: words.skip('=') ? typeOf(words) : least });
    if (!words.skip(',') && words.next !== '>') return generics;
  }
  return generics;
}

function typeOf(words: Words): TypeNode {
  const parts: TypeNode[] = [];
  words.skip('|', '&');
  do parts.push(suffixed(words));
  while (words.skip('|', '&'));
  const type: TypeNode = parts.length === 1 ? (parts[0] ?? unknown) : { kind: 'either', of: parts };
  return words.skip('extends') ? conditional(words) : type;
}

/** `A extends B ? C : D` may be `C` or `D`. */
function conditional(words: Words): TypeNode {
  typeOf(words);
  if (!words.skip('?')) return unknown;
  const yes = typeOf(words);
  return { kind: 'either', of: words.skip(':') ? [yes, typeOf(words)] : [yes] };
}

function suffixed(words: Words): TypeNode {
  let type = primary(words);
  while (words.next === '[') {
    words.take();
    if (words.skip(']')) type = { kind: 'list', of: type };
    else {
      const key = words.take();
      type = /^["']/.test(key)
        ? { kind: 'part', of: type, name: key.slice(1, -1) }
        : { kind: 'element', of: type, index: undefined };
      while (!words.isAtEnd && !words.skip(']')) words.take();
    }
  }
  return type;
}

function primary(words: Words): TypeNode {
  if (words.next === '<') return genericFunction(words);
  const word = words.take();
  const [, start, end] = /^\{(\d+):(\d+)\}$/.exec(word) ?? [];
  if (start !== undefined) return { kind: 'span', start: Number(start), end: Number(end) };
  if (word === '(') return words.attempt(() => functionOf(words)) ?? grouped(words);
  if (word === '[') return words.attempt(() => listBefore(words)) ?? { kind: 'tuple', of: listUntil(words, ']') };
  const go = goType(word, words);
  if (go) return go;
  if (word === '*' || word === '&' || word === '?' || ['readonly', 'dyn', 'mut', 'unique'].includes(word))
    return suffixed(words);
  if (word === 'new' || word === 'abstract') return primary(words);
  if (word === 'typeof') return readValue(words);
  if (word === 'infer' || word === 'asserts') return unknown;
  if (word === 'keyof') {
    suffixed(words);
    return unknown;
  }
  if (/^"[\w.]+["[]/.test(word)) return whole(new Words(word.slice(1, -1)));
  return isName(word) ? named(word, words) : unknown;
}

function genericFunction(words: Words): TypeNode {
  const generics = genericsOf(words);
  const type = primary(words);
  return type.kind === 'function' ? { ...type, generics } : unknown;
}

/** One type in parentheses, or the results of a function of Go, which may have names. */
function grouped(words: Words): TypeNode {
  const types: TypeNode[] = [];
  do {
    const type = typeOf(words);
    types.push(words.isAtEnd || [',', ')'].includes(words.next) ? type : typeOf(words));
  } while (words.skip(','));
  words.skip(')');
  return types.length === 1 ? (types[0] ?? unknown) : { kind: 'tuple', of: types };
}

/** `[]T` and `[4]T` of Go. */
function listBefore(words: Words): TypeNode | undefined {
  if (words.next !== ']') words.take();
  if (!words.skip(']')) return undefined;
  const isOperator = /^(is|in|as|extends|satisfies)$/.test(words.next);
  const isType = /^([*[{]|<-)/.test(words.next) || (isName(words.next) && !isOperator);
  return isType ? { kind: 'list', of: suffixed(words) } : undefined;
}

/** Types that only Go writes in this way. */
function goType(word: string, words: Words): TypeNode | undefined {
  if (word === '<-') return primary(words);
  if (word === 'chan' && !words.isAtEnd) {
    words.skip('<-');
    return { kind: 'list', of: suffixed(words) };
  }
  if (word === 'map' && words.skip('[')) {
    const key = typeOf(words);
    words.skip(']');
    return { kind: 'name', name: word, args: [key, suffixed(words)] };
  }
  if (/^(struct|interface)$/.test(word) && words.next.startsWith('{')) return primary(words);
  if (word !== 'func' || !words.skip('(')) return undefined;
  for (let open = 1; open > 0 && !words.isAtEnd; ) {
    const next = words.take();
    open += next === '(' ? 1 : next === ')' ? -1 : 0;
  }
  const gives = words.isAtEnd || [',', ')'].includes(words.next) ? unknown : suffixed(words);
  return { kind: 'function', generics: [], takes: [], gives };
}

function functionOf(words: Words): FunctionNode | undefined {
  const takes: Parameter[] = [];
  while (!words.isAtEnd && words.next !== ')') {
    takes.push(parameterOf(words));
    if (!words.skip(',') && words.next !== ')') return undefined;
  }
  if (!words.skip(')') || !words.skip('=>', '->')) return undefined;
  if (words.next === 'asserts' || words.ahead(1) === 'is')
    return { kind: 'function', generics: [], takes, gives: unknown };
  const gives = words.skip('=') ? valueType(words) : words.isAtEnd ? unknown : typeOf(words);
  return { kind: 'function', generics: [], takes, gives };
}

/** `=12:open()`: the value, and where it stands. */
function valueType(words: Words): TypeNode {
  if (words.ahead(1) !== ':') return readValue(words);
  const at = Number(words.take());
  words.take();
  return { kind: 'elsewhere', of: readValue(words), at };
}

function parameterOf(words: Words): Parameter {
  const isRest = words.skip('...', '*');
  while (isModifier(words.next) && words.ahead(1) !== ':') words.take();
  // A name or a pattern.
  if (words.skip('[')) while (!words.isAtEnd && !words.skip(']')) words.take();
  else words.take();
  words.skip('?');
  const type = words.skip(':') ? typeOf(words) : unknown;
  if (!words.skip('=')) return { isRest, type };
  const value = readValue(words);
  return { isRest, type: type.kind === 'unknown' ? value : type };
}

function named(first: string, words: Words): TypeNode {
  let name = first;
  while (/^(\.|::)$/.test(words.next) && isName(words.ahead(1))) {
    words.take();
    name += `.${words.take()}`;
  }
  const args = words.skip('<') ? listUntil(words, '>') : [];
  // `x is T` says something of another value.
  return words.next === 'is' ? unknown : { kind: 'name', name, args };
}

function listUntil(words: Words, end: string): TypeNode[] {
  const list: TypeNode[] = [];
  while (!words.isAtEnd && !words.skip(end)) {
    words.skip('...');
    // A part of a tuple may have a name.
    if (isName(words.next) && words.ahead(1) === ':') {
      words.take();
      words.take();
    }
    list.push(typeOf(words));
    words.skip('?');
    if (!words.skip(',') && words.next !== end) return list;
  }
  return list;
}

/** Reads a qualifier: `this.store.open().rows[0]`. */
export const valueIn = (text: string): TypeNode => readValue(new Words(text));

/** Reads the type of a definition: `Map<string, Foo>`, `(a: A) => B`, `=open().rows`. What it does not understand is unknown. */
export const readType = (text: string): TypeNode => whole(new Words(text));

/** The type parameters of a type. */
export const genericsIn = (text: string | undefined): readonly Generic[] =>
  text?.startsWith('<') ? genericsOf(new Words(text)) : [];

/** Reads a value and stops behind it. */
function readValue(words: Words): TypeNode {
  const value = operand(words);
  if (words.skip('||', '??', 'or')) return { kind: 'either', of: [value, readValue(words)] };
  if (words.skip('&&', 'and')) return readValue(words);
  if (words.skip('?')) {
    const yes = readValue(words);
    return words.skip(':') ? { kind: 'either', of: [yes, readValue(words)] } : yes;
  }
  if (words.skip('as', 'satisfies')) return words.skip('const') ? value : typeOf(words);
  // `a if b else c`
  if (words.skip('if')) {
    while (!words.isAtEnd && !words.skip('else')) words.take();
    return { kind: 'either', of: [value, readValue(words)] };
  }
  return value;
}

/** A head, and the steps that follow it. */
function operand(words: Words): TypeNode {
  if (words.skip('await')) return { kind: 'await', of: operand(words) };
  // What comes out of a channel of Go.
  if (words.skip('<-')) return { kind: 'element', of: operand(words), index: undefined };
  if (words.skip('!', '-', '+', 'not')) {
    operand(words);
    return unknown;
  }
  words.skip('&', '*');
  let isMade = !words.skip('new');
  let value = headOf(words);
  if (!value) return unknown;
  for (let next = after(value, words); next; next = after(value, words)) {
    isMade ||= next.kind === 'call';
    value = next;
  }
  // `new Foo` without arguments.
  return isMade ? value : { kind: 'call', of: value, args: [] };
}

function headOf(words: Words): TypeNode | undefined {
  const literal = words.attempt(() => literalOfGo(words));
  if (literal) return literal;
  const word = words.take();
  if (word === '(') return firstUntil(words, ')');
  // The first element of an array tells what its elements are.
  if (word === '[') return { kind: 'list', of: firstUntil(words, ']') };
  const [, start, end] = /^\{(\d+):(\d+)\}$/.exec(word) ?? [];
  if (start !== undefined) return { kind: 'span', start: Number(start), end: Number(end) };
  return isName(word) ? { kind: 'variable', name: word, arity: 0 } : undefined;
}

/** The first value in brackets. */
function firstUntil(words: Words, end: string): TypeNode {
  const value = readValue(words);
  while (!words.isAtEnd && !words.skip(end)) words.take();
  return value;
}

/** `[]Foo{…}`, `map[string]Foo{…}` and `struct{…}{…}`: a type, then what it is filled with. */
function literalOfGo(words: Words): TypeNode | undefined {
  if (!/^(\[|map|struct)$/.test(words.next)) return undefined;
  const type = typeOf(words);
  const isFilled = /^\{\d/.test(words.next);
  if (isFilled) words.take();
  return isFilled && type.kind !== 'tuple' ? type : undefined;
}

/** The value with the next step. Undefined if none follows. */
function after(of: TypeNode, words: Words): TypeNode | undefined {
  while (words.next === '!' && words.ahead(1) !== '=') words.take();
  if (/^(\.|\?\.|\?->|::|->)$/.test(words.next)) return memberAfter(of, words);
  if (words.next === '<') return words.attempt(() => argumentsAfter(of, words));
  if (words.next === '(') return callAfter(of, words);
  if (words.next === '[') return elementAfter(of, words);
  if (words.next === '#') return argumentAfter(of, words);
  // `Foo{…}` makes a Foo.
  if (!/^\{\d+:\d+\}$/.test(words.next)) return undefined;
  words.take();
  return { kind: 'call', of, args: [] };
}

function memberAfter(of: TypeNode, words: Words): TypeNode | undefined {
  const mark = words.take();
  if (words.next === '[') return elementAfter(of, words);
  if (words.next !== '(') return isName(words.next) ? { kind: 'member', of, name: words.take() } : undefined;
  // A call `f?.()` has no name.
  if (mark !== '.') return callAfter(of, words);
  // `x.(T)` of Go says what x is. The steps before it do not matter.
  words.take();
  const type = typeOf(words);
  words.skip(')');
  return type;
}

function callAfter(of: TypeNode, words: Words, args: readonly TypeNode[] = []): TypeNode {
  words.take();
  words.skip(')');
  return { kind: 'call', of, args };
}

/** `<T>` of `open<T>()`, `Result<T>.of` and `Result<T>`. */
function argumentsAfter(of: TypeNode, words: Words): TypeNode | undefined {
  words.take();
  const args = listUntil(words, '>');
  const value = of.kind === 'variable' ? { ...of, arity: args.length } : of;
  if (words.next === '(') return callAfter(value, words, args);
  return words.isAtEnd || /^(\.|::)$/.test(words.next) ? value : undefined;
}

/** A slice of a list is a list, so it is no step of its own. */
function elementAfter(of: TypeNode, words: Words): TypeNode | undefined {
  words.take();
  const key = words.next;
  let isPart = false;
  while (!words.isAtEnd && !words.skip(']')) isPart = words.take() === ':' || isPart;
  if (isPart) return after(of, words);
  if (/^["']/.test(key)) return { kind: 'member', of, name: key.slice(1, -1), isKey: true };
  return { kind: 'element', of, index: /^\d+$/.test(key) ? Number(key) : undefined };
}

/** Behind a function: `#1.0`, `#1<T>.0` if it was called with type arguments, and `#=` for its parameters by name. */
function argumentAfter(of: TypeNode, words: Words): TypeNode {
  words.take();
  if (words.skip('=')) return { kind: 'parameters', of };
  const index = Number(words.take());
  const args = words.skip('<') ? listUntil(words, '>') : [];
  const hasParameter = words.next === '.' && /^\d+$/.test(words.ahead(1));
  if (!hasParameter) return { kind: 'argument', of, index, parameter: undefined, args };
  words.take();
  return { kind: 'argument', of, index, parameter: Number(words.take()), args };
}
