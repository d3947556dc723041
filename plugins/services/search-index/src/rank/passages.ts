import type { Content, Matches } from '@sextant/library-block-index';
import { definitionWeight, mayBeDefined } from '@sextant/library-ranking';
import {
  beyondASCII,
  definitionIn,
  firstMatches,
  matchedLines,
  passageWeights,
  questionLimits,
  showLine,
  textBetween,
} from '@sextant/library-keyword-search';
import type { LineMatches } from '@sextant/library-keyword-search';

const { lineCharacters } = questionLimits;

/** The words of a question, in lower case, and their weights. */
interface WeighedWords {
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

/** Bytes of a line in which an import is looked for. */
const importBytes = 80;
const importing =
  /^\s*(?:(?:import|package|require(?:_relative)?|extern crate)\b|#\s*(?:include|import)\b|from\s+\S+\s+import\b|using\s+(?:static\s+|namespace\s+)?[\w.:]+\s*[;=]|use\s+[\w:\\]+[;:]|open!?\s+[A-Z]|module\s+[\w.]+\s*$)/;

/** The best lines by how much of the question stands near them. Of each word the nearest occurrence counts. */
export function passagesIn(all: Matches, content: Content, { texts, weights }: WeighedWords): Passages {
  const spellings = new Spellings(texts);
  const said = [...matchedLines(all, questionLimits.passageLines)].map((line) => saidIn(line, content, spellings));
  const near = new Near(said, weights);
  const weighed = said.map(({ matched }, index) => ({ matched, weight: near.weightAt(index) }));
  const best = weighed
    .toSorted((a, b) => b.weight - a.weight || a.matched.line - b.matched.line)
    .slice(0, questionLimits.passagesKept);
  const kept = new Map(
    best.map(({ matched, weight }) => {
      const isDefinition = definitionIn(matched, content, lineCharacters) > 0;
      return [matched.line, isDefinition ? passageWeights.definition * weight : weight];
    }),
  );
  return { matches: firstMatches(all, 0, new Set(kept.keys())), weights: kept };
}

interface SaidLine {
  readonly matched: LineMatches;
  /** Numbers of the words that it has. */
  readonly words: readonly number[];
  readonly isImport: boolean;
}

function saidIn(matched: LineMatches, content: Content, spellings: Spellings): SaidLine {
  const isImport = importing.test(
    content.bytes(matched.start, Math.min(matched.end, matched.start + importBytes)).toString('latin1'),
  );
  const words = matched.ranges.flatMap(({ start, end }) => spellings.wordAt(content, start, end) ?? []);
  return { matched, words, isImport };
}

/** Finds which word of a question stands somewhere. Each spelling is decoded once. */
class Spellings {
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #known = new Map<string, number | undefined>();

  constructor(texts: readonly string[]) {
    this.#numbers = new Map(texts.map((text, number) => [text, number]));
  }

  wordAt(content: Content, start: number, end: number): number | undefined {
    const bytes = content.bytes(start, end).toString('latin1');
    if (!this.#known.has(bytes))
      this.#known.set(bytes, this.#numbers.get(textBetween(content, start, end).toLowerCase()));
    return this.#known.get(bytes);
  }
}

/** How much of a question stands near each line. */
class Near {
  readonly #said: readonly SaidLine[];
  readonly #weights: readonly number[];
  /** For each word, its share at the current line. */
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

  /** Takes what the words of a line say at another one, less the farther they are apart. False where they are too far. */
  #takesFrom(index: number, line: number): boolean {
    const each = this.#said[index];
    const distance = each ? Math.abs(each.matched.line - line) : Infinity;
    if (!each || distance > passageWeights.mostLines) return false;
    const share = (each.isImport ? passageWeights.importing : 1) / (1 + distance / passageWeights.lines) ** 2;
    for (const word of each.words) if (share > (this.#shares[word] ?? 0)) this.#shares[word] = share;
    return true;
  }
}

/** A line that defines a name at least so surely is a definition: see `definitionWeight`. */
const sureness = 0.7;

/** The words (in lower case) that are part of a name that a file defines. */
export function definedWords(matches: Matches, content: Content, words: readonly string[]): Set<string> {
  const defined = new Set<string>();
  for (const line of matchedLines(matches, questionLimits.definitionLines)) {
    if (!mayDefine(line, content, defined)) continue;
    const { text, ranges } = showLine(content, line, lineCharacters);
    for (const [start, end] of ranges) {
      const word = text.slice(start, end).toLowerCase();
      if (!defined.has(word) && words.includes(word) && isInDefinedName(text, start, end)) defined.add(word);
    }
    if (defined.size === words.length) break;
  }
  return defined;
}

/** The bytes of most lines show that they define no further word. */
function mayDefine({ start, end, ranges }: LineMatches, content: Content, defined: ReadonlySet<string>): boolean {
  if (end - start > lineCharacters) return true;
  const bytes = content.bytes(start, end).toString('latin1');
  // Beyond ASCII only the text tells what a name is.
  if (beyondASCII.test(bytes)) return true;
  const codeAt = (place: number): number => bytes.charCodeAt(place);
  return ranges.some(({ start: from, end: to }) => {
    if (defined.has(bytes.slice(from - start, to - start).toLowerCase())) return false;
    const [name, nameEnd] = nameAround(bytes, from - start, to - start);
    return mayBeDefined(codeAt, { start: name, end: nameEnd, lineStart: 0, lineEnd: bytes.length });
  });
}

function nameAround(line: string, start: number, end: number): [number, number] {
  let [from, to] = [start, end];
  while (from > 0 && isOfName(line, from - 1)) from -= 1;
  while (to < line.length && isOfName(line, to)) to += 1;
  return [from, to];
}

function isInDefinedName(line: string, start: number, end: number): boolean {
  const [from, to] = nameAround(line, start, end);
  return definitionWeight(line, from, to) >= sureness;
}

const isOfName = (line: string, at: number): boolean => /[\p{L}\p{N}_$]/u.test(line.charAt(at));
