import type { FoundLines } from './protocol.ts';

/** Files as one text and one list of numbers: between threads objects cost ten times as much, each by each. */
export interface PackedFiles {
  readonly text: string;
  readonly numbers: Float64Array<ArrayBuffer>;
}

type Chunks = FoundLines['chunks'];
type Match = FoundLines['matches'][number];

/** Instead of the length of a text: the line is one of those that are shown. */
const isShown = -1;

const shownLine = (chunks: Chunks, line: number): string | undefined => {
  const chunk = chunks.find(({ startLine, endLine }) => line >= startLine && line <= endLine);
  return chunk?.lines[line - chunk.startLine];
};

export function packFiles(files: readonly FoundLines[]): PackedFiles {
  const packer = new Packer();
  for (const file of files) packer.addFile(file);
  return packer.packed;
}

class Packer {
  readonly #texts: string[] = [];
  readonly #numbers: number[] = [];

  get packed(): PackedFiles {
    return { text: this.#texts.join(''), numbers: Float64Array.from(this.#numbers) };
  }

  addFile({ target, file, path, score, matchCount, chunks, matches }: FoundLines): void {
    this.#numbers.push(target, file, score, matchCount, chunks.length, matches.length);
    this.#addText(path);
    for (const { startLine, endLine, lines } of chunks) {
      this.#numbers.push(startLine, endLine, lines.length);
      for (const line of lines) this.#addText(line);
    }
    for (const match of matches) this.#addMatch(match, chunks);
  }

  #addMatch({ line, text, ranges }: Match, chunks: Chunks): void {
    this.#numbers.push(line, ranges.length);
    for (const [start, end] of ranges) this.#numbers.push(start, end);
    if (shownLine(chunks, line) === text) this.#numbers.push(isShown);
    else this.#addText(text);
  }

  #addText(text: string): void {
    this.#texts.push(text);
    this.#numbers.push(text.length);
  }
}

export function unpackFiles(packed: PackedFiles): FoundLines[] {
  const unpacker = new Unpacker(packed);
  const files: FoundLines[] = [];
  while (!unpacker.isAtEnd) files.push(unpacker.file());
  return files;
}

class Unpacker {
  readonly #packed: PackedFiles;
  /** Places in the numbers and in the text. */
  #at = 0;
  #textAt = 0;

  constructor(packed: PackedFiles) {
    this.#packed = packed;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#packed.numbers.length;
  }

  file(): FoundLines {
    const [target, file, score, matchCount] = [this.#next(), this.#next(), this.#next(), this.#next()];
    const [chunkCount, matchTotal] = [this.#next(), this.#next()];
    const path = this.#text(this.#next());
    const chunks = this.#list(chunkCount, () => this.#chunk());
    const matches = this.#list(matchTotal, () => this.#match(chunks));
    return { target, file, path, score, matchCount, chunks, matches };
  }

  #chunk(): Chunks[number] {
    const [startLine, endLine, count] = [this.#next(), this.#next(), this.#next()];
    return { startLine, endLine, lines: this.#list(count, () => this.#text(this.#next())) };
  }

  #match(chunks: Chunks): Match {
    const [line, count] = [this.#next(), this.#next()];
    const ranges = this.#list(count, (): [number, number] => [this.#next(), this.#next()]);
    const length = this.#next();
    return { line, text: length === isShown ? (shownLine(chunks, line) ?? '') : this.#text(length), ranges };
  }

  #list<T>(count: number, make: () => T): T[] {
    const list: T[] = [];
    for (let i = 0; i < count; i += 1) list.push(make());
    return list;
  }

  #next(): number {
    const number = this.#packed.numbers[this.#at] ?? 0;
    this.#at += 1;
    return number;
  }

  #text(length: number): string {
    this.#textAt += length;
    return this.#packed.text.slice(this.#textAt - length, this.#textAt);
  }
}
