import { QueryError } from '../errors.ts';
import {
  asciiClass,
  complement,
  inAnyCase,
  INVALID,
  onlyMember,
  perlClass,
  unicodeClass,
  union,
} from './character-sets.ts';
import type { CodePoints } from './character-sets.ts';

export type Assertion = 'lineStart' | 'lineEnd' | 'word' | 'notWord';

/** The syntax tree of a regular expression over the characters of one line. It has no groups, because captures are not supported. */
export type Node =
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly set: CodePoints }
  | { readonly kind: 'assertion'; readonly at: Assertion }
  | { readonly kind: 'concat'; readonly parts: readonly Node[] }
  | { readonly kind: 'alternate'; readonly parts: readonly Node[] }
  | {
      readonly kind: 'repeat';
      readonly body: Node;
      readonly min: number;
      readonly max: number;
      readonly isGreedy: boolean;
    };

const MAX_REPETITIONS = 1000;
const MAX_DEPTH = 250;
const NEWLINE = 10;
const ANY_BUT_NEWLINE: CodePoints = [0, 9, 11, INVALID];
const ANY: CodePoints = [0, INVALID];
const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  '^': 'lineStart',
  $: 'lineEnd',
  '\\A': 'lineStart',
  '\\z': 'lineEnd',
  '\\b': 'word',
  '\\B': 'notWord',
};
const UNSUPPORTED: readonly [RegExp, string][] = [
  [
    /\(\?<?[=!]/y,
    'look-around cannot be searched in linear time; search for the parts and combine them with AND and NOT',
  ],
  [/\(\?>/y, 'atomic groups cannot be searched in linear time; use (?:…)'],
  [/\(\?[(#|&RP0-9+-]*[(#|&R=>0-9+]/y, 'this kind of group is not part of RE2 syntax'],
];

interface Flags {
  readonly i: boolean;
  readonly s: boolean;
  readonly U: boolean;
}

/** Parses RE2 syntax. Throws QueryError with the position of what is wrong or not supported. */
export function parseRegex(pattern: string, { foldCase = false } = {}): Node {
  return new Parser(pattern).parse({ i: foldCase, s: false, U: false });
}

class Parser {
  readonly #cursor: Cursor;
  #flags: Flags = { i: false, s: false, U: false };
  #depth = 0;

  constructor(pattern: string) {
    this.#cursor = new Cursor(pattern);
  }

  parse(flags: Flags): Node {
    this.#flags = flags;
    const node = this.#alternatives();
    return this.#cursor.isAtEnd ? node : this.#cursor.fail('this ) closes nothing; write \\) for the character itself');
  }

  #alternatives(): Node {
    if (++this.#depth > MAX_DEPTH) this.#cursor.fail(`groups are nested more than ${MAX_DEPTH} deep`);
    const outer = this.#flags;
    const parts = [this.#sequence()];
    while (this.#cursor.accept('|')) parts.push(this.#sequence());
    this.#flags = outer; // flags set inside a group end with it
    this.#depth--;
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'alternate', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (!this.#cursor.isAtEnd && this.#cursor.next !== '|' && this.#cursor.next !== ')') {
      if (this.#cursor.accept('\\Q')) parts.push(...this.#quoted());
      else parts.push(this.#repeated(this.#atom()));
    }
    return parts.length === 1 && parts[0]
      ? parts[0]
      : parts.length === 0
        ? { kind: 'empty' }
        : { kind: 'concat', parts };
  }

  /** The characters between \Q and \E. A repetition after \E applies to the last one. */
  #quoted(): Node[] {
    const cursor = this.#cursor;
    const parts: Node[] = [];
    while (!cursor.isAtEnd && !cursor.accept('\\E')) {
      const node = this.#character(cursor.take().codePointAt(0) ?? 0, cursor.position - 1);
      const isLast = cursor.accept('\\E');
      parts.push(isLast ? this.#repeated(node) : node);
      if (isLast) break;
    }
    return parts;
  }

  #repeated(body: Node): Node {
    const start = this.#cursor.position;
    const [token, min, comma, max] = this.#cursor.match(/[*+?]|\{(\d+)(?:(,)(\d*))?\}/y) ?? [];
    if (token === undefined) return body;
    const isLazy = this.#cursor.accept('?');
    if (this.#cursor.match(/[*+?]|\{\d+(?:,\d*)?\}/y))
      this.#cursor.fail(
        'a repetition cannot be repeated; put it into (?:…), or write a backslash before the characters themselves',
        start,
      );
    const least = min === undefined ? (token === '+' ? 1 : 0) : Number(min);
    const most =
      min === undefined ? (token === '?' ? 1 : Infinity) : comma === undefined ? least : max ? Number(max) : Infinity;
    if (least > MAX_REPETITIONS || (most !== Infinity && most > MAX_REPETITIONS))
      this.#cursor.fail(`a repetition counts at most to ${MAX_REPETITIONS}`, start);
    if (most < least) this.#cursor.fail('the counts of the repetition run backwards', start);
    return { kind: 'repeat', body, min: least, max: most, isGreedy: isLazy === this.#flags.U };
  }

  #atom(): Node {
    const cursor = this.#cursor;
    const start = cursor.position;
    const border = cursor.match(/[$^]|\\[AzbB]/y)?.[0];
    if (border !== undefined) return { kind: 'assertion', at: ASSERTIONS[border] ?? 'word' };
    if (cursor.next === '(') return this.#group();
    if (cursor.next === '[') return this.#set(readCharClass(cursor, this.#flags.i), start);
    if (cursor.accept('.')) return { kind: 'set', set: this.#flags.s ? ANY : ANY_BUT_NEWLINE };
    const escaped = readClassEscape(cursor, this.#flags.i);
    if (escaped) return { kind: 'set', set: escaped };
    if (cursor.next === '\\') return this.#character(readEscape(cursor), start);
    if (cursor.match(/[*+?]/y))
      cursor.fail('there is nothing to repeat; write a backslash before the character itself', start);
    return this.#character(cursor.take().codePointAt(0) ?? 0, start);
  }

  #group(): Node {
    const cursor = this.#cursor;
    const start = cursor.position;
    for (const [group, message] of UNSUPPORTED) if (cursor.match(group)) cursor.fail(message, start);
    const flags = cursor.match(/\(\?([imsU]*)(?:-([imsU]+))?([:)])/y);
    if (flags) return this.#flagged(flags, start);
    if (!cursor.match(/\(\?P?<\w+>/y)) cursor.take();
    else return this.#closed(start);
    if (cursor.next === '?') cursor.fail('a group begins with (, (?:, (?P<name> or flags like (?i)', start);
    return this.#closed(start);
  }

  #flagged([, on = '', off = '', end]: RegExpExecArray, start: number): Node {
    const outer = this.#flags;
    const after = (flag: keyof Flags): boolean => (on.includes(flag) || outer[flag]) && !off.includes(flag);
    this.#flags = { i: after('i'), s: after('s'), U: after('U') };
    if (end === ')') return { kind: 'empty' };
    const node = this.#closed(start);
    this.#flags = outer;
    return node;
  }

  #closed(start: number): Node {
    const node = this.#alternatives();
    return this.#cursor.accept(')')
      ? node
      : this.#cursor.fail('this ( is never closed; write \\( for the character itself', start);
  }

  #character(code: number, position: number): Node {
    return this.#set(this.#flags.i ? inAnyCase([code, code]) : [code, code], position);
  }

  #set(set: CodePoints, position: number): Node {
    if (onlyMember(set) === NEWLINE)
      this.#cursor.fail(
        'a regular expression is matched within one line; search for line breaks with a literal',
        position,
      );
    return { kind: 'set', set };
  }
}

/** Reads a class in brackets; the cursor is at the opening bracket. */
function readCharClass(cursor: Cursor, foldsCase: boolean): CodePoints {
  const start = cursor.position;
  cursor.take();
  const isNegated = cursor.accept('^');
  const sets: CodePoints[] = [];
  for (let isFirst = true; isFirst || cursor.next !== ']'; isFirst = false) {
    if (cursor.isAtEnd) cursor.fail('the class has no closing ]', start);
    sets.push(readNamedClass(cursor, foldsCase) ?? readClassEscape(cursor, foldsCase) ?? readRange(cursor));
  }
  cursor.take();
  const set = union(...sets);
  const folded = foldsCase ? inAnyCase(set) : set;
  return isNegated ? complement(folded) : folded;
}

function readNamedClass(cursor: Cursor, foldsCase: boolean): CodePoints | undefined {
  const start = cursor.position;
  const [, caret, name] = cursor.match(/\[:(\^?)([^:\]]*):\]/y) ?? [];
  if (name === undefined) return undefined;
  const set = asciiClass(name) ?? cursor.fail(`there is no class [:${name}:]`, start);
  const folded = foldsCase ? inAnyCase(set) : set;
  return caret === '^' ? complement(folded) : folded;
}

function readRange(cursor: Cursor): CodePoints {
  const start = cursor.position;
  const from = readMember(cursor);
  if (cursor.next !== '-' || cursor.pattern[cursor.position + 1] === ']') return [from, from];
  cursor.take();
  if (readClassEscape(cursor, false)) cursor.fail('a range ends with one character, not with a class', start);
  const to = readMember(cursor);
  return from <= to ? [from, to] : cursor.fail('the range of the class runs backwards', start);
}

function readMember(cursor: Cursor): number {
  if (cursor.isAtEnd) return cursor.fail('the class has no closing ]');
  return cursor.next === '\\' ? readEscape(cursor) : (cursor.take().codePointAt(0) ?? 0);
}

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** Reads a class after a backslash, such as \d, \pL or \P{Greek}. Case is folded before a class is negated. */
function readClassEscape(cursor: Cursor, foldsCase: boolean): CodePoints | undefined {
  const start = cursor.position;
  const property = cursor.match(/\\([pP])(?:\{(\^?)([^}]*)\}|(.))/uy);
  if (property) {
    const [, letter, caret, long, short] = property;
    const set =
      unicodeClass(long ?? short ?? '') ?? cursor.fail(`Unicode has no category or script ${long ?? short}`, start);
    const folded = foldsCase ? inAnyCase(set) : set;
    return (letter === 'P') === (caret === '^') ? folded : complement(folded);
  }
  const perl = cursor.match(/\\([dDsSwW])/y)?.[1];
  return perl === undefined ? undefined : perlClass(perl);
}

/** Reads an escaped character; the cursor is at the backslash. */
function readEscape(cursor: Cursor): number {
  const start = cursor.position;
  cursor.take();
  const hex = cursor.match(/x(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,8})\})/y);
  if (hex) {
    const code = parseInt(hex[1] ?? hex[2] ?? '', 16);
    if (code > 0x10_ffff || (code >= 0xd800 && code < 0xe000))
      cursor.fail(`\\x{${code.toString(16)}} is no character`, start);
    return code;
  }
  const octal = cursor.match(/0[0-7]{0,2}|[1-7][0-7]{1,2}/y);
  if (octal) return parseInt(octal[0], 8);
  const character = cursor.take();
  const control = Object.hasOwn(CONTROLS, character) ? CONTROLS[character] : undefined;
  if (control !== undefined) return control;
  if (/^[!-/:-@[-`{-~ ]$/.test(character)) return character.charCodeAt(0);
  if (/^[1-9]$/.test(character) || character === 'k')
    return cursor.fail('back references cannot be searched in linear time; write what they repeat', start);
  if (character === '')
    return cursor.fail('the pattern ends with a backslash; write \\\\ for the character itself', start);
  return cursor.fail(`\\${character} has no meaning; write ${character} for the character itself`, start);
}

/** Reads a pattern character by character. Throws QueryError if it is not well-formed UTF-16. */
class Cursor {
  readonly pattern: string;
  position = 0;

  constructor(pattern: string) {
    this.pattern = pattern;
    for (let i = 0; i < pattern.length; i++) {
      const code = pattern.codePointAt(i) ?? 0;
      if (code >= 0xd800 && code < 0xe000) throw new QueryError('half of a surrogate pair is no character', i);
      if (code > 0xffff) i++;
    }
  }

  get isAtEnd(): boolean {
    return this.position >= this.pattern.length;
  }

  /** The next character, or '' at the end. */
  get next(): string {
    return this.isAtEnd ? '' : String.fromCodePoint(this.pattern.codePointAt(this.position) ?? 0);
  }

  take(): string {
    const character = this.next;
    this.position += character.length;
    return character;
  }

  /** Skips the text if it is next. */
  accept(text: string): boolean {
    if (!this.pattern.startsWith(text, this.position)) return false;
    this.position += text.length;
    return true;
  }

  /** Matches a sticky expression here and skips what it matched. */
  match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.position;
    const found = expression.exec(this.pattern) ?? undefined;
    if (found) this.position += found[0].length;
    return found;
  }

  fail(message: string, position = this.position): never {
    throw new QueryError(message, position);
  }
}
