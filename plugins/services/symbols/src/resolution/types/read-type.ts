import { isName, unknown } from './type-text.ts';
import type { FunctionNode, Generic, Parameter, TypeNode, Words } from './type-text.ts';

const modifiers = [
  'readonly',
  'public',
  'private',
  'protected',
  'override',
  'abstract',
  'const',
  'in',
  'out',
  'typename',
  'class',
];

/** All that stands beside a name. */
export function whole(words: Words): TypeNode {
  if (words.skip('=')) return valueType(words);
  const generics = genericsOf(words);
  if (generics.length > 0 && words.isAtEnd) return unknown;
  const type = typeOf(words);
  return type.kind === 'function' && generics.length > 0 && type.generics.length === 0 ? { ...type, generics } : type;
}

/** `T extends X = Y` of `<…>`. */
export function genericsOf(words: Words): Generic[] {
  const generics: Generic[] = [];
  if (!words.skip('<')) return generics;
  while (!words.isAtEnd && !words.skip('>')) {
    while (modifiers.includes(words.next)) words.take();
    const name = words.take();
    const least = words.skip('extends', ':') ? typeOf(words) : undefined;
    generics.push({ name, otherwise: words.skip('=') ? typeOf(words) : least });
    if (!words.skip(',') && words.next !== '>') return generics;
  }
  return generics;
}

export function typeOf(words: Words): TypeNode {
  const parts: TypeNode[] = [];
  words.skip('|', '&');
  do parts.push(suffixed(words));
  while (words.skip('|', '&'));
  const type: TypeNode = parts.length === 1 ? (parts[0] ?? unknown) : { kind: 'either', of: parts };
  return words.skip('extends') ? conditional(words) : type;
}

/** `A extends B ? C : D` may be either of both. */
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
        ? { kind: 'member', of: type, name: key.slice(1, -1) }
        : { kind: 'name', name: '[]', args: [type] };
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
  if (word === 'typeof') return { kind: 'value', value: words.value(), at: undefined };
  if (word === 'infer' || word === 'asserts') return unknown;
  if (word === 'keyof') {
    suffixed(words);
    return unknown;
  }
  if (/^"[\w.]+["[]/.test(word)) return whole(words.of(word.slice(1, -1)));
  return isName(word) ? named(word, words) : unknown;
}

function genericFunction(words: Words): TypeNode {
  const generics = genericsOf(words);
  const type = primary(words);
  return type.kind === 'function' ? { ...type, generics } : unknown;
}

/** One type, or several that a function of Go gives, which may have names. */
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
  const at = words.ahead(1) === ':' ? Number(words.take()) : undefined;
  if (at !== undefined) words.take();
  return { kind: 'value', value: words.value(), at };
}

function parameterOf(words: Words): Parameter {
  const isRest = words.skip('...', '*');
  while (modifiers.includes(words.next) && words.ahead(1) !== ':') words.take();
  // A name or a pattern.
  if (words.skip('[')) while (!words.isAtEnd && !words.skip(']')) words.take();
  else words.take();
  words.skip('?');
  const type = words.skip(':') ? typeOf(words) : unknown;
  if (!words.skip('=')) return { isRest, type };
  const value = words.value();
  return { isRest, type: type.kind === 'unknown' ? { kind: 'value', value, at: undefined } : type };
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

export function listUntil(words: Words, end: string): TypeNode[] {
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
