import type { HashedName, Literal, Regex } from '@sextant/library-block-index';
import { canBeDefined } from '@sextant/library-ranking';
import { shownTerms } from '../match/evaluate.ts';
import type { FileQuery, Term } from '../pool/protocol.ts';
import { nameRules } from '../shards/loaded-shard.ts';
import { definedShare, isLetter, PhraseNeighbours, PhraseTerms, termsNeeded } from './phrase.ts';
import { fileScore, lineScore } from './score.ts';
import { classWeights } from './weights.ts';

/** Facts about the matching lines of a document before they are read. */
export interface LineSigns {
  readonly isWord: boolean;
  /** Upper bound of the terms in a phrase. */
  readonly phrase: number;
  /** Upper bound of the different terms in a line. */
  readonly beside: number;
}

/** Facts about a document before its text is read. */
export interface DocumentSigns {
  /** Upper bound of the terms in one name that a line defines. */
  readonly defined: number;
  /** Upper bound of the terms in a phrase. */
  readonly phrase: number;
}

/** The scores that the terms of a query can reach in any snapshot. */
export class TermScore {
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
  /** Hashes of the names that terms make up, by the number of terms. Only a document that defines one has a definition. Undefined if unknown. */
  readonly definable: readonly (readonly HashedName[])[] | undefined;
  readonly #needed: number;
  readonly #neighbours = new Map<Literal | Regex, PhraseNeighbours>();
  /** The highest scores of files whose path has no term: by the number of terms in a defined name, then by class. */
  readonly #bounds: readonly (readonly number[])[];

  /** A file that matches has `needed` of the terms at least. */
  constructor(terms: readonly Term[], needed: number) {
    this.terms = terms;
    this.#needed = needed;
    this.names = terms.flatMap((term) => ('literal' in term ? inAnyCase(term) : []));
    this.phrases = new PhraseTerms(terms.flatMap((term) => ('literal' in term ? String(term.literal) : [])));
    this.letters = new Set(terms.filter((term) => 'literal' in term && isLetter(String(term.literal))));
    this.hasLetter = terms.length > 1 && this.letters.size > 0;
    this.areAlike = areAlike(terms);
    const definable = terms.filter((term) => 'regex' in term || canBeDefined(String(term.literal)));
    this.mostDefined = definable.length > 0 ? this.phrases.longestName : 0;
    this.definable = namesOf(definable, this.phrases);
    const levels = Array.from({ length: this.mostDefined + 1 }, (_, defined) => defined);
    this.#bounds = levels.map((defined) =>
      classWeights.map((weight) => this.bound(weight, 0, { defined, phrase: this.phrases.longest })),
    );
  }

  neighboursOf(term: Literal | Regex): PhraseNeighbours {
    const neighbours = this.#neighbours.get(term) ?? new PhraseNeighbours(term, this.phrases);
    this.#neighbours.set(term, neighbours);
    return neighbours;
  }

  /** The highest score of a file of a class whose path says nothing. */
  boundOf(pathClass: number, defined: number): number {
    return this.#bounds[defined]?.[pathClass] ?? 0;
  }

  /** The highest score of a file. A line that defines a longer name scores less than one that uses the word. */
  bound(weight: number, named: number, { defined, phrase }: DocumentSigns): number {
    const best = this.boundOfLine({ isWord: true, phrase, beside: Infinity }, Math.min(phrase, defined));
    return Math.fround(fileScore({ weight, named, best, lineCount: Infinity }));
  }

  /** The highest score of a line that defines a name of at most so many terms. */
  boundOfLine(signs: LineSigns, defined: number): number {
    return lineScore({ ...signs, definition: this.share(defined), terms: this.terms.length });
  }

  /** The share of the definition weight for a name of `defined` terms. */
  share(defined: number): number {
    return definedShare(Math.min(defined, this.mostDefined), this.#needed);
  }
}

const known = new WeakMap<FileQuery, TermScore>();

/** Of a query of a job, with the job's terms. Memoized, as most snapshots of a job have the same query. */
export function termScoreOf(query: FileQuery, terms: readonly Term[]): TermScore {
  const score = known.get(query) ?? new TermScore(shownTerms(query, terms), termsNeeded(query));
  known.set(query, score);
  return score;
}

const areAlike = (terms: readonly Term[]): boolean =>
  terms.some((term) => 'regex' in term) ||
  new Set(terms.map((term) => ('literal' in term ? Buffer.byteLength(term.literal) : 0))).size < terms.length;

const inAnyCase = (term: Literal): Literal =>
  term.foldCase === true ? term : { literal: String(term.literal), foldCase: true };

/** Undefined where they are not known for one of the terms. The first list is empty: of no term. */
function namesOf(terms: readonly Term[], phrases: PhraseTerms): HashedName[][] | undefined {
  const names = terms.map((term) =>
    'literal' in term ? nameRules.namesOf(String(term.literal), { foldCase: term.foldCase === true }) : undefined,
  );
  if (!names.every((each) => each !== undefined)) return undefined;
  const foldCase = terms.every((term) => term.foldCase === true);
  const ofParts = (count: number): HashedName[] =>
    phrases.namesOf(count).flatMap((name) => nameRules.namesOf(name, { foldCase }) ?? []);
  return [[], names.flat(), ...Array.from({ length: phrases.longestName - 1 }, (_, i) => ofParts(i + 2))];
}
