import type { Content, Matches } from '@sextant/library-block-index';
import { textBetween } from '../show/lines.ts';
import { firstMatches, matchedLines } from './matched-lines.ts';
import type { MatchedLine } from './matched-lines.ts';
import { definitionIn } from './line-score.ts';

/** Words of a question, as they stand in a text of lower case, and what each is worth. */
export interface WeighedWords {
  readonly texts: readonly string[];
  readonly weights: readonly number[];
}

/** The lines of a document where most of a question is close together. */
export interface Passages {
  /** Of these lines alone. */
  readonly matches: Matches;
  /** How much of the question stands at each of them, by their numbers. */
  readonly weights: ReadonlyMap<number, number>;
}

/** Lines with words that are compared, and the best of them that are kept. */
const [linesCompared, linesKept] = [1000, 50];
/** Lines over which what is said is about the same, and beyond which it is nothing. */
const [passageLines, reach] = [4, 16];
/** What an import is worth: it names much and says nothing; and what a line that defines something of such a name is. */
const [importWeight, definitionFactor] = [0.1, 1.5];
const importBytes = 80;
const lineCharacters = 256;

const importing =
  /^\s*(?:(?:import|package|require(?:_relative)?|extern crate)\b|#\s*(?:include|import)\b|from\s+\S+\s+import\b|using\s+(?:static\s+|namespace\s+)?[\w.:]+\s*[;=]|use\s+[\w:\\]+[;:]|open!?\s+[A-Z]|module\s+[\w.]+\s*$)/;

/** Of each word of a question counts the nearest place. */
export function passagesIn(all: Matches, content: Content, { texts, weights }: WeighedWords): Passages {
  const spellings = new Spellings(texts);
  const said = [...matchedLines(all, linesCompared)].map((line) => saidIn(line, content, spellings));
  const near = new Near(said, weights);
  const weighed = said.map(({ matched }, index) => ({ matched, weight: near.weightAt(index) }));
  const best = weighed.toSorted((a, b) => b.weight - a.weight || a.matched.line - b.matched.line).slice(0, linesKept);
  const kept = new Map(
    best.map(({ matched, weight }) => {
      const isDefinition = definitionIn(matched, content, lineCharacters) > 0;
      return [matched.line, isDefinition ? definitionFactor * weight : weight];
    }),
  );
  return { matches: firstMatches(all, 0, new Set(kept.keys())), weights: kept };
}

interface SaidLine {
  readonly matched: MatchedLine;
  /** Numbers of the words that it has. */
  readonly words: readonly number[];
  readonly isImport: boolean;
}

function saidIn(matched: MatchedLine, content: Content, spellings: Spellings): SaidLine {
  const isImport = importing.test(content.latin1(matched.start, Math.min(matched.end, matched.start + importBytes)));
  const words = matched.ranges.flatMap(({ start, end }) => spellings.wordAt(content, start, end) ?? []);
  return { matched, words, isImport };
}

/** Which word of a question stands somewhere: each way to write it is read once. */
class Spellings {
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #known = new Map<string, number | undefined>();

  constructor(texts: readonly string[]) {
    this.#numbers = new Map(texts.map((text, number) => [text, number]));
  }

  wordAt(content: Content, start: number, end: number): number | undefined {
    const bytes = content.latin1(start, end);
    if (!this.#known.has(bytes))
      this.#known.set(bytes, this.#numbers.get(textBetween(content, start, end).toLowerCase()));
    return this.#known.get(bytes);
  }
}

/** How much of a question stands near each line. */
class Near {
  readonly #said: readonly SaidLine[];
  readonly #weights: readonly number[];
  /** Of each word, at the line that is looked at. */
  readonly #shares: Float32Array;

  constructor(said: readonly SaidLine[], weights: readonly number[]) {
    this.#said = said;
    this.#weights = weights;
    this.#shares = new Float32Array(weights.length);
  }

  weightAt(index: number): number {
    this.#shares.fill(0);
    const line = this.#said[index]?.matched.line ?? 0;
    for (let i = index; this.#takesFrom(i, line); ) i += 1;
    for (let i = index - 1; this.#takesFrom(i, line); ) i -= 1;
    return this.#weights.reduce((sum, weight, word) => sum + weight * (this.#shares[word] ?? 0), 0);
  }

  /** What the words of a line say at another: less the farther it is. False for one that is too far. */
  #takesFrom(index: number, line: number): boolean {
    const each = this.#said[index];
    const distance = each ? Math.abs(each.matched.line - line) : Infinity;
    if (!each || distance > reach) return false;
    const share = (each.isImport ? importWeight : 1) / (1 + distance / passageLines) ** 2;
    for (const word of each.words) if (share > (this.#shares[word] ?? 0)) this.#shares[word] = share;
    return true;
  }
}
