import { unquotePath } from '@sextant/contracts';
import { ByteQueue } from './byte-queue.ts';
import { commitOf, fieldCount } from './commit-record.ts';
import type { CommitRecord } from './commit-record.ts';
import { HunkLines } from './hunk-lines.ts';
import { textOf } from './text.ts';
import { TypeChange } from './type-change.ts';
import type { HunkSink } from './type-change.ts';

/** What a parser meets, in the order of git's output. Buffers are valid during the call only. */
export interface PatchSink extends HunkSink {
  commit(record: CommitRecord): void;
  /** A changed path of the commit; all of them come before its hunks. */
  path(path: string): void;
}

const nul = 0;
const newline = 10;
const backslash = 92;
/** Bytes of a line (or message) that are read. */
const longest = 1 << 20;
/** Characters of the changed paths of one commit of which the hunks are read: those of a quarter of a million files. */
const mostPathCharacters = 24 << 20;

interface Changed {
  readonly path: string;
  readonly isTypeChange: boolean;
}

/**
 * Reads the output of `diff-tree --stdin --raw --patch` or `log`, in pieces of any size and in bounded memory. Nothing is
 * recognised by its content: a commit's fields end with NUL, names come from the raw lines, and how long a hunk is says its header.
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

  constructor(sink: PatchSink) {
    this.#sink = sink;
  }

  push(chunk: Uint8Array): void {
    this.#queue.push(chunk);
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
    this.#sink.commit(commitOf(fields));
    return true;
  }

  #headerLine(bytes: Buffer): void {
    const [first] = bytes;
    if (first === backslash) return this.#showLine(bytes);
    const line = textOf(bytes);
    if (line.startsWith(':')) this.#rawLine(line);
    else if (line.startsWith('diff --git ')) this.#nextSection();
    else if (line.startsWith('@@ ')) this.#beginHunk(line);
    else if (line.startsWith('Binary files ')) this.#typeChange?.binary();
  }

  #rawLine(line: string): void {
    const tab = line.indexOf('\t');
    const path = unquotePath(line.slice(tab + 1));
    this.#pathCharacters += path.length;
    if (this.#pathCharacters <= mostPathCharacters) this.#changed.push({ path, isTypeChange: line[tab - 1] === 'T' });
    this.#sink.path(path);
  }

  /** A change of type is printed as two sections, a deletion and a creation; every other change as one. */
  #nextSection(): void {
    this.#isSecondHalf = !this.#isSecondHalf && this.#changed[this.#section]?.isTypeChange === true;
    if (this.#isSecondHalf) return;
    this.end();
    this.#section += 1;
    const changed = this.#changed[this.#section];
    if (changed?.isTypeChange) this.#typeChange = new TypeChange(changed.path, this.#sink);
  }

  #beginHunk(line: string): void {
    this.#hunk.begin(line);
    const changed = this.#changed[this.#section];
    this.#isShown = changed !== undefined || this.#pathCharacters <= mostPathCharacters;
    if (this.#typeChange) this.#typeChange.hunk(line);
    else if (this.#isShown) this.#sink.hunk(changed?.path ?? '', line);
  }

  #hunkLine(line: Buffer): void {
    this.#hunk.count(line);
    this.#showLine(line);
  }

  #showLine(line: Buffer): void {
    if (this.#typeChange) this.#typeChange.line(line);
    else if (this.#isShown) this.#sink.line(line);
  }
}
