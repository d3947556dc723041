import type { HashedName, Literal, Regex } from '@sextant/library-block-index';
import {
  canBeDefined,
  classWeight,
  fileScore,
  isLetter,
  lineWeight,
  pathClasses,
  pathWeight,
  shareDefined,
  textsNeeded,
  WordsInRow,
} from '@sextant/library-search-results';
import { positiveTerms } from '../match/engine-query.ts';
import type { TextSigns } from './hit.ts';
import { nameRules } from '../shards/name-rules.ts';
import type { FileQuery, Term } from '../pool/protocol.ts';
import { RowNeighbours } from './row-neighbours.ts';

export const weights = pathClasses.map((each) => classWeight[each]);
/** Where only paths are wanted. */
export const pathWeights = pathClasses.map((each) => pathWeight[each]);

/** What is known of the lines of a document before they are read. */
export interface LineSigns {
  readonly isWord: boolean;
  readonly inRow: number;
  /** How many of the texts one of them has at most. */
  readonly beside: number;
}

/** At most so many of the texts. */
export interface RowSigns {
  /** A name has that a line defines. */
  readonly defined: number;
  /** Stand in a row. */
  readonly inRow: number;
}

/** What the texts of a query are worth in any view. */
export class TextsWorth implements TextSigns {
  readonly terms: readonly Term[];
  /** How they are looked for in paths. */
  readonly names: readonly Literal[];
  readonly words: WordsInRow;
  readonly hasLetter: boolean;
  readonly areAlike: boolean;
  /** No line defines a name of more of them; 0: none defines any. */
  readonly mostDefined: number;
  /** What is searched, where it is nothing but names, by how many of the texts they are made up: texts that define none of them are worth less. */
  readonly definable: readonly (readonly HashedName[])[] | undefined;
  readonly #needed: number;
  readonly #neighbours = new Map<Literal | Regex, RowNeighbours>();
  /** The most that files of each class may be worth whose path says nothing, by how many texts a name has that they define. */
  readonly #bounds: readonly (readonly number[])[];

  /** A file that matches has so many of them at least. */
  constructor(terms: readonly Term[], needed: number) {
    this.terms = terms;
    this.#needed = needed;
    this.names = terms.flatMap((term) => ('literal' in term ? inAnyCase(term) : []));
    this.words = new WordsInRow(terms.flatMap((term) => ('literal' in term ? String(term.literal) : [])));
    this.hasLetter = terms.length > 1 && terms.some(isLetterAlone);
    this.areAlike = areAlike(terms);
    const definable = terms.filter((term) => 'regex' in term || canBeDefined(String(term.literal)));
    this.mostDefined = definable.length > 0 ? this.words.mostOfName : 0;
    this.definable = namesOf(definable, this.words);
    const levels = Array.from({ length: this.mostDefined + 1 }, (_, defined) => defined);
    this.#bounds = levels.map((defined) =>
      weights.map((weight) => this.bound(weight, 0, { defined, inRow: this.words.most })),
    );
  }

  neighboursOf(text: Literal | Regex): RowNeighbours {
    const neighbours = this.#neighbours.get(text) ?? new RowNeighbours(text, this.words);
    this.#neighbours.set(text, neighbours);
    return neighbours;
  }

  /** The most that a file of a class is worth whose path says nothing. */
  boundOf(pathClass: number, defined: number): number {
    return this.#bounds[defined]?.[pathClass] ?? 0;
  }

  /** A line that defines a longer name is worth less than one that uses the word. */
  bound(weight: number, named: number, { defined, inRow }: RowSigns): number {
    const best = this.mostOfLine({ isWord: true, inRow, beside: Infinity }, Math.min(inRow, defined));
    return Math.fround(fileScore({ weight, named, best, lineCount: Infinity }));
  }

  /** No line is better than this that defines a name of at most so many of them. */
  mostOfLine(signs: LineSigns, defined: number): number {
    return lineWeight({ ...signs, definition: this.share(defined), texts: this.terms.length });
  }

  /** What a definition counts of a name that so many of them make up. */
  share(defined: number): number {
    return shareDefined(Math.min(defined, this.mostDefined), this.#needed);
  }
}

const known = new WeakMap<FileQuery, TextsWorth>();

/** Of a query of a job, with its terms: most views have the same. */
export function textsOf(query: FileQuery, terms: readonly Term[]): TextsWorth {
  const texts = known.get(query) ?? new TextsWorth(positiveTerms(query, terms), textsNeeded(query));
  known.set(query, texts);
  return texts;
}

/** Whether a text counts only where it is a whole word. */
export const isLetterAlone = (text: Literal | Regex): boolean => 'literal' in text && isLetter(String(text.literal));

/** Whether matches of two texts may be of the same length. */
const areAlike = (terms: readonly Term[]): boolean =>
  terms.some((term) => 'regex' in term) ||
  new Set(terms.map((term) => ('literal' in term ? Buffer.byteLength(term.literal) : 0))).size < terms.length;

const inAnyCase = (term: Literal): Literal =>
  term.foldCase === true ? term : { literal: String(term.literal), foldCase: true };

/** Undefined where it is not known of one of them which they are; the first are of no text. */
function namesOf(terms: readonly Term[], words: WordsInRow): HashedName[][] | undefined {
  const names = terms.map((term) =>
    'literal' in term ? nameRules.namesOf(String(term.literal), { foldCase: term.foldCase === true }) : undefined,
  );
  if (!names.every((each) => each !== undefined)) return undefined;
  const foldCase = terms.every((term) => term.foldCase === true);
  const ofParts = (count: number): HashedName[] =>
    words.namesOf(count).flatMap((name) => nameRules.namesOf(name, { foldCase }) ?? []);
  return [[], names.flat(), ...Array.from({ length: words.mostOfName - 1 }, (_, i) => ofParts(i + 2))];
}
