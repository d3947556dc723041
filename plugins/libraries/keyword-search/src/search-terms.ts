import type { Literal, Regex } from '@sextant/library-block-index';
import { canBeDefined } from '@sextant/library-ranking';
import { definedShare, isLetter, PhraseTerms } from './phrase.ts';
import { fileScore, lineScore } from './score.ts';

/** What a query looks for. */
export type Term = Literal | Regex;

/** The terms of a query, and the scores that they can reach in any snapshot. */
export class SearchTerms {
  readonly terms: readonly Term[];
  /** How they are looked for in paths. */
  readonly names: readonly Literal[];
  readonly phrases: PhraseTerms;
  /** Whether one of several is a letter: see `isLetter`. */
  readonly hasLetter: boolean;
  /** The terms of one letter, which may be found only as whole words. */
  readonly letters: ReadonlySet<Term>;
  /** Whether matches of two of them may have the same length. */
  readonly areAlike: boolean;
  /** Upper bound of the terms in one name that a line defines; 0 if no line can define one. */
  readonly mostDefined: number;
  /**
   * The names that are made of these terms, those of fewer terms first: a line can define them as whole words. Undefined if a term is no plain word: what
   * defines it is not known from the index.
   */
  readonly definable: readonly DefinableName[] | undefined;
  readonly #needed: number;
  /** The highest score of a line whose document may define names of so many of the terms. */
  readonly #bestLines: readonly number[];

  /** A file that matches has `needed` of the terms at least. */
  constructor(terms: readonly Term[], needed: number) {
    this.terms = terms;
    this.#needed = needed;
    this.names = terms.flatMap((term) => ('literal' in term ? inAnyCase(term) : []));
    this.phrases = new PhraseTerms(terms.flatMap((term) => ('literal' in term ? String(term.literal) : [])));
    this.letters = new Set(terms.filter((term) => 'literal' in term && isLetter(String(term.literal))));
    this.hasLetter = terms.length > 1 && this.letters.size > 0;
    this.areAlike = areAlike(terms);
    const isDefinable = terms.some((term) => 'regex' in term || canBeDefined(String(term.literal)));
    this.mostDefined = isDefinable ? this.phrases.longestName : 0;
    this.definable = this.mostDefined === 0 ? [] : namesOf(terms, this.phrases.longestName);
    const facts = { phrase: this.phrases.longest, beside: Infinity, terms: terms.length };
    const part = lineScore({ ...facts, isWord: false, definition: this.share(this.mostDefined) });
    this.#bestLines = Array.from({ length: this.mostDefined + 1 }, (_, defined) =>
      Math.max(part, lineScore({ ...facts, isWord: true, definition: this.share(defined) })),
    );
  }

  /**
   * The highest score of a file whose path has the class of this weight, and this name score. `defined` is how many terms there are in the
   * longest name that it may define.
   */
  boundOfFile(weight: number, named: number, defined = this.mostDefined): number {
    return Math.fround(fileScore({ weight, named, best: this.#bestLines[defined] ?? 0, lineCount: Infinity }));
  }

  /** The share of the definition weight for a name of `defined` terms. */
  share(defined: number): number {
    return definedShare(Math.min(defined, this.mostDefined), this.#needed);
  }
}

/** A name that is made of terms which follow each other in the query. */
interface DefinableName {
  readonly name: string;
  readonly terms: number;
}

function namesOf(terms: readonly Term[], longest: number): DefinableName[] | undefined {
  const words = terms.flatMap((term) =>
    'literal' in term && /^\w+$/.test(String(term.literal)) ? String(term.literal) : [],
  );
  if (words.length < terms.length) return undefined;
  return Array.from({ length: longest }, (_, i) => i + 1).flatMap((count) =>
    words.slice(count - 1).map((_, from) => ({ name: words.slice(from, from + count).join(''), terms: count })),
  );
}

const areAlike = (terms: readonly Term[]): boolean =>
  terms.some((term) => 'regex' in term) ||
  new Set(terms.map((term) => ('literal' in term ? Buffer.byteLength(term.literal) : 0))).size < terms.length;

const inAnyCase = (term: Literal): Literal =>
  term.foldCase === true ? term : { literal: String(term.literal), foldCase: true };
