import type { DefinedName } from '@sextant/library-block-index';
import { canBeDefined, classWeight, fileScore, lineWeight, pathClasses } from '@sextant/library-search-results';
import type { AttachedPart } from './attached-part.ts';
import type { AttachedView } from './attached-view.ts';
import type { Bits } from './bits.ts';
import { nameRules } from './name-rules.ts';
import { Names } from './names.ts';
import type { NameLevel } from './names.ts';
import type { Term } from './protocol.ts';

const weights = pathClasses.map((each) => classWeight[each]);

/** What is known of the lines of a document before they are read. */
export interface LineSigns {
  readonly isWord: boolean;
  readonly inRow: number;
}

/** What the files of a view are worth for some texts, and at most before they are read; as an f32: threads tell each other what a file needs. */
export class FileWorth {
  /** How many they are. */
  readonly texts: number;
  readonly #view: AttachedView;
  readonly #names: Names;
  /** How surely a line may define what is searched. */
  readonly #definition: number;
  /** What is searched, where it is nothing but names: texts that define none of them are worth less. */
  readonly #definable: readonly DefinedName[] | undefined;
  /** The most that files of each class may be worth whose path says nothing, and of those those that define nothing. */
  readonly #bounds: readonly number[];
  readonly #boundsOfUses: readonly number[];

  constructor(view: AttachedView, terms: readonly Term[], checkpoint: () => void) {
    const texts = terms.flatMap((term) => ('literal' in term ? [String(term.literal)] : []));
    this.texts = terms.length;
    this.#view = view;
    this.#names = new Names(texts.map((text) => view.named(text, checkpoint)));
    const definable = terms.filter((term) => 'regex' in term || canBeDefined(String(term.literal)));
    this.#definition = definable.length > 0 ? 1 : 0;
    this.#definable = namesOf(definable);
    this.#bounds = weights.map((weight) => this.#bound(weight, 0, true));
    this.#boundsOfUses = weights.map((weight) => this.#bound(weight, 0, false));
  }

  /** Whether it is known of a line without reading it. */
  get isKnownUnread(): boolean {
    return this.#definition === 0 && this.texts === 1;
  }

  levelsOf(files: Bits): NameLevel[] {
    return this.#names.levelsOf(files);
  }

  /** The most that files are worth whose paths say no more than this. */
  mostOfNamed(named: number): number {
    return this.#bound(1, named, true);
  }

  /** Whether a line of a document may define what is searched. */
  mayDefine(part: AttachedPart, document: number): boolean {
    return this.#definable?.some((name) => part.mayDefine(document, name)) ?? true;
  }

  /** The most that a file is worth; where its path is known to say nothing `isNamed` is false, and where no line of it may define what is searched `mayDefine`. */
  mostOf(file: number, isNamed = true, mayDefine = true): number {
    const named = isNamed ? this.#names.of(file) : 0;
    if (named > 0) return this.#bound(this.#weightOf(file), named, mayDefine);
    return (mayDefine ? this.#bounds : this.#boundsOfUses)[this.#classOf(file)] ?? 0;
  }

  /** No line is better than this. */
  mostOfLine(signs: LineSigns, definition = this.#definition): number {
    return lineWeight({ ...signs, definition, matches: Infinity, texts: this.texts });
  }

  of(file: number, lineCount: number, best: number): number {
    return Math.fround(fileScore({ weight: this.#weightOf(file), named: this.#names.of(file), best, lineCount }));
  }

  /** A line that defines a longer name is worth less than one that uses the word. */
  #bound(weight: number, named: number, mayDefine: boolean): number {
    const best = this.mostOfLine({ isWord: true, inRow: this.texts }, mayDefine ? this.#definition : 0);
    return Math.fround(fileScore({ weight, named, best, lineCount: Infinity }));
  }

  #weightOf(file: number): number {
    return weights[this.#classOf(file)] ?? 0;
  }

  #classOf(file: number): number {
    return this.#view.handle.classes[file] ?? 0;
  }
}

/** Undefined where it is not known of one of them which they are. */
function namesOf(terms: readonly Term[]): DefinedName[] | undefined {
  const names = terms.map((term) =>
    'literal' in term ? nameRules.namesOf(String(term.literal), { foldCase: term.foldCase === true }) : undefined,
  );
  return names.every((each) => each !== undefined) ? names.flat() : undefined;
}
