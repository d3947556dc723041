import { HunkLines, textOf, utf8Of } from '@sextant/contracts';
import { ByteList } from '@sextant/library-block-index';
import type { CommitRecord, HunkSink, PatchSink } from '@sextant/contracts';
import { indexedCommitBytes } from '../limits.ts';

/**
 * Where the changes of a commit are. The index of each state is its code in the tables of a shard.
 * - `stored`: in the shard.
 * - `too-large`: only in git, because a shard does not keep as much of one commit.
 * - `beyond-limits`: nowhere, because git cannot compare the commit within its time limit.
 * - `failed`: only in git, which failed to read them.
 */
export const changeStates = ['stored', 'too-large', 'beyond-limits', 'failed'] as const;
export type ChangeState = (typeof changeStates)[number];

/** Everything that a shard keeps of a commit. */
export interface IndexedCommit {
  readonly record: CommitRecord;
  /** The shard has paths, texts and hunks only of `stored` changes. */
  readonly changes: ChangeState;
  /** Changed paths, in git's order. */
  readonly paths: readonly string[];
  readonly texts: readonly ChangedText[];
  /** The hunks of each file, as git printed them, below a `fileLine`. */
  readonly patch: Uint8Array;
}

/** The added or the removed lines of one file, in UTF-8. Each line has its line end. */
export interface ChangedText {
  /** Index in `paths`. */
  readonly path: number;
  readonly isAdded: boolean;
  readonly text: Uint8Array;
}

const newline = 10;
const [plus, minus, backslash, equals] = [43, 45, 92, 61];

/** The line before the hunks of a file. `path` is its index among the changed paths of the commit. */
export const fileLine = (path: number): Uint8Array => Buffer.from(`=${path}\n`);

export interface ReplayedPaths {
  /** Changed paths of the commit. */
  readonly paths: readonly string[];
  /** Whether to show the hunks of the path with this index. */
  readonly isWanted: (path: number) => boolean;
}

/** Shows the stored hunks of a commit to a sink, as the parser of git's output does. */
export function replay(patch: Buffer, { paths, isWanted }: ReplayedPaths, sink: HunkSink): void {
  const hunk = new HunkLines();
  let path: string | undefined;
  for (let at = 0; at < patch.length; ) {
    const end = patch.indexOf(newline, at);
    const line = patch.subarray(at, end);
    at = end + 1;
    if (!hunk.isOpen && line[0] === equals) {
      const number = Number(textOf(line.subarray(1)));
      path = isWanted(number) ? paths[number] : undefined;
    } else if (hunk.isOpen || line[0] === backslash) {
      hunk.count(line);
      if (path !== undefined) sink.line?.(line);
    } else {
      const header = textOf(line);
      hunk.begin(header);
      if (path !== undefined) sink.hunk?.(path, header);
    }
  }
}

/** Makes indexed commits of the parser's events. */
export class CommitCollector implements PatchSink {
  readonly #take: (commit: IndexedCommit) => void;
  readonly #patch = new ByteList();
  readonly #removed = new ByteList();
  readonly #added = new ByteList();
  #record: CommitRecord | undefined;
  #paths: string[] = [];
  #pathBytes = 0;
  #texts: ChangedText[] = [];
  /** Index of the path whose hunks are being read. */
  #path = -1;
  #isTooLarge = false;

  constructor(take: (commit: IndexedCommit) => void) {
    this.#take = take;
  }

  commit(record: CommitRecord): void {
    this.end();
    this.#record = record;
  }

  path(path: string): void {
    this.#pathBytes += path.length;
    this.#isTooLarge ||= this.#isFull;
    if (!this.#isTooLarge) this.#paths.push(path);
  }

  hunk(path: string, header: string): void {
    if (this.#isTooLarge) return;
    if (this.#paths[this.#path] !== path) this.#beginFile(path);
    this.#patch.add(Buffer.from(header));
    this.#patch.addByte(newline);
  }

  line(line: Buffer): void {
    this.#isTooLarge ||= this.#isFull;
    if (this.#isTooLarge) return;
    this.#patch.add(line);
    this.#patch.addByte(newline);
    const [marker] = line;
    if (marker !== plus && marker !== minus) return;
    const side = marker === plus ? this.#added : this.#removed;
    side.add(line.subarray(1));
    side.addByte(newline);
  }

  /** Ends the last commit. Git has printed all of it, unless another state of its changes is given. */
  end(changes: ChangeState = this.#isTooLarge ? 'too-large' : 'stored'): void {
    if (this.#record) this.#close(this.#record, changes);
  }

  get #isFull(): boolean {
    return this.#pathBytes + this.#patch.length > indexedCommitBytes;
  }

  #close(record: CommitRecord, changes: ChangeState): void {
    this.#endFile();
    const patch = this.#patch.take();
    const kept =
      changes === 'stored'
        ? { paths: this.#paths, texts: this.#texts, patch }
        : { paths: [], texts: [], patch: new Uint8Array() };
    this.#record = undefined;
    this.#paths = [];
    this.#pathBytes = 0;
    this.#texts = [];
    this.#path = -1;
    this.#isTooLarge = false;
    this.#take({ record, changes, ...kept });
  }

  #beginFile(path: string): void {
    this.#endFile();
    this.#path = this.#paths.indexOf(path, this.#path + 1);
    this.#patch.add(fileLine(this.#path));
  }

  #endFile(): void {
    for (const [isAdded, side] of [
      [false, this.#removed],
      [true, this.#added],
    ] as const) {
      if (side.length === 0) continue;
      this.#texts.push({ path: this.#path, isAdded, text: inUtf8(side.take()) });
    }
  }
}

/** Converts line by line where the text is not UTF-8: a search of git's output decides line by line, too. */
function inUtf8(text: Buffer): Uint8Array {
  if (utf8Of(text) === text) return text;
  const lines: Buffer[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf(newline, at) + 1;
    lines.push(utf8Of(text.subarray(at, end)));
    at = end;
  }
  return Buffer.concat(lines);
}
