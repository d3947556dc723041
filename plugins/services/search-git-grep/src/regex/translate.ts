import { PatternError } from './pattern-error.ts';
import {
  character,
  escaped,
  inAnyCase,
  perlClass,
  posixClass,
  range,
  unicodeClass,
  withoutAnyCase,
} from './classes.ts';

const newline = 10;
const mostRepetitions = 1000;
/** Parts of a pattern with its repetitions written out: what an automaton of it would need. */
const mostParts = 10_000;
const deepest = 250;
const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const borders: Readonly<Record<string, string>> = {
  '^': '^',
  $: '$',
  '\\A': '^',
  '\\z': '$',
  '\\b': '\\b',
  '\\B': '\\B',
};

interface Flags {
  readonly i: boolean;
  readonly s: boolean;
  readonly U: boolean;
}

/** What was read, in the syntax of JavaScript, and how many parts it has. */
interface Part {
  readonly source: string;
  readonly size: number;
}

/** RE2 syntax for one line as a source for `RegExp` with the flag `u`. Throws `PatternError`. */
export const translate = (pattern: string, isAnyCase: boolean): string => new Translator(pattern).translate(isAnyCase);

class Translator {
  readonly #pattern: string;
  #at = 0;
  #depth = 0;
  #flags: Flags = { i: false, s: false, U: false };

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  translate(isAnyCase: boolean): string {
    this.#flags = { ...this.#flags, i: isAnyCase };
    const { source } = this.#alternatives();
    if (this.#at < this.#pattern.length) this.#fail('this ) closes nothing; write \\) for the character itself');
    return source;
  }

  #alternatives(): Part {
    this.#depth += 1;
    if (this.#depth > deepest) this.#fail(`groups are nested more than ${deepest} deep`);
    const outer = this.#flags;
    const parts = [this.#sequence()];
    while (this.#take(/\|/y)) parts.push(this.#sequence());
    // Flags that are set inside a group end with it.
    this.#flags = outer;
    this.#depth -= 1;
    return { source: parts.map(({ source }) => source).join('|'), size: sizeOf(parts) };
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#next)) {
      const quoted = this.#take(/\\Q(.*?)(?:\\E|$)/sy);
      if (quoted) parts.push(...this.#quoted(quoted[1] ?? ''));
      else parts.push(this.#repeated(this.#atom()));
    }
    return { source: parts.map(({ source }) => source).join(''), size: sizeOf(parts) };
  }

  /** What follows `\E` repeats the last character alone. */
  #quoted(text: string): Part[] {
    const parts = [...text].map((one) => this.#one(one.codePointAt(0) ?? 0));
    const last = parts.pop();
    return last ? [...parts, this.#repeated(last)] : [];
  }

  #repeated(atom: Part): Part {
    const start = this.#at;
    const [token, least, comma, most] = this.#take(/[*+?]|\{(\d+)(?:(,)(\d*))?\}/y) ?? [];
    if (token === undefined) return atom;
    const isLazy = this.#take(/\?/y) !== undefined;
    if (this.#take(/[*+?]|\{\d+(?:,\d*)?\}/y))
      this.#fail(
        'a repetition cannot be repeated; put it into (?:…), or write a backslash before the characters themselves',
        start,
      );
    const counts = [least, most].filter((count) => count).map(Number);
    if (counts.some((count) => count > mostRepetitions))
      this.#fail(`a repetition counts at most to ${mostRepetitions}`, start);
    if (comma && most && Number(most) < Number(least)) this.#fail('the counts of the repetition run backwards', start);
    const size = atom.size * Math.max(1, ...counts);
    if (size > mostParts) this.#fail(`its repetitions make more than ${mostParts} parts`, start);
    return { source: `(?:${atom.source})${token}${isLazy === this.#flags.U ? '' : '?'}`, size };
  }

  #atom(): Part {
    const border = this.#take(/[$^]|\\[AzbB]/y);
    if (border) return { source: borders[border[0]] ?? '', size: 1 };
    if (this.#next === '(') return this.#group();
    if (this.#take(/\[/y)) return this.#class();
    if (this.#take(/\./y)) return { source: this.#flags.s ? '[^]' : '[^\\n]', size: 1 };
    const members = this.#classEscape();
    if (members !== undefined) return { source: `[${this.#folded(members)}]`, size: 1 };
    if (/[*+?]/.test(this.#next))
      this.#fail('there is nothing to repeat; write a backslash before the character itself');
    const start = this.#at;
    const code = this.#codePoint();
    if (code === newline)
      this.#fail('a regular expression is matched within one line; search for line breaks with a phrase', start);
    return this.#one(code);
  }

  #one(code: number): Part {
    return { source: character(code, this.#flags.i), size: 1 };
  }

  #group(): Part {
    const start = this.#at;
    if (this.#take(/\(\?<?[=!]/y))
      this.#fail('look-around cannot be searched in linear time; combine searches with AND and NOT', start);
    const flags = this.#take(/\(\?([imsU]*)(?:-([imsU]+))?([:)])/y);
    const outer = this.#flags;
    if (flags) this.#set(flags[1] ?? '', flags[2] ?? '');
    if (flags?.[3] === ')') return { source: '', size: 1 };
    if (!flags && !this.#take(/\(\?P?<\w+>|\((?!\?)/y))
      this.#fail('a group begins with (, (?:, (?P<name> or flags such as (?i)', start);
    const { source, size } = this.#alternatives();
    this.#flags = outer;
    if (!this.#take(/\)/y)) this.#fail('this ( is never closed; write \\( for the character itself', start);
    return { source: `(?:${source})`, size };
  }

  #set(on: string, off: string): void {
    const isOn = (flag: keyof Flags): boolean => (on.includes(flag) || this.#flags[flag]) && !off.includes(flag);
    this.#flags = { i: isOn('i'), s: isOn('s'), U: isOn('U') };
  }

  /** What is behind an opening bracket. */
  #class(): Part {
    const start = this.#at - 1;
    const not = this.#take(/\^/y) ? '^' : '';
    let members = this.#next === ']' ? this.#member() : '';
    while (this.#next !== ']') {
      if (this.#at >= this.#pattern.length)
        this.#fail('this [ is never closed; write \\[ for the character itself', start);
      members += this.#member();
    }
    this.#at += 1;
    return { source: `[${not}${this.#folded(members)}]`, size: 1 };
  }

  #member(): string {
    const start = this.#at;
    const [text, caret, named] = this.#take(/\[:(\^?)(\w*):\]/y) ?? [];
    if (named !== undefined)
      return (
        this.#unless(caret === '^', (isNegated) => posixClass(named, isNegated)) ??
        this.#fail(`there is no class ${text}`, start)
      );
    const members = this.#classEscape();
    if (members !== undefined) return members;
    const from = this.#codePoint();
    if (!this.#take(/-(?!\])/y)) return escaped(from);
    const to = this.#codePoint();
    if (to < from) this.#fail('the range runs backwards', start);
    return range(from, to);
  }

  #folded(members: string): string {
    return this.#flags.i && members !== '' ? inAnyCase(members) : members;
  }

  /** `\d`, `\pL`, `\P{Greek}` as the inside of brackets. */
  #classEscape(): string | undefined {
    const start = this.#at;
    const perl = this.#take(/\\([dDsSwW])/y);
    if (perl) return perlClass(perl[1] ?? '');
    const [, letter, not, long, short] = this.#take(/\\([pP])(?:\{(\^?)([^}]*)\}|(.))/uy) ?? [];
    if (letter === undefined) return undefined;
    const name = long ?? short ?? '';
    const known = this.#unless((letter === 'P') !== (not === '^'), (isNegated) => unicodeClass(name, isNegated));
    return known ?? this.#fail(`Unicode has no category or script ${name}`, start);
  }

  /** A class or, if it is negated, what is not in it: in any case what is in it in none. */
  #unless(isNegated: boolean, classOf: (isNegated: boolean) => string | undefined): string | undefined {
    if (!isNegated || !this.#flags.i) return classOf(isNegated);
    const members = classOf(false);
    return members === undefined ? undefined : withoutAnyCase(members);
  }

  /** One character, escaped or not. */
  #codePoint(): number {
    const start = this.#at;
    if (start >= this.#pattern.length) this.#fail('something must follow');
    const hex = this.#take(/\\x(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,8})\})/y);
    if (hex) {
      const code = parseInt(hex[1] ?? hex[2] ?? '', 16);
      return code <= 0x10_ffff ? code : this.#fail('there is no such character', start);
    }
    const octal = this.#take(/\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/y);
    if (octal) return parseInt(octal[1] ?? '', 8);
    const [, letter] = this.#take(/\\([\s\S]?)/y) ?? [];
    if (letter === undefined) return (this.#take(/./suy)?.[0] ?? '').codePointAt(0) ?? 0;
    if (Object.hasOwn(controls, letter)) return controls[letter] ?? 0;
    if (/^[!-/:-@[-`{-~ ]$/.test(letter)) return letter.charCodeAt(0);
    if (letter === '') this.#fail('it ends with a backslash; write \\\\ for the character itself', start);
    if (/[1-9k]/.test(letter)) this.#fail('back references cannot be searched in linear time', start);
    return this.#fail(`\\${letter} has no meaning; write ${letter} for the character itself`, start);
  }

  get #next(): string {
    return this.#pattern[this.#at] ?? '';
  }

  /** Takes what a sticky expression finds here. */
  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#pattern) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  #fail(problem: string, at = this.#at): never {
    throw new PatternError(this.#pattern, at, problem);
  }
}

const sizeOf = (parts: readonly Part[]): number => parts.reduce((sum, { size }) => sum + size, 1);
