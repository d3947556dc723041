import { fileScore } from '@sextant/library-search-results';
import type { AttachedPart } from './attached-part.ts';
import type { AttachedView } from './attached-view.ts';
import type { Bits } from './bits.ts';
import { Names } from './names.ts';
import type { NameLevel } from './names.ts';
import { weights } from './texts-worth.ts';
import type { TextsWorth } from './texts-worth.ts';

/** What the files of a view are worth for some texts, and at most before they are read; as an f32: threads tell each other what a file needs. */
export class FileWorth {
  readonly #view: AttachedView;
  readonly #names: Names;
  readonly #texts: TextsWorth;

  constructor(view: AttachedView, texts: TextsWorth, checkpoint: () => void) {
    this.#view = view;
    this.#names = new Names(texts.names.map((text) => view.named(text, checkpoint)));
    this.#texts = texts;
  }

  levelsOf(files: Bits): NameLevel[] {
    return this.#names.levelsOf(files);
  }

  /** The most that files are worth whose paths say no more than this. */
  mostOfNamed(named: number, mayDefine = true): number {
    return this.#texts.bound(1, named, mayDefine);
  }

  /** The documents of which a line may define what is searched; undefined where that is not known. */
  defining(part: AttachedPart): Bits | undefined {
    const { definable } = this.#texts;
    return definable && part.defining(definable);
  }

  /** Whether a line of a document may define what is searched. */
  mayDefine(part: AttachedPart, document: number): boolean {
    const { definable } = this.#texts;
    if (!definable) return true;
    // Without a function for each: all documents may be asked.
    for (const name of definable) if (part.mayDefine(document, name)) return true;
    return false;
  }

  /** The most that a file is worth; where its path is known to say nothing `isNamed` is false, and where no line of it may define what is searched `mayDefine`. */
  mostOf(file: number, isNamed = true, mayDefine = true): number {
    const named = isNamed ? this.#names.of(file) : 0;
    if (named > 0) return this.#texts.bound(this.#weightOf(file), named, mayDefine);
    return (mayDefine ? this.#texts.bounds : this.#texts.boundsOfUses)[this.#classOf(file)] ?? 0;
  }

  of(file: number, lineCount: number, best: number): number {
    return Math.fround(fileScore({ weight: this.#weightOf(file), named: this.#names.of(file), best, lineCount }));
  }

  #weightOf(file: number): number {
    return weights[this.#classOf(file)] ?? 0;
  }

  #classOf(file: number): number {
    return this.#view.handle.classes[file] ?? 0;
  }
}
