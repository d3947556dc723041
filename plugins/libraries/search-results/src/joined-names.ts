const partOfName = /^\w+$/;
/** More words than this make up no name. */
const mostParts = 5;

/** How a name is compared: in any case, whatever stands between its words. */
const compared = (name: string): string => name.toLowerCase().replaceAll('_', '');

/** The names that words make up which follow one another in a query: `parse config` is searched by who looks for `parseConfig` or `parse_config`. */
export class JoinedNames {
  /** Of at most so many words; 1 where there are none. */
  readonly mostParts: number;
  readonly #runs: readonly (readonly string[])[];
  readonly #parts: ReadonlyMap<string, number>;

  /** Words beyond ASCII, or that are not part of a name, make up none. */
  constructor(words: readonly string[]) {
    this.#runs = runsOf(words);
    this.#parts = new Map(this.#runs.map((run) => [compared(run.join('')), run.length]));
    this.mostParts = Math.max(1, ...this.#parts.values());
  }

  /** How many words make up a text; 0: they do not. */
  partsOf(text: string): number {
    return this.#parts.get(compared(text)) ?? 0;
  }

  /** The names of so many words, as they are written. */
  ofParts(count: number): string[] {
    return this.#runs.flatMap((run) => (run.length === count ? [run.join(''), run.join('_')] : []));
  }
}

/** Each word with some of those that follow it. */
function runsOf(words: readonly string[]): string[][] {
  const runs: string[][] = [];
  for (let from = 0; from < words.length; from += 1)
    for (let to = from + 2; to <= Math.min(words.length, from + mostParts); to += 1) {
      const run = words.slice(from, to);
      if (run.every((word) => partOfName.test(word))) runs.push(run);
    }
  return runs;
}

/** A match in a line. */
export interface NamePart {
  readonly start: number;
  readonly end: number;
  /** Whether it begins and ends at the border of a word. */
  readonly isWordStart: boolean;
  readonly isWordEnd: boolean;
}

/** Matches of a line that make up a name, or a part of a longer one. */
export interface NameInLine extends NamePart {
  /** How many. */
  readonly parts: number;
}

/** Of each match, in the order in which they begin, the longest name that begins with it. */
export function namesIn(
  matches: readonly NamePart[],
  textBetween: (start: number, end: number) => string,
  joined: JoinedNames,
): NameInLine[] {
  return matches.flatMap((_, at) => nameFrom(matches.slice(at), textBetween, joined) ?? []);
}

function nameFrom(
  [first, ...rest]: readonly NamePart[],
  textBetween: (start: number, end: number) => string,
  joined: JoinedNames,
): NameInLine | undefined {
  if (!first || first.isWordEnd) return undefined;
  let [name, end]: [NameInLine | undefined, number] = [undefined, first.end];
  for (const next of rest) {
    // What stands in another match, too, is no other part.
    if (next.start < end) continue;
    if (next.isWordStart || next.start - end > 1) break;
    end = next.end;
    const parts = joined.partsOf(textBetween(first.start, end));
    if (parts > 1) name = { ...first, end, isWordEnd: next.isWordEnd, parts };
    if (next.isWordEnd) break;
  }
  return name;
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
export const shareDefined = (parts: number, needed: number): number => Math.min(1, parts / Math.max(1, needed));
