import { emptyMatch } from '@sextant/library-block-index';
import type { Content, Literal, Matches, Regex } from '@sextant/library-block-index';
import { lineWeights, readLimits } from './weights.ts';

/**
 * Phrases: terms of a query that stand next to one another in its order. `parse config` is found in `parse config`, `parseConfig` and
 * `parse_config`; who searches several terms means such places before others.
 */

const partOfName = /^\w+$/;
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
  readonly #terms: readonly string[];
  readonly #order: ReadonlyMap<string, number>;

  constructor(terms: readonly string[]) {
    this.#terms = terms;
    this.#order = new Map(terms.map((term, order) => [term.toLowerCase(), order]));
    this.longest = Math.min(longestPhrase, Math.max(1, terms.length));
    this.longestName = terms.length > mostTermsOfNames ? 1 : this.longest;
  }

  /** The names that so many of them make up. Terms that are no part of an ASCII name make up none. */
  namesOf(count: number): string[] {
    const names: string[] = [];
    for (let from = 0; from + count <= this.#terms.length; from += 1) {
      const run = this.#terms.slice(from, from + count);
      if (run.every((term) => partOfName.test(term))) names.push(run.join(''), run.join('_'));
    }
    return names;
  }

  /** The phrases among the matches of a line, which are in order: of each match the longest phrase that begins with it. */
  phrasesIn(matches: readonly MatchPlace[], textBetween: (start: number, end: number) => string): Phrase[] {
    const orders = matches.map(({ start, end }) => this.#order.get(textBetween(start, end).toLowerCase()));
    return matches.flatMap((_, at) => phraseFrom(matches, orders, at) ?? []);
  }

  /** The terms before and behind one of them in the query, nearest first, in lower case: as many as one phrase can have. */
  around(term: string): { before: readonly string[]; behind: readonly string[] } {
    const order = this.#order.get(term.toLowerCase());
    if (order === undefined) return { before: [], behind: [] };
    const terms = this.#terms.map((each) => each.toLowerCase());
    return {
      before: terms.slice(Math.max(0, order + 1 - this.longest), order).toReversed(),
      behind: terms.slice(order + 1, order + this.longest),
    };
  }

  /** The longest phrase that is possible when each of these terms stands in none with more than so many. */
  longestWith(limits: ReadonlyMap<string, number>): number {
    const ofTerms = this.#terms.map((term) => limits.get(term.toLowerCase()) ?? this.longest);
    const isPossible = (length: number): boolean =>
      ofTerms.some((_, from) => {
        const run = ofTerms.slice(from, from + length);
        return run.length === length && run.every((limit) => limit >= length);
      });
    let longest = this.longest;
    while (longest > 1 && !isPossible(longest)) longest -= 1;
    return longest;
  }
}

function phraseFrom(
  matches: readonly MatchPlace[],
  orders: readonly (number | undefined)[],
  from: number,
): Phrase | undefined {
  const first = matches[from];
  if (!first) return undefined;
  let [last, terms, isName]: [MatchPlace, number, boolean] = [first, 1, true];
  let phrase: Phrase | undefined;
  for (let at = from + 1; at < matches.length && terms < longestPhrase; at += 1) {
    const next = matches[at];
    if (!next || next.start > last.end + 1) break;
    if (!continuesPhrase(next.start - last.end, next.isWordStart, last.isWordEnd)) continue;
    if (orders[at] !== (orders[from] ?? NaN) + terms) continue;
    isName &&= !last.isWordEnd;
    // The end of a longer word is no word beside the next.
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

/** The share of the definition weight for a name of `terms` terms. A search that needs several terms seldom wants what one of them defines. */
export const definedShare = (terms: number, needed: number): number => Math.min(1, terms / Math.max(1, needed));

const beyondASCII = /[^\0-\x7f]/;
const reused = emptyMatch();
/** The line of a match; it is filled for the next one. */
const line: { -readonly [Field in keyof LineBytes]: LineBytes[Field] } = { bytes: new Uint8Array(), start: 0, end: 0 };

/** The neighbours of a term in the query. They tell how long a phrase with one of its matches can be, from the bytes around it. */
export class PhraseNeighbours {
  /** In lower case. */
  readonly term: string;
  readonly #longest: number;
  readonly #before: Reach;
  readonly #behind: Reach;
  readonly #isKnown: boolean;
  readonly #isLetter: boolean;

  constructor(term: Literal | Regex, terms: PhraseTerms) {
    this.term = 'literal' in term ? String(term.literal).toLowerCase() : '';
    this.#isLetter = isLetter(this.term);
    const { before, behind } = terms.around(this.term);
    [this.#before, this.#behind] = [new Reach(before, -1), new Reach(behind, 1)];
    this.#longest = terms.longest;
    this.#isKnown = 'literal' in term && ![...before, ...behind].some((each) => beyondASCII.test(each));
  }

  /** No phrase with any of these matches of a document has more terms. */
  longestIn(matches: Matches, content: Content): number {
    if (!this.#isKnown || matches.length === 0) return this.#longest;
    const [from, to] = [matches.at(0, reused).lineStart, matches.at(matches.length - 1, reused).lineEnd];
    const { bytes, base } = content.bytes(from, to);
    line.bytes = bytes;
    const [before, behind] = [this.#before, this.#behind];
    let longest = 1;
    for (let i = 0; i < matches.length && longest < this.#longest; i += 1) {
      const { start, end, lineStart, lineEnd } = matches.at(i, reused);
      if (this.#isLetter && !countsBesideOthers(reused)) continue;
      // In a line of several blocks the index does not tell the true borders of words.
      if (lineEnd - lineStart > readLimits.longLine) return this.#longest;
      [line.start, line.end] = [base + lineStart, base + lineEnd];
      if (!before.mayReach(line, base + start) && !behind.mayReach(line, base + end)) continue;
      before.measure(line, base + start);
      behind.measure(line, base + end);
      longest = Math.max(longest, 1 + before.named + behind.named);
      // Words side by side begin and end where words do.
      if (before.bordered >= 0 && behind.bordered >= 0)
        longest = Math.max(longest, 1 + before.bordered + behind.bordered);
    }
    return Math.min(this.#longest, longest);
  }
}

const [upperA, upperZ, lowerBit, underscore, firstBeyondASCII] = [65, 90, 32, 95, 128];

/** Bytes of a line: those from `start` to `end`. */
interface LineBytes {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * Counts words (ASCII, lower case) that follow each other from a place on, each directly behind the previous one or
 * after one byte.
 */
class Reach {
  /** Up to the border of a word; -1: not even the place is one. */
  bordered = -1;
  /** In one name. */
  named = 0;
  readonly #words: readonly Uint8Array[];
  /** 1: they stand behind the place; -1: before it. */
  readonly #direction: 1 | -1;
  /** Of each of the words, whether it counts only as a whole word. */
  readonly #areApart: readonly boolean[];

  constructor(words: readonly string[], direction: 1 | -1) {
    this.#words = words.map((word) => Buffer.from(word));
    this.#direction = direction;
    this.#areApart = words.map(isLetter);
  }

  /** Whether the first of them may stand there: of most places one byte or two tell that it does not. */
  mayReach(at: LineBytes, place: number): boolean {
    const [word] = this.#words;
    if (!word) return false;
    return this.#isAt(word, at, place) || this.#isAt(word, at, place + this.#direction);
  }

  /** Sets `bordered` and `named` for a place of a line. */
  measure(at: LineBytes, place: number): void {
    const words = this.#words;
    this.bordered = isBorder(at, place) ? 0 : -1;
    this.named = 0;
    // Bit n of `ends`: the words so far can end n bytes further, because of n gaps of one byte. Bit n of `names`: so they are one name.
    for (let count = 0, from = place, ends = 1, names = 1; count < words.length; ) {
      const word = words[count];
      if (!word) return;
      let [found, foundNames] = [0, 0];
      for (let gaps = 0; ends >>> gaps !== 0; gaps += 1) {
        if (((ends >>> gaps) & 1) === 0) continue;
        const end = from + this.#direction * gaps;
        const isEndOfWord = isBorder(at, end);
        for (let gap = 0; gap <= 1; gap += 1) {
          if (!this.#isAt(word, at, end + this.#direction * gap)) continue;
          if (isBorder(at, end + this.#direction * gap) !== isEndOfWord) continue;
          if (this.#areApart[count] && !(isEndOfWord && isBorder(at, end + this.#direction * (gap + 1)))) continue;
          found |= 1 << (gaps + gap);
          if (!isEndOfWord && ((names >>> gaps) & 1) === 1) foundNames |= 1 << (gaps + gap);
        }
      }
      if (found === 0) return;
      count += 1;
      from += this.#direction * word.length;
      [ends, names] = [found, foundNames];
      if (names !== 0) this.named = count;
      for (let gaps = 0; ends >>> gaps !== 0; gaps += 1)
        if (((ends >>> gaps) & 1) === 1 && isBorder(at, from + this.#direction * gaps)) this.bordered = count;
    }
  }

  /** In any case. */
  #isAt(word: Uint8Array, { bytes, start, end }: LineBytes, place: number): boolean {
    const from = this.#direction > 0 ? place : place - word.length;
    if (from < start || from + word.length > end) return false;
    for (let i = 0; i < word.length; i += 1) {
      const byte = bytes[from + i] ?? 0;
      if ((byte >= upperA && byte <= upperZ ? byte | lowerBit : byte) !== word[i]) return false;
    }
    return true;
  }
}

/** As the index tells it of matches. */
const isBorder = ({ bytes, start, end }: LineBytes, at: number): boolean =>
  at <= start || at >= end || !isWordByte(bytes[at - 1] ?? 0) || !isWordByte(bytes[at] ?? 0);

const isWordByte = (byte: number): boolean =>
  ((byte | lowerBit) >= 97 && (byte | lowerBit) <= 122) ||
  (byte >= 48 && byte <= 57) ||
  byte === underscore ||
  byte >= firstBeyondASCII;
