import type { CommitRecord } from '../git/commit-record.ts';
import type { PatchSink } from '../git/patch-parser.ts';
import { utf8Of } from '../git/text.ts';
import { ByteList } from './byte-list.ts';
import type { ChangedText, IndexedCommit } from './indexed-commit.ts';
import { fileLine } from './patch-text.ts';

/** Bytes of the paths and the hunks of one commit that are kept; git answers for a larger one. */
const mostOfCommit = 24 << 20;
const newline = 10;
const [plus, minus] = [43, 45];

/** Makes commits of what a parser meets. */
export class CommitCollector implements PatchSink {
  readonly #take: (commit: IndexedCommit) => void;
  readonly #patch = new ByteList();
  readonly #removed = new ByteList();
  readonly #added = new ByteList();
  #record: CommitRecord | undefined;
  #paths: string[] = [];
  #pathBytes = 0;
  #texts: ChangedText[] = [];
  /** Number of the path whose hunks come. */
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
    this.#patch.append(Buffer.from(header));
    this.#patch.appendByte(newline);
  }

  line(line: Buffer): void {
    this.#isTooLarge ||= this.#isFull;
    if (this.#isTooLarge) return;
    this.#patch.append(line);
    this.#patch.appendByte(newline);
    const [marker] = line;
    if (marker !== plus && marker !== minus) return;
    const side = marker === plus ? this.#added : this.#removed;
    side.append(line.subarray(1));
    side.appendByte(newline);
  }

  /** The last commit is whole. */
  end(): void {
    if (this.#record) this.#close(this.#record, { isUnread: this.#isTooLarge });
  }

  /** Git ended inside the last commit: its changes cannot be read. */
  fail(): void {
    if (this.#record) this.#close(this.#record, { isUnread: true });
  }

  /** Nobody reads the changes of the last commit. */
  giveUp(): void {
    if (this.#record) this.#close(this.#record, { isUnread: true, isBeyondLimits: true });
  }

  get #isFull(): boolean {
    return this.#pathBytes + this.#patch.length > mostOfCommit;
  }

  #close(
    record: CommitRecord,
    { isUnread, isBeyondLimits = false }: { isUnread: boolean; isBeyondLimits?: boolean },
  ): void {
    this.#endFile();
    const patch = this.#patch.take();
    const kept = isUnread
      ? { paths: [], texts: [], patch: new Uint8Array() }
      : { paths: this.#paths, texts: this.#texts, patch };
    this.#record = undefined;
    this.#paths = [];
    this.#pathBytes = 0;
    this.#texts = [];
    this.#path = -1;
    this.#isTooLarge = false;
    this.#take({ record, isUnread, isBeyondLimits, ...kept });
  }

  #beginFile(path: string): void {
    this.#endFile();
    this.#path = this.#paths.indexOf(path, this.#path + 1);
    this.#patch.append(fileLine(this.#path));
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

/** Each line by itself where not all are UTF-8, as a search of git's output takes them. */
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
