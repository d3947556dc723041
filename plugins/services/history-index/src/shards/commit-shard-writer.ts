import { constants, zstdCompressSync } from 'node:zlib';
import { AppendedFile, ShardBuilder } from '@sextant/library-block-index';
import type { CommitRecord } from '@sextant/contracts';
import { CommitShardFiles } from './commit-shard-files.ts';
import { encodeTables } from './commit-shard-tables.ts';
import { changeStates } from './indexed-commit.ts';
import type { IndexedCommit } from './indexed-commit.ts';

/** Bytes of hunks that are compressed together. The hunks of one commit compress badly; a large frame is slow to open. */
const frameBytes = 32 << 10;
/** Higher levels take longer and save little. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Writes one shard, commit by commit, the newest first. */
export class CommitShardWriter {
  readonly #files: CommitShardFiles;
  readonly #lines: WrittenTexts;
  readonly #messages: WrittenTexts;
  readonly #hunks: WrittenFrames;
  readonly #paths = new StringNumbers();
  readonly #people = new StringNumbers();
  readonly #hashes: Buffer[] = [];
  readonly #parents: Buffer[] = [];
  readonly #columns = {
    times: [] as number[],
    authored: [] as number[],
    authors: [] as number[],
    parentStarts: [0],
    messageStarts: [0],
    isUnread: [] as number[],
    fileStarts: [0],
    files: [] as number[],
    textStarts: [0],
    textCommit: [] as number[],
    textFile: [] as number[],
  };

  constructor(folder: string, name: string) {
    this.#files = new CommitShardFiles(folder, name);
    this.#lines = new WrittenTexts(this.#files.path('lines-text'));
    this.#messages = new WrittenTexts(this.#files.path('messages-text'));
    this.#hunks = new WrittenFrames(this.#files.path('hunks'));
  }

  add({ record, changes, paths, texts, patch }: IndexedCommit): void {
    const columns = this.#columns;
    const commit = columns.times.length;
    this.#addRecord(record);
    columns.isUnread.push(changeStates.indexOf(changes));
    const numbers = paths.map((path) => this.#paths.of(path));
    for (const number of numbers) columns.files.push(number);
    columns.fileStarts.push(columns.files.length);
    for (const { path, isAdded, text } of texts) {
      this.#lines.add(text);
      columns.textStarts.push(this.#lines.bytes);
      columns.textCommit.push(commit);
      columns.textFile.push(2 * (numbers[path] ?? 0) + Number(isAdded));
    }
    this.#hunks.add(patch);
  }

  get commits(): number {
    return this.#hashes.length;
  }

  /** Committer date of the newest commit; 0 without commits. It need not be the first: git reads odd dates differently. */
  get newest(): number {
    return this.#columns.times.reduce((newest, time) => Math.max(newest, time), 0);
  }

  /** Bytes of changed lines and messages. */
  get bytes(): number {
    return this.#lines.bytes + this.#messages.bytes;
  }

  /** Writes the rest. Then the whole shard is on the disk. */
  finish(): void {
    const { times, authored, isUnread, ...columns } = this.#columns;
    this.#files.write('lines', this.#lines.finish());
    this.#files.write('messages', this.#messages.finish());
    const tables = encodeTables({
      hashBytes: this.#hashes[0]?.length ?? 20,
      hashes: Buffer.concat(this.#hashes),
      times: Float64Array.from(times),
      authored: Float64Array.from(authored),
      parents: Buffer.concat(this.#parents),
      people: this.#people.strings.map(identityOf),
      isUnread: Uint8Array.from(isUnread),
      paths: this.#paths.strings,
      ...this.#hunks.finish(),
      ...uint32Columns(columns),
    });
    this.#files.write('tables', tables);
  }

  /** Closes and removes the files. */
  abandon(): void {
    for (const part of [this.#lines, this.#messages, this.#hunks]) part.abandon();
    this.#files.remove();
  }

  #addRecord({ hash, parents, time, authored, author, message }: CommitRecord): void {
    const columns = this.#columns;
    this.#hashes.push(Buffer.from(hash, 'hex'));
    for (const parent of parents) this.#parents.push(Buffer.from(parent, 'hex'));
    columns.parentStarts.push(this.#parents.length);
    columns.times.push(time);
    columns.authored.push(authored);
    columns.authors.push(this.#people.of(`${author.name}\0${author.email}`));
    this.#messages.add(Buffer.from(`${message}\n`));
    columns.messageStarts.push(this.#messages.bytes);
  }
}

const uint32Columns = <K extends string>(columns: Readonly<Record<K, readonly number[]>>): Record<K, Uint32Array> =>
  // Object.fromEntries loses the type of the keys.
  Object.fromEntries(
    Object.entries<readonly number[]>(columns).map(([name, column]) => [name, Uint32Array.from(column)]),
  ) as Record<K, Uint32Array>;

const identityOf = (person: string): { name: string; email: string } => {
  const [name = '', email = ''] = person.split('\0');
  return { name, email };
};

/** Strings without repetition, numbered from 0. */
class StringNumbers {
  readonly strings: string[] = [];
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.strings.length);
    return this.strings.push(text) - 1;
  }
}

/** A file of texts, and their block index. */
class WrittenTexts {
  readonly #builder = new ShardBuilder();
  readonly #file: AppendedFile;

  constructor(path: string) {
    this.#file = new AppendedFile(path);
  }

  get bytes(): number {
    return this.#file.bytes;
  }

  add(text: Uint8Array): void {
    this.#builder.add(text);
    this.#file.append(text);
  }

  finish(): Uint8Array {
    this.#file.finish();
    return this.#builder.finish();
  }

  abandon(): void {
    this.#file.abandon();
  }
}

/** A file of hunks in compressed frames. A commit is never split over two frames. */
class WrittenFrames {
  readonly #file: AppendedFile;
  #open: Uint8Array[] = [];
  #openBytes = 0;
  readonly #frameStarts = [0];
  readonly #columns = { patchFrame: [] as number[], patchStart: [] as number[], patchEnd: [] as number[] };

  constructor(path: string) {
    this.#file = new AppendedFile(path);
  }

  add(patch: Uint8Array): void {
    const { patchFrame, patchStart, patchEnd } = this.#columns;
    patchFrame.push(this.#frameStarts.length - 1);
    patchStart.push(this.#openBytes);
    patchEnd.push(this.#openBytes + patch.length);
    if (patch.length === 0) return;
    this.#open.push(patch);
    this.#openBytes += patch.length;
    if (this.#openBytes >= frameBytes) this.#close();
  }

  finish() {
    this.#close();
    this.#file.finish();
    return { frameStarts: Float64Array.from(this.#frameStarts), ...uint32Columns(this.#columns) };
  }

  abandon(): void {
    this.#file.abandon();
  }

  #close(): void {
    if (this.#openBytes === 0) return;
    this.#file.append(zstdCompressSync(Buffer.concat(this.#open), compression));
    this.#frameStarts.push(this.#file.bytes);
    this.#open = [];
    this.#openBytes = 0;
  }
}
