import { INVALID } from './ast.ts';
import type { Border, CodePoints, Node } from './ast.ts';
import { inAnyCase } from './case.ts';
import { takeCharClass } from './char-class.ts';
import { onlyMember } from './code-points.ts';
import { Cursor } from './cursor.ts';
import { takeClassEscape, takeEscape } from './escape.ts';

const MOST_REPETITIONS = 1000;
const DEEPEST = 250;
const NEWLINE = 10;
const ANY_BUT_NEWLINE: CodePoints = [0, 9, 11, INVALID];
const ANY: CodePoints = [0, INVALID];
const BORDERS: Readonly<Record<string, Border>> = {
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

/** Parses RE2 syntax. Throws QueryError with the position of what is wrong or unsupported. */
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
    if (++this.#depth > DEEPEST) this.#cursor.fail(`groups are nested more than ${DEEPEST} deep`);
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

  /** The characters between \Q and \E; the last one can be repeated. */
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
    if (least > MOST_REPETITIONS || (most !== Infinity && most > MOST_REPETITIONS))
      this.#cursor.fail(`a repetition counts at most to ${MOST_REPETITIONS}`, start);
    if (most < least) this.#cursor.fail('the counts of the repetition run backwards', start);
    return { kind: 'repeat', body, min: least, max: most, isGreedy: isLazy === this.#flags.U };
  }

  #atom(): Node {
    const cursor = this.#cursor;
    const start = cursor.position;
    const border = cursor.match(/[$^]|\\[AzbB]/y)?.[0];
    if (border !== undefined) return { kind: 'border', at: BORDERS[border] ?? 'word' };
    if (cursor.next === '(') return this.#group();
    if (cursor.next === '[') return this.#set(takeCharClass(cursor, this.#flags.i), start);
    if (cursor.accept('.')) return { kind: 'set', set: this.#flags.s ? ANY : ANY_BUT_NEWLINE };
    const escaped = takeClassEscape(cursor, this.#flags.i);
    if (escaped) return { kind: 'set', set: escaped };
    if (cursor.next === '\\') return this.#character(takeEscape(cursor), start);
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
