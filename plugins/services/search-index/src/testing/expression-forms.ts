import type { Random } from './random.ts';

/** The same expression in RE2 syntax and in JavaScript's with the flags `su`, where letters in any case are spelled out. */
export interface Expression {
  readonly re2: string;
  readonly js: string;
}

export const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** A character in any case, or only as it is. */
export function inCase(character: string, isFolded: boolean): string {
  if (!isFolded || /^[\u017f\u212a]$/.test(character)) return escaped(character);
  if (/^[a-z]$/i.test(character)) return `[${character.toLowerCase()}${character.toUpperCase()}]`;
  return character > '\x7f' ? `(?i:${character})` : escaped(character);
}

const classes: readonly Expression[] = [
  ...['\\w', '\\W', '\\d', '\\D', '.', '\\p{L}', '\\P{L}', '\\pN', '\\p{So}'].map((re2) => ({
    re2,
    js: re2.replace('pN', 'p{N}'),
  })),
  { re2: '\\s', js: '[\\t\\n\\f\\r ]' },
  { re2: '\\S', js: '[^\\t\\n\\f\\r ]' },
  { re2: '[[:alpha:]_-]', js: '[A-Za-z_\\-]' },
  { re2: '[[:^space:]]', js: '[^\\t\\n\\v\\f\\r ]' },
  { re2: '[[:punct:]]', js: '[!-\\/:-@[-`{-~]' },
  ...['Han', 'Cyrillic', 'Greek', 'Latin'].map((script) => ({ re2: `\\p{${script}}`, js: `\\p{Script=${script}}` })),
  { re2: '[^\\x00-\\x{7f}]', js: '[^\\0-\\x7f]' },
];
const casedClasses: readonly Expression[] = ['\\p{Lu}', '\\p{Ll}', '[A-Z]', '[a-z0-9]'].map((both) => ({
  re2: both,
  js: both,
}));

/** A class that has the character. */
export function classWith(character: string, isFolded: boolean, random: Random): Expression {
  const known = isFolded ? classes : [...classes, ...casedClasses];
  const fitting = known.filter(({ js }) => new RegExp(`^${js}$`, 'su').test(character));
  return random.pick([...fitting, ownRange(character, isFolded, random), exclusion(character, isFolded, random)]);
}

/** `[d-h]` of an f. */
function ownRange(character: string, isFolded: boolean, random: Random): Expression {
  const code = character.codePointAt(0) ?? 0;
  const [from, to] = [Math.max(1, code - random.below(4)), code + random.below(4)];
  if (from < 14 || (to >= 0xd800 && from < 0xe000)) return { re2: escaped(character), js: inCase(character, isFolded) };
  const members = Array.from({ length: to - from + 1 }, (_, i) => inCase(String.fromCodePoint(from + i), isFolded));
  return { re2: `[${hex(from)}-${hex(to)}]`, js: `(?:${members.join('|')})` };
}

/** `[^xyz]` of an f. */
function exclusion(character: string, isFolded: boolean, random: Random): Expression {
  const members = ['q', 'Z', ';', '(', '\u00e9', '\u4e2d', '\u0416'].slice(random.below(7));
  const all = `(?:${members.map((member) => inCase(member, isFolded)).join('|')})`;
  if (new RegExp(`^${all}$`, 'su').test(character)) return { re2: '.', js: '.' };
  return { re2: `[^${members.join('')}]`, js: `(?!${all}).` };
}

const hex = (code: number): string => `\\x{${code.toString(16)}}`;

/** A character by itself, written in one of several ways. */
export function characterAlone(character: string, isFolded: boolean, random: Random): Expression {
  const js = inCase(character, isFolded);
  const ways = [escaped(character), escaped(character), hex(character.codePointAt(0) ?? 0), `\\Q${character}\\E`];
  return { re2: random.pick(character === '\\' ? ways.slice(0, 3) : ways), js };
}
