import type { Query } from '@sextant/contracts';
import { identifierParts } from '../rank/words.ts';

/** Words that are like another one: what finds them, and how they are told from what is beside them. */
export interface NearWords {
  readonly query: Query;
  readonly word: RegExp;
}

/** Names of which a half is looked for: of shorter ones none has a trigram. */
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
 * Words of about the same length that have a half of a name as it is, which the index looks up, and the one in which the letters between the
 * halves are swapped. None of what is no name.
 */
export function withHalf(name: string): NearWords[] {
  if (!/^\w+$/.test(name) || name.length < shortest || name.length > longest) return [];
  const half = Math.ceil(name.length / 2);
  const [start, end] = [name.slice(0, half), name.slice(half)];
  const swapped = start.slice(0, -1) + end.slice(0, 1) + start.slice(-1) + end.slice(1);
  // With each letter that may be wrong as a way of its own, to compile the expression would take longer than to search.
  const pattern = `\\b(?:${start}${asLongAs(end)}|${asLongAs(start)}${end}|${swapped})\\b`;
  return [{ query: { kind: 'regex', pattern, isCaseSensitive: false }, word: new RegExp(pattern, 'gi') }];
}

const asLongAs = ({ length }: string): string => `\\w{${length - 1},${length + 1}}`;
