import { commitRecordOf, fieldCount } from './commit-record.ts';
import type { CommitRecord } from './commit-record.ts';
import { TypeChange } from './type-change.ts';
import type { HunkSink } from './type-change.ts';
import { textOf } from './written-text.ts';

/** What a parser meets, in the order of git's output. */
export interface PatchSink extends HunkSink {
  commit?(record: CommitRecord): void;
  /** A changed path of the commit; all of them come before its hunks. */
  path?(path: string): void;
  /** The hunks of a changed path come next; a change of mode has none. */
  file?(path: string): void;
  /** The path of these hunks after the change, for output that names paths in no raw lines. */
  pathAfter?(path: string): void;
  /** The content of this path is binary: it has no hunks. */
  binary?(path: string): void;
  /** Once it is true nothing more is read. */
  readonly isDone?: boolean;
}

/** Shows the output of `StoredRepository.patches` to a sink, until the sink has seen enough. */
export async function readPatches(
  pieces: AsyncIterable<Uint8Array>,
  sink: PatchSink,
  parser = new PatchParser(sink),
): Promise<void> {
  for await (const piece of pieces) {
    parser.push(piece);
    if (sink.isDone) return;
  }
  parser.end();
}

const nul = 0;
const newline = 10;
const backslash = 92;
const [space, plus, minus] = [32, 43, 45];
/** Bytes of a line (or message) that are read. */
const longest = 1 << 20;
/** Characters of the changed paths of one commit of which the hunks are read: those of a quarter of a million files. */
const mostPathCharacters = 24 << 20;

interface Changed {
  readonly path: string;
  readonly isTypeChange: boolean;
}

/**
 * Reads what `patches` gives, in pieces of any size and in bounded memory. Nothing is recognised by its content: a commit's fields end
 * with NUL, names come from the raw lines, and how long a hunk is says its header.
 */
export class PatchParser {
  readonly #queue = new ByteQueue(longest);
  readonly #sink: PatchSink;
  #fields: Buffer[] | undefined;
  #changed: Changed[] = [];
  #pathCharacters = 0;
  #isShown = true;
  #section = -1;
  #isSecondHalf = false;
  #typeChange: TypeChange | undefined;
  readonly #hunk = new HunkLines();
  #commits = 0;

  constructor(sink: PatchSink) {
    this.#sink = sink;
  }

  /** Commits that the sink was shown. */
  get commits(): number {
    return this.#commits;
  }

  push(piece: Uint8Array): void {
    this.#queue.push(piece);
    while (this.#step());
  }

  /** All of the output has been pushed. */
  end(): void {
    this.#typeChange?.end();
    this.#typeChange = undefined;
  }

  #step(): boolean {
    if (this.#queue.isEmpty) return false;
    if (this.#fields) return this.#takeField(this.#fields);
    if (!this.#hunk.isOpen && this.#queue.first === nul) {
      this.#queue.skip();
      this.#fields = [];
      return true;
    }
    const line = this.#queue.take(newline);
    if (!line) return false;
    if (this.#hunk.isOpen) this.#hunkLine(line);
    else this.#headerLine(line);
    return true;
  }

  #takeField(fields: Buffer[]): boolean {
    const field = this.#queue.take(nul);
    if (!field) return false;
    fields.push(Buffer.from(field));
    if (fields.length < fieldCount) return true;
    this.end();
    this.#fields = undefined;
    this.#changed = [];
    this.#pathCharacters = 0;
    this.#section = -1;
    this.#isSecondHalf = false;
    this.#commits += 1;
    this.#sink.commit?.(commitRecordOf(fields));
    return true;
  }

  #headerLine(bytes: Buffer): void {
    const [first] = bytes;
    if (first === backslash) return this.#showLine(bytes);
    const line = textOf(bytes);
    if (line.startsWith(':')) this.#rawLine(line);
    else if (line.startsWith('diff --git ')) this.#nextSection();
    else if (line.startsWith('+++ b/') || line.startsWith('+++ "b/')) this.#pathAfter(line);
    else if (line.startsWith('@@ ')) this.#beginHunk(line);
    else if (line.startsWith('Binary files ')) this.#binary();
  }

  #rawLine(line: string): void {
    const tab = line.indexOf('\t');
    const path = unquotePath(line.slice(tab + 1));
    this.#pathCharacters += path.length;
    if (this.#pathCharacters <= mostPathCharacters) this.#changed.push({ path, isTypeChange: line[tab - 1] === 'T' });
    this.#sink.path?.(path);
  }

  /** A change of type is printed as two sections, a deletion and a creation; every other change as one. */
  #nextSection(): void {
    this.#isSecondHalf = !this.#isSecondHalf && this.#changed[this.#section]?.isTypeChange === true;
    if (this.#isSecondHalf) return;
    this.end();
    this.#section += 1;
    const changed = this.#changed[this.#section];
    if (changed?.isTypeChange) this.#typeChange = new TypeChange(changed.path, this.#sink);
    this.#sink.file?.(changed?.path ?? '');
  }

  /** Git ends names that have spaces with a tab. */
  #pathAfter(line: string): void {
    this.#sink.pathAfter?.(unquotePath(line.slice('+++ '.length).replace(/\t$/, '')).slice('b/'.length));
  }

  #binary(): void {
    this.#typeChange?.binary();
    this.#sink.binary?.(this.#changed[this.#section]?.path ?? '');
  }

  #beginHunk(line: string): void {
    this.#hunk.begin(line);
    const changed = this.#changed[this.#section];
    this.#isShown = changed !== undefined || this.#pathCharacters <= mostPathCharacters;
    if (this.#typeChange) this.#typeChange.hunk(line);
    else if (this.#isShown) this.#sink.hunk?.(changed?.path ?? '', line);
  }

  #hunkLine(line: Buffer): void {
    this.#hunk.count(line);
    this.#showLine(line);
  }

  #showLine(line: Buffer): void {
    if (this.#typeChange) this.#typeChange.line(line);
    else if (this.#isShown) this.#sink.line?.(line);
  }
}

const hunkHeader = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** Counts the lines of a hunk: how long it is says its header, whatever its lines look like. */
export class HunkLines {
  #oldLeft = 0;
  #newLeft = 0;

  /** Whether lines of the hunk are still to come. */
  get isOpen(): boolean {
    return this.#oldLeft > 0 || this.#newLeft > 0;
  }

  begin(header: string): void {
    const [, oldLines = '1', newLines = '1'] = hunkHeader.exec(header) ?? [];
    this.#oldLeft = Number(oldLines);
    this.#newLeft = Number(newLines);
  }

  count(line: Uint8Array): void {
    // Git may leave out the marker of an empty line.
    const marker = line[0] ?? space;
    if (marker === minus || marker === space) this.#oldLeft -= 1;
    if (marker === plus || marker === space) this.#newLeft -= 1;
  }
}

/** Output that arrives in pieces, taken off in parts that end with a byte. No part is looked through twice. */
class ByteQueue {
  readonly #most: number;
  #bytes = Buffer.allocUnsafe(1 << 17);
  #start = 0;
  #scanned = 0;
  #end = 0;

  /** A part of more than `most` bytes is taken without its rest. */
  constructor(most: number) {
    this.#most = most;
  }

  get isEmpty(): boolean {
    return this.#start === this.#end;
  }

  /** The first byte, or undefined when there is none. */
  get first(): number | undefined {
    return this.isEmpty ? undefined : this.#bytes[this.#start];
  }

  push(chunk: Uint8Array): void {
    const kept = this.#end - this.#start;
    if (this.#end + chunk.length > this.#bytes.length) {
      const needed = kept + chunk.length;
      const target = needed * 2 > this.#bytes.length ? Buffer.allocUnsafe(needed * 2) : this.#bytes;
      this.#bytes.copy(target, 0, this.#start, this.#end);
      this.#bytes = target;
      this.#scanned -= this.#start;
      this.#start = 0;
      this.#end = kept;
    }
    this.#bytes.set(chunk, this.#end);
    this.#end += chunk.length;
    this.#cutLongPart();
  }

  skip(): void {
    this.#start += 1;
    this.#scanned = Math.max(this.#scanned, this.#start);
  }

  /** The bytes before the next `delimiter`, valid until the next push; undefined while it has not arrived. */
  take(delimiter: number): Buffer | undefined {
    const at = this.#bytes.subarray(0, this.#end).indexOf(delimiter, this.#scanned);
    this.#scanned = at < 0 ? this.#end : at + 1;
    if (at < 0) return undefined;
    const part = this.#bytes.subarray(this.#start, Math.min(at, this.#start + this.#most));
    this.#start = at + 1;
    return part;
  }

  /** Of a part that is too long already, only so much is kept in memory. */
  #cutLongPart(): void {
    if (this.#scanned - this.#start <= this.#most) return;
    this.#bytes.copyWithin(this.#start + this.#most, this.#scanned, this.#end);
    this.#end -= this.#scanned - this.#start - this.#most;
    this.#scanned = this.#start + this.#most;
  }
}

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

/** A path as git prints it where `core.quotePath` is on: in quotes, with escapes, when any character is unusual. */
function unquotePath(printed: string): string {
  if (!printed.startsWith('"')) return printed;
  const bytes: number[] = [];
  for (const [, octal, letter, plain] of printed.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\])/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(letter === undefined ? (plain ?? '').charCodeAt(0) : (escapes[letter] ?? 0));
  }
  return Buffer.from(bytes).toString();
}
