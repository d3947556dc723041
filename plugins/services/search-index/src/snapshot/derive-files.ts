import { isBlobMode, isFileMode } from '@sextant/contracts';
import type { ChangedEntry } from '@sextant/contracts';
import { pathClass, pathClasses } from '@sextant/library-ranking';
import type { StoredShard } from '../shards/loaded-shard.ts';
import { blobsIn } from '../shards/shard-set.ts';
import type { DocumentPlace, ShardSet } from '../shards/shard-set.ts';
import { basesOf, generated, sharedArrays, tooLarge, withoutText } from './build-snapshot.ts';
import type { BuildOptions, SnapshotFiles } from './build-snapshot.ts';
import type { FileCounts } from './snapshot.ts';
import { isExactPath } from './tree-changes.ts';

/** The files of a snapshot that exists, with the bytes of `text` at which paths begin; one more than files. */
export interface KnownFiles extends SnapshotFiles {
  readonly pathStarts: Uint32Array;
}

interface DeriveOptions extends BuildOptions {
  /** Of the blobs that are new. */
  readonly sizes: ReadonlyMap<string, number>;
}

/**
 * Builds the files of a commit from those of another one and the changes between them, in the order of their paths. It looks at what changed,
 * where `buildFiles` looks at every file. Undefined where it cannot: content is missing, a path is not UTF-8 or contains a line end, or `set` lacks
 * text of the old files.
 */
export function deriveFiles(
  old: KnownFiles,
  changes: readonly ChangedEntry[],
  options: DeriveOptions,
): SnapshotFiles | undefined {
  if (old.odd.size > 0 || old.counts.missing > 0 || !changes.every(hasPlainPath)) return undefined;
  const before = renumberFiles(old, options.set);
  if (!before) return undefined;
  const derivation = new Derivation(before, options);
  return changes.every((change) => derivation.add(change)) ? derivation.files : undefined;
}

const hasPlainPath = ({ path }: ChangedEntry): boolean => !path.includes('\n') && isExactPath(path);

const nowhere = -1;

/** Maps files to the documents of the shards that there are now. Undefined where these lack some of the text. */
export function renumberFiles(files: KnownFiles, set: ShardSet): KnownFiles | undefined {
  const isThere = new Set(set.shards);
  if (files.shards.every((shard) => isThere.has(shard))) return files;
  // Of each document in the old numbering.
  const places = files.shards.flatMap((shard) => placesOf(shard, isThere.has(shard) ? undefined : set));
  const used = new Set(places.map((place) => place?.shard));
  const shards = set.shards.filter((shard) => used.has(shard));
  const bases = basesOf(shards);
  const numbers = places.map((place) => (place ? (bases.get(place.shard) ?? 0) + place.document : nowhere));
  const documents = sharedArrays.signed(files.documents.length);
  for (const [file, document] of files.documents.entries()) {
    documents[file] = document < 0 ? document : (numbers[document] ?? nowhere);
    if (document >= 0 && documents[file] === nowhere) return undefined;
  }
  return { ...files, documents, shards };
}

/** Where each document of a shard is: in it, or by its blob in a set that lacks the shard. */
function placesOf(shard: StoredShard, set: ShardSet | undefined): (DocumentPlace | undefined)[] {
  if (set) return blobsIn(shard).map((blob) => set.place(blob));
  return Array.from({ length: shard.loaded.documents }, (_, document) => ({ shard, document }));
}

/** A file that the new commit has. */
interface NewFile {
  /** Its path and a line end. */
  readonly line: Buffer;
  readonly class: number;
  readonly document: number;
}

/** What is done at a place of the old files. */
interface Edit {
  readonly at: number;
  readonly isRemoved: boolean;
  readonly file: NewFile | undefined;
}

class Derivation {
  readonly #before: KnownFiles;
  readonly #options: DeriveOptions;
  readonly #text: Buffer;
  readonly #edits: Edit[] = [];
  readonly #shards: StoredShard[];
  readonly #bases: Map<StoredShard, number>;
  readonly #counts: { -readonly [name in keyof FileCounts]: number };

  constructor(before: KnownFiles, options: DeriveOptions) {
    this.#before = before;
    this.#options = options;
    this.#text = Buffer.from(before.text.buffer, before.text.byteOffset, before.text.byteLength);
    this.#shards = [...before.shards];
    this.#bases = new Map(basesOf(before.shards));
    this.#counts = { ...before.counts };
  }

  /** Changes come in the order of their paths. False where the old files contradict the change, or its content is missing. */
  add(change: ChangedEntry): boolean {
    const line = Buffer.from(`${change.path}\n`);
    const { at, isThere } = this.#placeOf(line);
    const { before } = change;
    const isRemoved = before !== undefined && isBlobMode(before.mode);
    if (isRemoved !== isThere) return false;
    if (isRemoved) this.#uncount(at, before);
    const file = isBlobMode(change.mode) ? this.#newFile(change, line) : undefined;
    if (file === 'missing') return false;
    if (file) this.#counts.files += 1;
    this.#edits.push({ at, isRemoved, file });
    return true;
  }

  get files(): SnapshotFiles {
    const { text, pathStarts, classes, documents } = this.#before;
    const files = this.#counts.files;
    const [newClasses, newDocuments] = [sharedArrays.bytes(files), sharedArrays.signed(files)];
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
    return {
      text: Buffer.concat(texts),
      odd: new Map(),
      classes: newClasses,
      documents: newDocuments,
      shards: this.#shards,
      counts: this.#counts,
    };
  }

  /** The first file that is not before a path, by bisection, and whether it has that path. */
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

  #uncount(at: number, { mode, id }: Pick<ChangedEntry, 'mode' | 'id'>): void {
    const { documents, classes } = this.#before;
    const document = documents[at] ?? withoutText;
    const counts = this.#counts;
    counts.files -= 1;
    if (document >= 0) counts.generated -= classes[at] === generated ? 1 : 0;
    else if (document === tooLarge) counts.tooLarge -= 1;
    else if (isFileMode(mode) && this.#options.set.isKnown(id)) counts.binary -= 1;
    else counts.withoutText -= 1;
  }

  #newFile({ mode, id, path }: ChangedEntry, line: Buffer): NewFile | 'missing' {
    const { set, sizes, maxFileBytes } = this.#options;
    const size = sizes.get(id);
    const place = isFileMode(mode) ? set.place(id) : undefined;
    const ofPath = pathClasses.indexOf(pathClass(path));
    const counts = this.#counts;
    if (place) {
      counts.generated += ofPath === generated ? 1 : 0;
      return { line, class: ofPath, document: this.#baseOf(place.shard) + place.document };
    }
    if (size === undefined) return 'missing';
    if (size > maxFileBytes) counts.tooLarge += 1;
    else if (!isFileMode(mode)) counts.withoutText += 1;
    else if (set.isKnown(id)) counts.binary += 1;
    else return 'missing';
    return { line, class: ofPath, document: size > maxFileBytes ? tooLarge : withoutText };
  }

  /** The number of the first document of a shard; a shard that is new comes after the others. */
  #baseOf(shard: StoredShard): number {
    const known = this.#bases.get(shard);
    if (known !== undefined) return known;
    this.#shards.push(shard);
    const base = basesOf(this.#shards).get(shard) ?? 0;
    this.#bases.set(shard, base);
    return base;
  }
}
