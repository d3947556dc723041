import type { Query } from '@sextant/library-query';
import { identifierParts } from '../results/words.ts';

/** Words that are like another one: what finds them, and how they are told from what is beside them. */
export interface NearWords {
  readonly query: Query;
  readonly word: RegExp;
}

/** Words that are looked for with another letter: of shorter ones no half has a trigram, and longer ones have thousands. */
const [shortest, longest] = [6, 40];

/** The same in any case. */
export const inAnyCase = (text: string): NearWords => ({
  query: { kind: 'literal', text, isCaseSensitive: false },
  word: new RegExp(text.replaceAll(/[^\w\s]/g, '\\$&'), 'gi'),
});

/** Names of the same parts, each for itself: `build_many` for `buildMany`. None of what has one part. */
export function joinedOtherwise(name: string): NearWords[] {
  const parts = /^[\w-]+$/.test(name) ? identifierParts(name) : [];
  const texts = parts.length > 1 ? ['_', '', '-'].map((sign) => parts.join(sign)) : [];
  return texts.filter((text) => text !== name.toLowerCase()).map(inAnyCase);
}

/**
 * Words with one letter more, less, changed or swapped with the next than a name. All have one half of it as it is, which the index looks
 * up. None of what is no name.
 */
export function oneLetterAway(name: string): NearWords[] {
  if (!/^\w+$/.test(name) || name.length < shortest || name.length > longest) return [];
  const half = Math.ceil(name.length / 2);
  const [start, end] = [name.slice(0, half), name.slice(half)];
  const ways = [
    start + oneOf(otherwise(end)),
    oneOf(otherwise(start)) + end,
    start.slice(0, -1) + end.slice(0, 1) + start.slice(-1) + end.slice(1),
  ];
  const pattern = `\\b${oneOf(ways)}\\b`;
  return [{ query: { kind: 'regex', pattern, isCaseSensitive: false }, word: new RegExp(pattern, 'gi') }];
}

/** A text with one letter wrong, as expressions. */
const otherwise = (text: string): string[] =>
  [...`${text} `].flatMap((_, at) => {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    const more = `${before}\\w${after}`;
    if (after === '') return [more];
    const [letter = '', next = ''] = after;
    const swapped = next === '' ? [] : [before + next + letter + after.slice(2)];
    return [more, before + after.slice(1), `${before}\\w${after.slice(1)}`, ...swapped];
  });

const oneOf = (ways: readonly string[]): string => `(?:${[...new Set(ways)].join('|')})`;
