import type { DefinedName, Literal } from '@sextant/library-block-index';
import { canBeDefined, classWeight, fileScore, lineWeight, pathClasses } from '@sextant/library-search-results';
import { positiveTerms } from './engine-query.ts';
import { nameRules } from './name-rules.ts';
import type { FileQuery, Term } from './protocol.ts';

export const weights = pathClasses.map((each) => classWeight[each]);

/** What is known of the lines of a document before they are read. */
export interface LineSigns {
  readonly isWord: boolean;
  readonly inRow: number;
}

/** What the texts of a query are worth in any view. */
export class TextsWorth {
  readonly terms: readonly Term[];
  /** How they are looked for in paths. */
  readonly names: readonly Literal[];
  /** How surely a line may define what is searched. */
  readonly definition: number;
  /** What is searched, where it is nothing but names: texts that define none of them are worth less. */
  readonly definable: readonly DefinedName[] | undefined;
  /** The most that files of each class may be worth whose path says nothing, and of those those that define nothing. */
  readonly bounds: readonly number[];
  readonly boundsOfUses: readonly number[];

  constructor(terms: readonly Term[]) {
    this.terms = terms;
    this.names = terms.flatMap((term) => ('literal' in term ? inAnyCase(term) : []));
    const definable = terms.filter((term) => 'regex' in term || canBeDefined(String(term.literal)));
    this.definition = definable.length > 0 ? 1 : 0;
    this.definable = namesOf(definable);
    this.bounds = weights.map((weight) => this.bound(weight, 0, true));
    this.boundsOfUses = weights.map((weight) => this.bound(weight, 0, false));
  }

  /** A line that defines a longer name is worth less than one that uses the word. */
  bound(weight: number, named: number, mayDefine: boolean): number {
    const best = this.mostOfLine({ isWord: true, inRow: this.terms.length }, mayDefine ? this.definition : 0);
    return Math.fround(fileScore({ weight, named, best, lineCount: Infinity }));
  }

  /** No line is better than this. */
  mostOfLine(signs: LineSigns, definition = this.definition): number {
    return lineWeight({ ...signs, definition, matches: Infinity, texts: this.terms.length });
  }
}

const known = new WeakMap<FileQuery, TextsWorth>();

/** Of a query of a job, with its terms: most views have the same. */
export function textsOf(query: FileQuery, terms: readonly Term[]): TextsWorth {
  const texts = known.get(query) ?? new TextsWorth(positiveTerms(query, terms));
  known.set(query, texts);
  return texts;
}

const inAnyCase = (term: Literal): Literal =>
  term.foldCase === true ? term : { literal: String(term.literal), foldCase: true };

/** Undefined where it is not known of one of them which they are. */
function namesOf(terms: readonly Term[]): DefinedName[] | undefined {
  const names = terms.map((term) =>
    'literal' in term ? nameRules.namesOf(String(term.literal), { foldCase: term.foldCase === true }) : undefined,
  );
  return names.every((each) => each !== undefined) ? names.flat() : undefined;
}
