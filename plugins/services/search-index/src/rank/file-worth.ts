import type { Likely } from '@sextant/library-block-index';
import { fileScore, shallowness } from '@sextant/library-search-results';
import type { AttachedSlice, AttachedSnapshot } from '../snapshot/attached-snapshot.ts';
import type { Bits } from '../match/bits.ts';
import { Names } from './names.ts';
import type { NameLevel } from './names.ts';
import type { PieceOfPart } from '../match/pieces.ts';
import type { Job } from '../pool/protocol.ts';
import { pathWeights, weights } from './texts-worth.ts';
import type { RowSigns, TextsWorth } from './texts-worth.ts';

interface Wanted {
  readonly job: Pick<Job, 'wantsPathsOnly'>;
  readonly checkpoint: () => void;
}

/** What the files of a view are worth for some texts, and at most before they are read; as an f32: threads tell each other what a file needs. */
export class FileWorth {
  readonly #view: AttachedSnapshot;
  readonly #names: Names;
  readonly #texts: TextsWorth;
  readonly #mostSigns: RowSigns;
  readonly #wantsPathsOnly: boolean;

  constructor(view: AttachedSnapshot, texts: TextsWorth, { job, checkpoint }: Wanted) {
    this.#view = view;
    this.#wantsPathsOnly = job.wantsPathsOnly;
    this.#names = new Names(texts.names.map((text) => view.named(text, checkpoint)));
    this.#texts = texts;
    this.#mostSigns = { defined: texts.mostDefined, inRow: texts.words.most };
  }

  levelsOf(files: Bits): NameLevel[] {
    return this.#names.levelsOf(files);
  }

  /** The most that files are worth whose paths say no more than this, and that define no name of more texts. */
  mostOfNamed(named: number, defined = this.#texts.mostDefined): number {
    return this.#texts.bound(1, named, { defined, inRow: this.#texts.words.most });
  }

  /** What may define a name of most of the texts comes before the other documents of a piece, of which mostly none is wanted then; undefined where it is not known. */
  likely({ part, named }: PieceOfPart, isWanted: (bound: number) => boolean): Likely | undefined {
    const { definable, words, mostDefined } = this.#texts;
    if (!definable || mostDefined === 0) return undefined;
    const hasRows = words.mostOfName > 1;
    const documents = part.defining(hasRows ? definable.slice(2).flat() : (definable[1] ?? []));
    const areOthersWanted = (): boolean => isWanted(this.mostOfNamed(named, hasRows ? 1 : 0));
    return documents && { documents: documents.bytes, areOthersWanted };
  }

  /** How many of the texts a name has at most that a line of a document may define. */
  definedIn(part: AttachedSlice, document: number): number {
    const { definable, mostDefined } = this.#texts;
    if (!definable) return mostDefined;
    // Without a function for each: all documents may be asked.
    for (let defined = mostDefined; defined > 0; defined -= 1)
      for (const name of definable[defined] ?? []) if (part.mayDefine(document, name)) return defined;
    return 0;
  }

  /** The most that a file is worth; where its path is known to say nothing `isNamed` is false. */
  mostOf(file: number, isNamed = true, signs: RowSigns = this.#mostSigns): number {
    const named = isNamed ? this.#names.of(file) : 0;
    if (named === 0 && signs.inRow === this.#mostSigns.inRow)
      return this.#texts.boundOf(this.#classOf(file), signs.defined);
    return this.#texts.bound(this.#weightOf(file), named, signs);
  }

  /** Of a document in which no more texts stand in a row. */
  signsOf(part: AttachedSlice, document: number, inRow = this.#mostSigns.inRow): RowSigns {
    return { defined: this.definedIn(part, document), inRow };
  }

  of(file: number, lineCount: number, best: number): number {
    return Math.fround(fileScore({ weight: this.#weightOf(file), named: this.#names.of(file), best, lineCount }));
  }

  /** Where no line of it is shown. */
  ofPath(file: number): number {
    return this.of(file, 0, this.#wantsPathsOnly ? shallowness(this.#view.foldersOf(file)) : 0);
  }

  /** The same before its folders are counted. */
  mostOfPath(file: number): number {
    return this.of(file, 0, this.#wantsPathsOnly ? shallowness(0) : 0);
  }

  #weightOf(file: number): number {
    return (this.#wantsPathsOnly ? pathWeights : weights)[this.#classOf(file)] ?? 0;
  }

  #classOf(file: number): number {
    return this.#view.handle.classes[file] ?? 0;
  }
}
