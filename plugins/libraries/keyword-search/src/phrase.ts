import { lineWeights } from './keyword-weights.ts';

/**
 * Phrases: terms of a query that stand next to one another in its order. `parse config` is found in `parse config`, `parseConfig` and
 * `parse_config`; such places come before others.
 */

const { longestPhrase, mostTermsOfNames } = lineWeights;

/** A match in a line. */
export interface MatchPlace {
  readonly start: number;
  readonly end: number;
  /** Whether it begins and ends at the border of a word. */
  readonly isWordStart: boolean;
  readonly isWordEnd: boolean;
}

/** Matches of a line that stand in the order of the query, each next to the one before. */
export interface Phrase extends MatchPlace {
  /** How many, up to the longest that counts. */
  readonly terms: number;
  /** Whether they make up one name, or a part of it; else they are words side by side. */
  readonly isName: boolean;
}

/** The terms of a query in its order. */
export class PhraseTerms {
  /** No phrase has more of them. */
  readonly longest: number;
  /** No name is looked for that is made of more of them. */
  readonly longestName: number;
  readonly #order: ReadonlyMap<string, number>;

  constructor(terms: readonly string[]) {
    this.#order = new Map(terms.map((term, order) => [term.toLowerCase(), order]));
    this.longest = Math.min(longestPhrase, Math.max(1, terms.length));
    this.longestName = terms.length > mostTermsOfNames ? 1 : this.longest;
  }

  /** The phrases among the matches of a line, which are in order: of each match the longest phrase that begins with it. */
  phrasesIn(matches: readonly MatchPlace[], textBetween: (start: number, end: number) => string): Phrase[] {
    const orders = matches.map(({ start, end }) => this.#order.get(textBetween(start, end).toLowerCase()));
    const isJoined = (start: number, end: number): boolean => start === end || textBetween(start, end) === '_';
    return matches.flatMap((_, at) => phraseFrom({ matches, orders, isJoined }, at) ?? []);
  }
}

interface MatchesOfLine {
  readonly matches: readonly MatchPlace[];
  /** Of each match, the number of its term. */
  readonly orders: readonly (number | undefined)[];
  /** Whether what stands between two terms joins them to a name. */
  readonly isJoined: (start: number, end: number) => boolean;
}

function phraseFrom({ matches, orders, isJoined }: MatchesOfLine, from: number): Phrase | undefined {
  const first = matches[from];
  if (!first) return undefined;
  let [last, terms, isName]: [MatchPlace, number, boolean] = [first, 1, true];
  let phrase: Phrase | undefined;
  for (let at = from + 1; at < matches.length && terms < longestPhrase; at += 1) {
    const next = matches[at];
    if (!next || next.start > last.end + 1) break;
    if (!continuesPhrase(next.start - last.end, next.isWordStart, last.isWordEnd)) continue;
    if (orders[at] !== (orders[from] ?? NaN) + terms) continue;
    isName &&= !last.isWordEnd && isJoined(last.end, next.start);
    // If the first match is the end of a longer word, it forms no phrase of words.
    if (!isName && !first.isWordStart) break;
    terms += 1;
    last = next;
    if (isName || next.isWordEnd) phrase = { ...first, end: next.end, isWordEnd: next.isWordEnd, terms, isName };
  }
  return phrase;
}

/** Whether a match is a whole word. */
export const isWord = ({ isWordStart, isWordEnd }: Pick<MatchPlace, 'isWordStart' | 'isWordEnd'>): boolean =>
  isWordStart && isWordEnd;

const letter = /^\w$/;

/** Whether a term is one ASCII letter or digit. Nearly every line has it, so beside other terms it counts only as a whole word. */
export const isLetter = (text: string): boolean => letter.test(text);

/** Whether a match counts beside those of other terms. */
export const countsBesideOthers = (match: MatchPlace): boolean => match.end - match.start > 1 || isWord(match);

/** Whether a match at this distance behind another continues its phrase: directly or after one character, both in one word or each in its own. */
export const continuesPhrase = (distance: number, isWordStart: boolean, isAfterWord: boolean): boolean =>
  distance >= 0 && distance <= 1 && isWordStart === isAfterWord;

/** A query as far as its terms are concerned. */
interface TermsOfQuery {
  readonly kind: string;
  readonly children?: readonly TermsOfQuery[];
}

/** How many terms a file must have to match. */
export function termsNeeded({ kind, children = [] }: TermsOfQuery): number {
  if (kind === 'text') return 1;
  const needed = children.map(termsNeeded);
  if (kind === 'and') return needed.reduce((sum, count) => sum + count, 0);
  return kind === 'or' ? Math.min(...needed) : 0;
}

/** The share of the definition weight for a name of `terms` terms. A search for several terms rarely looks for the definition of one of them. */
export const definedShare = (terms: number, needed: number): number => Math.min(1, terms / Math.max(1, needed));
