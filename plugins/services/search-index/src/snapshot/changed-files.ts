import { isBlobMode, isFileMode } from '@sextant/contracts';
import type { ChangedEntry } from '@sextant/contracts';
import { pathClass, pathClasses } from '@sextant/library-search-results';
import type { StoredShard } from '../pool/protocol.ts';
import type { FileCounts } from './file-counts.ts';
import { basesOf, generated, sharedNumbers, tooLarge, withoutText } from './laid-files.ts';
import type { LaidFiles, Laying } from './laid-files.ts';
import { isExactPath } from './tree-changes.ts';

/** Files as they were laid, with the bytes of `text` at which paths begin; one more than files. */
export interface LaidBefore extends LaidFiles {
  readonly pathStarts: Uint32Array;
}

/** The files of a commit as they were laid: all of them. */
export interface LaidCommit {
  readonly commit: string;
  readonly files: LaidBefore;
}

interface Changing extends Laying {
  /** Of the blobs that are new. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** A file that is there now. */
interface NewFile {
  /** With its line end. */
  readonly line: Buffer;
  readonly class: number;
  readonly document: number;
}

/** What becomes of a place among the files of before. */
interface Edit {
  readonly at: number;
  readonly isRemoved: boolean;
  readonly file: NewFile | undefined;
}

type Counts = { -readonly [name in keyof FileCounts]: number };

/**
 * The files of a commit, made of those of another one and what differs, in the order of their paths: of a hundred thousand files that takes milliseconds, where to lay
 * all takes a second. Undefined where it cannot be made so: where content is missing, or a path is no text or has a line end.
 */
export function changedFiles(
  before: LaidBefore,
  changes: readonly ChangedEntry[],
  changing: Changing,
): LaidFiles | undefined {
  if (before.odd.size > 0 || before.counts.missing > 0 || !changes.every(hasPlainPath)) return undefined;
  const change = new ChangedFiles(before, changing);
  return changes.every((each) => change.add(each)) ? change.files : undefined;
}

const hasPlainPath = ({ path }: ChangedEntry): boolean => !path.includes('\n') && isExactPath(path);

class ChangedFiles {
  readonly #before: LaidBefore;
  readonly #changing: Changing;
  readonly #text: Buffer;
  readonly #edits: Edit[] = [];
  readonly #parts: StoredShard[];
  readonly #bases: Map<StoredShard, number>;
  readonly #counts: Counts;

  constructor(before: LaidBefore, changing: Changing) {
    this.#before = before;
    this.#changing = changing;
    this.#text = Buffer.from(before.text.buffer, before.text.byteOffset, before.text.byteLength);
    this.#parts = [...before.parts];
    this.#bases = new Map(basesOf(before.parts));
    this.#counts = { ...before.counts };
  }

  /** False where the files of before are not what the change says, or its content is missing. */
  add(change: ChangedEntry): boolean {
    const line = Buffer.from(`${change.path}\n`);
    const { at, isThere } = this.#placeOf(line);
    const { before } = change;
    const isRemoved = before !== undefined && isBlobMode(before.mode);
    if (isRemoved !== isThere) return false;
    if (isRemoved) this.#leave(at, before);
    const file = isBlobMode(change.mode) ? this.#newFile(change, line) : undefined;
    if (file === 'missing') return false;
    if (file) this.#counts.files += 1;
    this.#edits.push({ at, isRemoved, file });
    return true;
  }

  get files(): LaidFiles {
    const { text, pathStarts, classes, documents } = this.#before;
    const files = this.#counts.files;
    const [newClasses, newDocuments] = [sharedNumbers.bytes(files), sharedNumbers.signed(files)];
    const texts: Uint8Array[] = [];
    let [from, to] = [0, 0];
    const copyUntil = (end: number): void => {
      texts.push(text.subarray(pathStarts[from], pathStarts[end]));
      newClasses.set(classes.subarray(from, end), to);
      newDocuments.set(documents.subarray(from, end), to);
      [from, to] = [end, to + end - from];
    };
    for (const { at, isRemoved, file } of this.#edits) {
      copyUntil(at);
      if (isRemoved) from += 1;
      if (!file) continue;
      texts.push(file.line);
      newClasses[to] = file.class;
      newDocuments[to] = file.document;
      to += 1;
    }
    copyUntil(documents.length);
    const counts = this.#counts;
    return {
      text: Buffer.concat(texts),
      odd: new Map(),
      classes: newClasses,
      documents: newDocuments,
      parts: this.#parts,
      counts,
    };
  }

  /** The first file that is not before a path, and whether it is that. */
  #placeOf(line: Buffer): { at: number; isThere: boolean } {
    const { pathStarts, documents } = this.#before;
    const order = (file: number): number =>
      this.#text.compare(line, 0, line.length - 1, pathStarts[file], (pathStarts[file + 1] ?? 1) - 1);
    let low = 0;
    for (let high = documents.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (order(middle) < 0) low = middle + 1;
      else high = middle;
    }
    return { at: low, isThere: low < documents.length && order(low) === 0 };
  }

  #leave(at: number, { mode, id }: Pick<ChangedEntry, 'mode' | 'id'>): void {
    const { documents, classes } = this.#before;
    const document = documents[at] ?? withoutText;
    const counts = this.#counts;
    counts.files -= 1;
    if (document >= 0) counts.generated -= classes[at] === generated ? 1 : 0;
    else if (document === tooLarge) counts.tooLarge -= 1;
    else if (isFileMode(mode) && this.#changing.shards.isKnown(id)) counts.binary -= 1;
    else counts.withoutText -= 1;
  }

  #newFile({ mode, id, path }: ChangedEntry, line: Buffer): NewFile | 'missing' {
    const { shards, sizes, maxFileBytes } = this.#changing;
    const size = sizes.get(id);
    const place = isFileMode(mode) ? shards.place(id) : undefined;
    const named = pathClasses.indexOf(pathClass(path));
    const counts = this.#counts;
    const without = (document: number): NewFile => ({ line, class: named, document });
    if (place) {
      counts.generated += named === generated ? 1 : 0;
      return { line, class: named, document: this.#baseOf(place.shard) + place.document };
    }
    if (size === undefined) return 'missing';
    if (size > maxFileBytes) counts.tooLarge += 1;
    else if (!isFileMode(mode)) counts.withoutText += 1;
    else if (shards.isKnown(id)) counts.binary += 1;
    else return 'missing';
    return without(size > maxFileBytes ? tooLarge : withoutText);
  }

  /** The number of the first document of a shard; one that was not among the parts comes after them. */
  #baseOf(shard: StoredShard): number {
    const known = this.#bases.get(shard);
    if (known !== undefined) return known;
    this.#parts.push(shard);
    const base = basesOf(this.#parts).get(shard) ?? 0;
    this.#bases.set(shard, base);
    return base;
  }
}
