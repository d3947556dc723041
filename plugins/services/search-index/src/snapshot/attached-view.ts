import { mayHave, mostBlocks, ResidentContent, search, Shard } from '@sextant/library-block-index';
import type { Literal, Query, Regex, SearchPlace, Workspace } from '@sextant/library-block-index';
import { AttachedPart } from './attached-part.ts';
import { BitSet } from '../match/bit-set.ts';
import { beyondASCII, textBetween } from '../show/lines.ts';
import { Kept } from '../pool/kept.ts';
import { PathScores } from '../match/paths.ts';
import type { PathMatches } from '../match/paths.ts';
import type { ViewHandle } from '../pool/protocol.ts';
import { nameScore } from '../rank/score.ts';

const slashByte = 0x2f;
/** Paths stand one a line: what goes on in the next line is in none. */
const isAcrossLines = (text: string): boolean => text.includes('\n');

export interface Source {
  readonly part: AttachedPart;
  readonly document: number;
}

/** One commit's files as one thread sees them. */
export class AttachedView {
  readonly handle: ViewHandle;
  readonly parts: readonly AttachedPart[];
  readonly everyFile: BitSet;
  readonly #paths: SearchPlace & { readonly text: number };
  /** Their text where it lies in the memory that all threads share. */
  readonly #pathBytes: Uint8Array;
  readonly #withPath = new Kept<BitSet>();
  readonly #named = new Kept<PathMatches>();
  readonly #noPath: PathMatches;
  #lengthShares: Float32Array | undefined;

  constructor(workspace: Workspace, handle: ViewHandle) {
    this.handle = handle;
    this.everyFile = BitSet.all(handle.files);
    this.#noPath = { files: new BitSet(handle.files), scoreOf: () => 0 };
    this.#paths = {
      workspace,
      shard: Shard.attach(workspace, handle.paths.handle),
      content: ResidentContent.attach(workspace, handle.paths.address),
      text: handle.paths.address,
    };
    const { address } = handle.paths;
    this.#pathBytes = workspace.arena.u8.subarray(address, address + this.#paths.shard.contentBytes);
    this.parts = handle.parts.map((part) => new AttachedPart(workspace, part));
  }

  pathOf(file: number): string {
    const odd = this.handle.oddPaths.get(file);
    if (odd !== undefined) return odd;
    const { pathStarts } = this.handle;
    const [start = 0, next = 0] = [pathStarts[file], pathStarts[file + 1]];
    return textBetween(this.#paths.content, start, next - 1);
  }

  /** How many are above it. Without a text of the path: many are asked for. */
  foldersOf(file: number): number {
    const { pathStarts } = this.handle;
    const end = pathStarts[file + 1] ?? 0;
    let folders = 0;
    for (let at = pathStarts[file] ?? 0; at < end; at += 1) if (this.#pathBytes[at] === slashByte) folders += 1;
    return folders;
  }

  /** At most so many blocks of paths and of texts may have a term: the index tells it, and where they are few their text. */
  mostBlocks(term: Literal | Regex, { onlyPaths, few }: { onlyPaths: boolean; few?: number | undefined }): number {
    const ofTexts = onlyPaths ? [] : this.parts.map((part) => part.mostBlocks(term, few));
    return ofTexts.reduce((sum, blocks) => sum + blocks, mostBlocks(this.#paths, term, few));
  }

  /** The files whose path matches. */
  withPath(query: Literal | Regex, checkpoint: () => void): BitSet {
    if (!this.#mayHavePath(query)) return this.#noPath.files;
    if ('literal' in query && query.foldCase) return this.named(query, checkpoint).files;
    return this.#withPath.find(JSON.stringify(query), () => {
      const files = new BitSet(this.handle.files);
      for (const matches of search(this.#paths, query, { checkpoint })) for (const { line } of matches) files.add(line);
      return files;
    });
  }

  /** The files whose path has a text in any case, and how far it is their name. */
  named(query: Literal, checkpoint: () => void): PathMatches {
    if (!this.#mayHavePath(query)) return this.#noPath;
    const text = String(query.literal);
    return this.#named.find(text, () => {
      const found = new PathScores(this.handle.files, this.#pathBytes, text);
      for (const matches of search(this.#paths, query, { checkpoint })) found.add(matches);
      if (!beyondASCII.test(text) && this.handle.oddPaths.size === 0) return found;
      // In other letters a name is no comparison of bytes.
      const word = [text.toLowerCase()];
      return { files: found.files, scoreOf: (file) => nameScore(this.pathOf(file), word) };
    });
  }

  #mayHavePath(query: Literal | Regex): boolean {
    const { files, paths } = this.handle;
    if (files === 0 || ('literal' in query && isAcrossLines(String(query.literal)))) return false;
    return mayHave(this.#paths.workspace.arena, paths.column, query);
  }

  /** The files that have a match in their name, and in the folders before it. */
  partsOfPaths(query: Query, checkpoint: () => void): { names: BitSet; folders: BitSet } {
    const [names, folders] = [new BitSet(this.handle.files), new BitSet(this.handle.files)];
    if (this.handle.files === 0) return { names, folders };
    for (const matches of search(this.#paths, query, { checkpoint }))
      for (const { line, lineEnd, start } of matches) {
        const slash = this.#pathBytes.indexOf(slashByte, start);
        (slash >= 0 && slash < lineEnd ? folders : names).add(line);
      }
    return { names, folders };
  }

  /** Where the text of a file is; undefined for one without text. */
  sourceOf(file: number): Source | undefined {
    const document = this.handle.documents[file] ?? -1;
    const part = this.parts.find(({ handle }) => document >= handle.base && document < handle.base + handle.documents);
    return part && { part, document: document - part.handle.base };
  }

  /** Documents of all parts. */
  get documents(): number {
    return this.handle.fileStarts.length - 1;
  }

  /** How long each document, counted over all parts, is beside the average. */
  get lengthShares(): Float32Array {
    this.#lengthShares ??= this.#measureLengths();
    return this.#lengthShares;
  }

  #measureLengths(): Float32Array {
    const lengths = new Float32Array(this.documents);
    let [bytes, documents] = [0, 0];
    for (const { handle, shard } of this.parts) {
      bytes += shard.contentBytes;
      documents += shard.documents;
      for (let i = 0; i < handle.documents; i += 1) {
        const { start, end } = shard.documentRange(i);
        lengths[handle.base + i] = end - start;
      }
    }
    const average = Math.max(1, bytes) / Math.max(1, documents);
    return lengths.map((length) => length / average);
  }

  /** The documents of a part that are the text of these files. */
  documentsOf(part: AttachedPart, files: BitSet): BitSet {
    part.everyDocument ??= this.#documentsWithFiles(part);
    if (files === this.everyFile) return part.everyDocument;
    const known = part.documentsOf.get(files);
    if (known) return known;
    const { whole = this.everyFile } = files;
    const leftOut = whole.without(files);
    // Mostly a query is about nearly all files, or all that a filter means, or about few.
    const found =
      leftOut.count < files.count
        ? this.#withoutDocuments(part, files, { documents: this.documentsOf(part, whole), leftOut })
        : this.#collectDocuments(part, files);
    part.documentsOf.set(files, found);
    return found;
  }

  #withoutDocuments(part: AttachedPart, files: BitSet, whole: { documents: BitSet; leftOut: BitSet }): BitSet {
    const found = whole.documents.copy();
    const { base, documents: count } = part.handle;
    const { documents } = this.handle;
    for (const file of whole.leftOut.numbers()) {
      const document = (documents[file] ?? -1) - base;
      if (document >= 0 && document < count && !this.#isTextOf(base + document, files)) found.remove(document);
    }
    return found;
  }

  /** Whether a document, counted over all parts, is the text of one of these files. Without an object: many are asked for. */
  #isTextOf(document: number, files: BitSet): boolean {
    const { fileStarts, filesOf } = this.handle;
    for (let i = fileStarts[document] ?? 0, end = fileStarts[document + 1] ?? 0; i < end; i += 1)
      if (files.has(filesOf[i] ?? 0)) return true;
    return false;
  }

  /** Those of any file: of a small part that takes as long as it has documents, not as there are files. */
  #documentsWithFiles(part: AttachedPart): BitSet {
    const { base, documents: count } = part.handle;
    const { fileStarts } = this.handle;
    const found = new BitSet(count);
    for (let i = 0; i < count; i += 1) if ((fileStarts[base + i + 1] ?? 0) > (fileStarts[base + i] ?? 0)) found.add(i);
    return found;
  }

  #collectDocuments(part: AttachedPart, files: BitSet): BitSet {
    const { base, documents: count } = part.handle;
    const found = new BitSet(count);
    const { documents } = this.handle;
    for (const file of files.numbers()) {
      const document = (documents[file] ?? -1) - base;
      if (document >= 0 && document < count) found.add(document);
    }
    return found;
  }

  /** Those of some files that have a document as their text. */
  filesOf(part: AttachedPart, document: number, among: BitSet): readonly number[] {
    const { fileStarts, filesOf } = this.handle;
    const at = part.handle.base + document;
    const [start = 0, end = 0] = [fileStarts[at], fileStarts[at + 1]];
    // Mostly it is one: a part of the shared array would cost more than looking at it.
    const [first = 0] = [filesOf[start]];
    if (end - start === 1) return among === this.everyFile || among.has(first) ? [first] : [];
    const all = [...filesOf.subarray(start, end)];
    return among === this.everyFile ? all : all.filter((file) => among.has(file));
  }
}
