import { genericsOf, listUntil, typeOf, whole } from './read-type.ts';
import { Words, isName, unknown } from './type-text.ts';
import type { Generic, Step, TypeNode, ValueHead, ValueNode } from './type-text.ts';

const noValue: ValueNode = { kind: 'chain', head: { kind: 'typed', type: unknown }, steps: [] };

/** Reads what stands before a name: `this.store.open().rows[0]`. */
export const valueIn = (text: string): ValueNode => readValue(new Words(text, readValue));

/** Reads the type of a definition: `Map<string, Foo>`, `(a: A) => B`, `=open().rows`. What it does not understand is unknown. */
export const readType = (text: string): TypeNode => whole(new Words(text, readValue));

/** The parameters that a type has itself. */
export const genericsIn = (text: string | undefined): readonly Generic[] =>
  text?.startsWith('<') ? genericsOf(new Words(text, readValue)) : [];

/** Reads a value and stops behind it. */
function readValue(words: Words): ValueNode {
  const value = operand(words);
  if (words.skip('||', '??', 'or')) return { kind: 'either', of: [value, readValue(words)] };
  if (words.skip('&&', 'and')) return readValue(words);
  if (words.skip('?')) return choice(words);
  if (words.skip('as', 'satisfies')) return words.skip('const') ? value : typed(typeOf(words));
  // `a if b else c`
  if (words.skip('if')) {
    while (!words.isAtEnd && !words.skip('else')) words.take();
    return { kind: 'either', of: [value, readValue(words)] };
  }
  return value;
}

const typed = (type: TypeNode): ValueNode => ({ kind: 'chain', head: { kind: 'typed', type }, steps: [] });

function choice(words: Words): ValueNode {
  const yes = readValue(words);
  return words.skip(':') ? { kind: 'either', of: [yes, readValue(words)] } : yes;
}

function operand(words: Words): ValueNode {
  if (words.skip('await')) return { kind: 'await', of: operand(words) };
  if (words.skip('<-')) return received(operand(words));
  if (words.skip('!', '-', '+', 'not')) {
    operand(words);
    return noValue;
  }
  words.skip('&', '*');
  const isNew = words.skip('new');
  const head = headOf(words);
  if (!head) return noValue;
  return { kind: 'chain', head, steps: stepsOf(words, isNew) };
}

/** What comes out of a channel of Go. */
const received = (value: ValueNode): ValueNode => ({
  kind: 'chain',
  head: { kind: 'value', value },
  steps: [{ kind: 'element', index: undefined }],
});

function headOf(words: Words): ValueHead | undefined {
  const literal = words.attempt(() => literalOfGo(words));
  if (literal) return literal;
  const word = words.take();
  if (word === '(') return group(words);
  if (word === '[') return array(words);
  const [, start, end] = /^\{(\d+):(\d+)\}$/.exec(word) ?? [];
  if (start !== undefined) return { kind: 'typed', type: { kind: 'span', start: Number(start), end: Number(end) } };
  return isName(word) ? { kind: 'name', name: word } : undefined;
}

function group(words: Words): ValueHead {
  const value = readValue(words);
  while (!words.isAtEnd && !words.skip(')')) words.take();
  return { kind: 'value', value };
}

/** `[]Foo{…}`, `map[string]Foo{…}` and `struct{…}{…}`: a type, then what it is filled with. */
function literalOfGo(words: Words): ValueHead | undefined {
  if (!/^(\[|map|struct)$/.test(words.next)) return undefined;
  const type = typeOf(words);
  const isFilled = /^\{\d/.test(words.next);
  if (isFilled) words.take();
  return isFilled && type.kind !== 'tuple' ? { kind: 'typed', type } : undefined;
}

/** Of an array its first element tells. */
function array(words: Words): ValueHead {
  const first = readValue(words);
  while (!words.isAtEnd && !words.skip(']')) words.take();
  return { kind: 'array', first };
}

function stepsOf(words: Words, isNew: boolean): Step[] {
  const steps: Step[] = [];
  let isMade = !isNew;
  for (;;) {
    const step = stepOf(words, isMade);
    if (!step) break;
    if (step.kind === 'call') isMade = true;
    steps.push(step);
  }
  // `new Foo` without arguments.
  return isMade ? steps : [...steps, { kind: 'call', args: [], isNew: true }];
}

function stepOf(words: Words, isMade: boolean): Step | undefined {
  while (words.next === '!' && words.ahead(1) !== '=') words.take();
  if (/^(\.|\?\.|\?->|::|->)$/.test(words.next)) return memberStep(words);
  if (words.next === '<') return words.attempt(() => genericCall(words, isMade));
  if (words.next === '(') {
    words.take();
    words.skip(')');
    return { kind: 'call', args: [], ...(!isMade && { isNew: true }) };
  }
  if (words.next === '[') return elementStep(words);
  if (words.next === '#') return argumentStep(words);
  // `Foo{…}` makes a Foo.
  if (/^\{\d+:\d+\}$/.test(words.next)) {
    words.take();
    return { kind: 'call', args: [], isNew: true };
  }
  return undefined;
}

function memberStep(words: Words): Step | undefined {
  const mark = words.take();
  if (words.next === '[') return elementStep(words);
  // `x.(T)` of Go says what x is; a call `f?.()` has no name.
  if (words.next === '(') return mark === '.' ? castStep(words) : callAfterMark(words);
  return isName(words.next) ? { kind: 'member', name: words.take() } : undefined;
}

function castStep(words: Words): Step {
  words.take();
  const type = typeOf(words);
  words.skip(')');
  return { kind: 'cast', type };
}

function callAfterMark(words: Words): Step {
  words.take();
  words.skip(')');
  return { kind: 'call', args: [] };
}

function genericCall(words: Words, isMade: boolean): Step | undefined {
  words.take();
  const args = listUntil(words, '>');
  if (!words.skip('(')) return undefined;
  words.skip(')');
  return { kind: 'call', args, ...(!isMade && { isNew: true }) };
}

/** Undefined for a part of a list, which is a list like all of it. */
function elementStep(words: Words): Step | undefined {
  words.take();
  const key = words.next;
  let isPart = false;
  while (!words.isAtEnd && !words.skip(']')) isPart = words.take() === ':' || isPart;
  if (isPart) return stepOf(words, true);
  if (/^["']/.test(key)) return { kind: 'member', name: key.slice(1, -1), isKey: true };
  return { kind: 'element', index: /^\d+$/.test(key) ? Number(key) : undefined };
}

/** `#1.0` behind a function, `#1<T>.0` where it was called with types; `#=` for all that it takes, by their names. */
function argumentStep(words: Words): Step {
  words.take();
  if (words.skip('=')) return { kind: 'parameters' };
  const index = Number(words.take());
  const args = words.skip('<') ? listUntil(words, '>') : [];
  const hasParameter = words.next === '.' && /^\d+$/.test(words.ahead(1));
  if (!hasParameter) return { kind: 'argument', index, parameter: undefined, args };
  words.take();
  return { kind: 'argument', index, parameter: Number(words.take()), args };
}
