const partOfName = /^\w+$/;
/** More words than this make up no name, and count no more side by side. */
export const mostInRow = 5;
/** More words than this are a question or a message: to ask for all names that they may make up would take longer than to look. */
const mostOfNames = 8;

/** A match in a line. */
export interface MatchPlace {
  readonly start: number;
  readonly end: number;
  /** Whether it begins and ends at the border of a word. */
  readonly isWordStart: boolean;
  readonly isWordEnd: boolean;
}

/** Matches of a line that stand in the order of the query, each next to the one before. */
export interface WordRow extends MatchPlace {
  /** How many; not more than count. */
  readonly words: number;
  /** Whether they are one name, or a part of it: `parse config` in `parseConfig`; else they stand side by side. */
  readonly isName: boolean;
}

/** What is searched in its order: who searches `parse config` looks for `parseConfig` and `parse_config`, too, and means words that stand side by side before others. */
export class WordsInRow {
  /** No row has more of them. */
  readonly most: number;
  /** No name of more of them is looked for. */
  readonly mostOfName: number;
  readonly #words: readonly string[];
  readonly #order: ReadonlyMap<string, number>;

  constructor(words: readonly string[]) {
    this.#words = words;
    this.#order = new Map(words.map((word, order) => [word.toLowerCase(), order]));
    this.most = Math.min(mostInRow, Math.max(1, words.length));
    this.mostOfName = words.length > mostOfNames ? 1 : this.most;
  }

  /** The names that so many of them make up, as they are written. Words beyond ASCII, or that are not part of a name, make up none. */
  namesOf(count: number): string[] {
    const names: string[] = [];
    for (let from = 0; from + count <= this.#words.length; from += 1) {
      const run = this.#words.slice(from, from + count);
      if (run.every((word) => partOfName.test(word))) names.push(run.join(''), run.join('_'));
    }
    return names;
  }

  /** What a row of all of them is mostly, or of all but one: with spaces between them. None where they are too many. */
  phrases(): string[] {
    const words = this.#words;
    if (words.length < 3 || words.length > mostOfNames) return [];
    const length = Math.max(2, Math.min(words.length - 1, this.most));
    return words.slice(length - 1).map((_, from) => words.slice(from, from + length).join(' '));
  }

  /** The rows of a line with several of its matches, which are in the order in which they begin: of each the longest that begins with it. */
  rowsIn(matches: readonly MatchPlace[], textBetween: (start: number, end: number) => string): WordRow[] {
    const orders = matches.map(({ start, end }) => this.#order.get(textBetween(start, end).toLowerCase()));
    return matches.flatMap((_, at) => rowFrom(matches, orders, at) ?? []);
  }

  /** The words before one of them in the query, from it on, and behind it, in lower case: as many as may stand in a row with it. */
  around(word: string): { before: readonly string[]; behind: readonly string[] } {
    const order = this.#order.get(word.toLowerCase());
    if (order === undefined) return { before: [], behind: [] };
    const words = this.#words.map((each) => each.toLowerCase());
    return {
      before: words.slice(Math.max(0, order + 1 - this.most), order).toReversed(),
      behind: words.slice(order + 1, order + this.most),
    };
  }

  /** No row has more of the words when each of these stands in none of more than so many. */
  mostWith(limits: ReadonlyMap<string, number>): number {
    const ofWords = this.#words.map((word) => limits.get(word.toLowerCase()) ?? this.most);
    const mayBe = (length: number): boolean =>
      ofWords.some((_, from) => {
        const row = ofWords.slice(from, from + length);
        return row.length === length && row.every((limit) => limit >= length);
      });
    let most = this.most;
    while (most > 1 && !mayBe(most)) most -= 1;
    return most;
  }
}

/** Whether a match is a whole word. */
export const isWord = ({ isWordStart, isWordEnd }: Pick<MatchPlace, 'isWordStart' | 'isWordEnd'>): boolean =>
  isWordStart && isWordEnd;

const letter = /^\w$/;

/** Whether a text is a letter or digit of ASCII alone: nearly every word has it, so beside others it counts only as a word of its own. */
export const isLetter = (text: string): boolean => letter.test(text);

/** Whether a match of one byte counts beside those of other texts. */
export const counts = (match: MatchPlace): boolean => match.end - match.start > 1 || isWord(match);

/** Whether a match so far behind another follows it in a row: directly or after one character, both in a word or each in its own. */
export const isNext = (distance: number, isWordStart: boolean, isAfterWord: boolean): boolean =>
  distance >= 0 && distance <= 1 && isWordStart === isAfterWord;

function rowFrom(
  matches: readonly MatchPlace[],
  orders: readonly (number | undefined)[],
  from: number,
): WordRow | undefined {
  const first = matches[from];
  if (!first) return undefined;
  let [last, words, isName]: [MatchPlace, number, boolean] = [first, 1, true];
  let row: WordRow | undefined;
  for (let at = from + 1; at < matches.length && words < mostInRow; at += 1) {
    const next = matches[at];
    if (!next || next.start > last.end + 1) break;
    if (!isNext(next.start - last.end, next.isWordStart, last.isWordEnd)) continue;
    if (orders[at] !== (orders[from] ?? NaN) + words) continue;
    isName &&= !last.isWordEnd;
    // The end of one word and another are not side by side.
    if (!isName && !first.isWordStart) break;
    words += 1;
    last = next;
    if (isName || next.isWordEnd) row = { ...first, end: next.end, isWordEnd: next.isWordEnd, words, isName };
  }
  return row;
}

/** A query as far as its texts are concerned. */
interface TextsOfQuery {
  readonly kind: string;
  readonly children?: readonly TextsOfQuery[];
}

/** How many texts a file must have at least: who needs several seldom looks for what defines one of them. */
export function textsNeeded({ kind, children = [] }: TextsOfQuery): number {
  if (kind === 'text') return 1;
  const needed = children.map(textsNeeded);
  if (kind === 'and') return needed.reduce((sum, count) => sum + count, 0);
  return kind === 'or' ? Math.min(...needed) : 0;
}

/** What the definition of a name counts that so many of the texts make up. */
export const shareDefined = (words: number, needed: number): number => Math.min(1, words / Math.max(1, needed));
