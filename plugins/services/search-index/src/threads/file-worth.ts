import { canBeDefined, classWeight, fileScore, lineWeight, pathClasses } from '@sextant/library-search-results';
import type { AttachedView } from './attached-view.ts';
import type { Bits } from './bits.ts';
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
  /** The most that files of each class may be worth whose path says nothing. */
  readonly #bounds: readonly number[];

  constructor(view: AttachedView, terms: readonly Term[], checkpoint: () => void) {
    const texts = terms.flatMap((term) => ('literal' in term ? [String(term.literal)] : []));
    this.texts = terms.length;
    this.#view = view;
    this.#names = new Names(texts.map((text) => view.named(text, checkpoint)));
    this.#definition = terms.some((term) => 'regex' in term || canBeDefined(String(term.literal))) ? 1 : 0;
    this.#bounds = weights.map((weight) => this.#bound(weight, 0));
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
    return this.#bound(1, named);
  }

  /** The most that a file is worth; where its path is known to say nothing `isNamed` is false. */
  mostOf(file: number, isNamed = true): number {
    const named = isNamed ? this.#names.of(file) : 0;
    return named === 0 ? (this.#bounds[this.#classOf(file)] ?? 0) : this.#bound(this.#weightOf(file), named);
  }

  /** No line is better than this. */
  mostOfLine(signs: LineSigns): number {
    return lineWeight({ ...signs, definition: this.#definition, matches: Infinity, texts: this.texts });
  }

  of(file: number, lineCount: number, best: number): number {
    return Math.fround(fileScore({ weight: this.#weightOf(file), named: this.#names.of(file), best, lineCount }));
  }

  #bound(weight: number, named: number): number {
    const best = this.mostOfLine({ isWord: true, inRow: this.texts });
    return Math.fround(fileScore({ weight, named, best, lineCount: Infinity }));
  }

  #weightOf(file: number): number {
    return weights[this.#classOf(file)] ?? 0;
  }

  #classOf(file: number): number {
    return this.#view.handle.classes[file] ?? 0;
  }
}
