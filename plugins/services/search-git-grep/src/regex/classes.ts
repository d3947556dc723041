import { caseGroups, casesOf } from './cases.ts';

/** Code points from … to, both included, in order, not touching. */
type Ranges = readonly (readonly [from: number, to: number])[];

const lastCodePoint = 0x10_ffff;
const characters = (text: string): Ranges => [...text].map((c) => [c.charCodeAt(0), c.charCodeAt(0)] as const);
const span = (text: string): Ranges =>
  text.split(' ').map((pair) => [pair.charCodeAt(0), pair.charCodeAt(pair.length - 1)] as const);

const perl: Readonly<Record<string, Ranges>> = {
  d: span('09'),
  s: [
    [9, 10],
    [12, 13],
    [32, 32],
  ],
  w: span('09 AZ _ az'),
};

const posix: Readonly<Record<string, Ranges>> = {
  alnum: span('09 AZ az'),
  alpha: span('AZ az'),
  ascii: [[0, 127]],
  blank: characters('\t '),
  cntrl: [
    [0, 31],
    [127, 127],
  ],
  digit: span('09'),
  graph: span('!~'),
  lower: span('az'),
  print: span(' ~'),
  punct: span('!/ :@ [` {~'),
  space: [
    [9, 13],
    [32, 32],
  ],
  upper: span('AZ'),
  word: span('09 AZ _ az'),
  xdigit: span('09 AF af'),
};

const complement = (ranges: Ranges): Ranges => {
  const starts = [0, ...ranges.map(([, to]) => to + 1)];
  const ends = [...ranges.map(([from]) => from - 1), lastCodePoint];
  return starts.flatMap((from, index) => {
    const to = ends[index] ?? lastCodePoint;
    return from <= to ? [[from, to] as const] : [];
  });
};

/** A code point inside or outside of brackets, whatever it is. */
export const escaped = (code: number): string => `\\u{${code.toString(16)}}`;
export const range = (from: number, to: number): string =>
  from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`;
const written = (ranges: Ranges): string => ranges.map(([from, to]) => range(from, to)).join('');

/** What `\d`, `\S` … stand for, as the inside of brackets. */
export function perlClass(letter: string): string {
  const ranges = perl[letter.toLowerCase()] ?? [];
  return written(letter === letter.toLowerCase() ? ranges : complement(ranges));
}

/** What `[:alpha:]` … stand for, or what they do not; undefined for an unknown name. */
export function posixClass(name: string, isNegated: boolean): string | undefined {
  const ranges = Object.hasOwn(posix, name) ? posix[name] : undefined;
  return ranges && written(isNegated ? complement(ranges) : ranges);
}

/** A general category or a script of Unicode, as the inside of brackets; undefined for an unknown name. */
export function unicodeClass(name: string, isNegated: boolean): string | undefined {
  if (!/^\w+$/.test(name)) return undefined;
  const property = name.length <= 2 || name === 'Any' ? name : `Script=${name}`;
  const source = `\\${isNegated ? 'P' : 'p'}{${property}}`;
  try {
    return RegExp(source, 'u') && source;
  } catch {
    return undefined;
  }
}

const outside = new Map<string, string>();

/** What is in a class in no case, as the inside of brackets: so RE2 negates a class in any case. */
export function withoutAnyCase(members: string): string {
  const known = outside.get(members);
  if (known !== undefined) return known;
  const isMember = new RegExp(`[${inAnyCase(members)}]`, 'u');
  const ranges: [from: number, to: number][] = [];
  for (let code = 0; code <= lastCodePoint; code += 1) {
    if (isMember.test(String.fromCodePoint(code))) continue;
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  const found = written(ranges);
  outside.set(members, found);
  return found;
}

/** The inside of brackets with the other cases of its members. */
export function inAnyCase(members: string): string {
  const isMember = new RegExp(`[${members}]`, 'u');
  const more = caseGroups().filter((group) => group.some((character) => isMember.test(character)));
  return members + more.flat().map(inBrackets).join('');
}

/** One character, in any case or as it is. */
export function character(code: number, isAnyCase: boolean): string {
  const cases = isAnyCase ? casesOf(String.fromCodePoint(code)) : [];
  return cases.length > 1 ? `[${cases.map(inBrackets).join('')}]` : escaped(code);
}

const inBrackets = (text: string): string => escaped(text.codePointAt(0) ?? 0);

/** Text as a regular expression. */
export const literalSource = (text: string, isAnyCase: boolean): string =>
  [...text].map((one) => character(one.codePointAt(0) ?? 0, isAnyCase)).join('');
