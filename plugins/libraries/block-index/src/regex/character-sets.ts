/** A set of code points as ascending, disjoint, inclusive ranges in one list: from, to, from, to … */
export type CodePoints = readonly number[];

/** Stands for a byte outside well-formed characters, which counts as a character of its own. */
export const INVALID = 0x11_0000;

/** The union of sets whose ranges may be in any order. */
export function union(...sets: readonly CodePoints[]): CodePoints {
  const sorted = sets.flatMap(ranges).sort((a, b) => a[0] - b[0]);
  const out: number[] = [];
  for (const [from, to] of sorted) {
    const last = out.at(-1);
    if (last !== undefined && from <= last + 1) out[out.length - 1] = Math.max(last, to);
    else out.push(from, to);
  }
  return out;
}

/** All other code points. Includes INVALID unless the set has it. */
export function complement(set: CodePoints): CodePoints {
  const out: number[] = [];
  let next = 0;
  for (const [from, to] of ranges(set)) {
    if (from > next) out.push(next, from - 1);
    next = to + 1;
  }
  if (next <= INVALID) out.push(next, INVALID);
  return out;
}

/** Whether the set has a code point. */
export function has(set: CodePoints, codePoint: number): boolean {
  let low = 0;
  for (let high = set.length / 2; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((set[2 * middle + 1] ?? 0) < codePoint) low = middle + 1;
    else high = middle;
  }
  return (set[2 * low] ?? Infinity) <= codePoint;
}

/** The ranges of a set. */
export function ranges(set: CodePoints): [number, number][] {
  const out: [number, number][] = [];
  for (let i = 0; i < set.length; i += 2) out.push([set[i] ?? 0, set[i + 1] ?? 0]);
  return out;
}

/** The only member of a set; undefined if it has several. */
export function onlyMember(set: CodePoints): number | undefined {
  return set.length === 2 && set[0] === set[1] ? set[0] : undefined;
}

const code = (text: string): number[] => [...text].flatMap((character) => character.codePointAt(0) ?? []);

const ASCII_CLASSES: Readonly<Record<string, CodePoints>> = {
  alnum: code('09AZaz'),
  alpha: code('AZaz'),
  ascii: [0, 127],
  blank: code('\t\t  '),
  cntrl: [0, 31, 127, 127],
  digit: code('09'),
  graph: code('!~'),
  lower: code('az'),
  print: code(' ~'),
  punct: code('!/:@[`{~'),
  space: code('\t\r  '),
  upper: code('AZ'),
  word: code('09AZ__az'),
  xdigit: code('09AFaf'),
};
/** \d, \s and \w, which RE2 limits to ASCII; \s has no vertical tab. */
const PERL_CLASSES: Readonly<Record<string, CodePoints>> = {
  d: code('09'),
  s: code('\t\n\f\r  '),
  w: code('09AZ__az'),
};

/** A class like [:alpha:] by its name. */
export function asciiClass(name: string): CodePoints | undefined {
  return Object.hasOwn(ASCII_CLASSES, name) ? ASCII_CLASSES[name] : undefined;
}

/** A class like \d or \D by its letter. */
export function perlClass(letter: string): CodePoints | undefined {
  const lower = letter.toLowerCase();
  const set = Object.hasOwn(PERL_CLASSES, lower) ? PERL_CLASSES[lower] : undefined;
  return set && (letter === lower ? set : complement(set));
}

const unicodeClasses = new Map<string, CodePoints>();

/** A general category (L, Lu, …) or script (Greek, …) by its name; undefined when Unicode has none. */
export function unicodeClass(name: string): CodePoints | undefined {
  const known = unicodeClasses.get(name);
  if (known) return known;
  if (!/^[A-Za-z_]{1,40}$/.test(name)) return undefined;
  const set = name === 'Any' ? [0, 0x10_ffff] : (membersOf(`gc=${name}`) ?? membersOf(`sc=${name}`));
  if (set) unicodeClasses.set(name, set);
  return set;
}

/** Asks the JavaScript engine's tables, code point by code point. It never runs a pattern of a caller. */
function membersOf(property: string): CodePoints | undefined {
  let test: RegExp;
  try {
    test = new RegExp(`^\\p{${property}}$`, 'u');
  } catch {
    return undefined;
  }
  const out: number[] = [];
  for (let c = 0; c <= 0x10_ffff; c++) {
    if (!test.test(String.fromCodePoint(c))) continue;
    if (out.at(-1) === c - 1) out[out.length - 1] = c;
    else out.push(c, c);
  }
  return out;
}

let others: Map<number, number[]> | undefined;

/** The other cases of each character beyond ASCII, by code point. */
function otherCases(): Map<number, number[]> {
  others ??= collect();
  return others;
}

/**
 * Simple case folding (Unicode's CaseFolding.txt, statuses C and S) from the JavaScript engine's tables.
 * Characters that fold into ASCII (K the Kelvin sign, ſ the long s) are left out. ASCII letters so have only ASCII letters as
 * other cases, and a search that ignores case compares one byte per character.
 */
function collect(): Map<number, number[]> {
  const cases = new Map<number, number[]>();
  const changes =
    /[\p{Changes_When_Lowercased}\p{Changes_When_Uppercased}\p{Changes_When_Titlecased}\p{Changes_When_Casefolded}]/u;
  for (let c = 128; c < 0x2_0000; c++) {
    const text = String.fromCodePoint(c);
    if (!changes.test(text)) continue;
    const same = new RegExp(`^${text}$`, 'iu');
    const lower = text.toLowerCase();
    const upper = text.toUpperCase();
    const candidates = new Set([lower, upper, lower.toUpperCase(), upper.toLowerCase()]);
    for (const other of candidates)
      if (other !== text && isOneBeyondAscii(other) && same.test(other)) connect(cases, text, other);
  }
  return cases;
}

function isOneBeyondAscii(text: string): boolean {
  const c = text.codePointAt(0) ?? 0;
  return c >= 128 && text.length === (c > 0xffff ? 2 : 1);
}

/** Joins the groups of two characters. */
function connect(cases: Map<number, number[]>, a: string, b: string): void {
  const codes = [a, b].map((text) => text.codePointAt(0) ?? 0);
  const group = [...new Set(codes.flatMap((c) => [c, ...(cases.get(c) ?? [])]))];
  for (const c of group)
    cases.set(
      c,
      group.filter((other) => other !== c),
    );
}

/** Whether the character has other cases. */
export function hasCase(codePoint: number): boolean {
  return codePoint < 128 ? isLetter(codePoint) : otherCases().has(codePoint);
}

const isLetter = (c: number): boolean => (c >= 65 && c <= 90) || (c >= 97 && c <= 122);

/** The set and the other cases of its members. */
export function inAnyCase(set: CodePoints): CodePoints {
  const more: number[] = [];
  for (let c = 65; c <= 122; c++) if (isLetter(c) && has(set, c)) more.push(c ^ 32, c ^ 32);
  if ((set.at(-1) ?? 0) < 128) return union(set, more);
  for (const [c, cases] of otherCases()) if (has(set, c)) for (const other of cases) more.push(other, other);
  return union(set, more);
}
