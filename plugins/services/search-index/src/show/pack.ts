import type { FoundChunk, FoundLines, FoundMatch } from '../pool/protocol.ts';

/** Files as one text and one list of numbers, because threads exchange single objects far more slowly. */
export interface PackedFiles {
  readonly text: string;
  readonly numbers: Float64Array<ArrayBuffer>;
  /** `FoundLines.parts` of each file, where they are asked for: then the time does not matter. */
  readonly parts?: readonly FoundLines['parts'][];
}

export function packFiles(files: readonly FoundLines[]): PackedFiles {
  const texts: string[] = [];
  const numbers: number[] = [];
  for (const { target, file, path, score, matchCount, chunks, matches } of files) {
    numbers.push(target, file, score, matchCount, path.length, chunks.length, matches.length);
    texts.push(path);
    for (const { startLine, endLine, text } of chunks) {
      numbers.push(startLine, endLine, text.length);
      texts.push(text);
    }
    for (const { chunk, line, ranges } of matches) {
      numbers.push(chunk, line, ranges.length);
      for (const [start, end] of ranges) numbers.push(start, end);
    }
  }
  const parts = files.some((file) => file.parts) && { parts: files.map((file) => file.parts) };
  return { text: texts.join(''), numbers: new Float64Array(numbers), ...parts };
}

export function unpackFiles(packed: PackedFiles): FoundLines[] {
  const unpacker = new Unpacker(packed);
  const files: FoundLines[] = [];
  while (!unpacker.isAtEnd) files.push(unpacker.file());
  if (!packed.parts) return files;
  return files.map((file, i) => ({ ...file, ...(packed.parts?.[i] && { parts: packed.parts[i] }) }));
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
    const path = this.#text();
    const [chunkCount, matchTotal] = [this.#next(), this.#next()];
    const [chunks, matches]: [FoundChunk[], FoundMatch[]] = [[], []];
    for (let i = 0; i < chunkCount; i += 1) chunks.push(this.#chunk());
    for (let i = 0; i < matchTotal; i += 1) matches.push(this.#match());
    return { target, file, path, score, matchCount, chunks, matches };
  }

  #chunk(): FoundChunk {
    const [startLine, endLine] = [this.#next(), this.#next()];
    return { startLine, endLine, text: this.#text() };
  }

  #match(): FoundMatch {
    const [chunk, line, count] = [this.#next(), this.#next(), this.#next()];
    // Mostly there is one; a list that grows takes room for seventeen.
    if (count === 1) return { chunk, line, ranges: [this.#range()] };
    const ranges: [number, number][] = [];
    for (let i = 0; i < count; i += 1) ranges.push(this.#range());
    return { chunk, line, ranges };
  }

  #range(): [number, number] {
    return [this.#next(), this.#next()];
  }

  #next(): number {
    const number = this.#packed.numbers[this.#at] ?? 0;
    this.#at += 1;
    return number;
  }

  #text(): string {
    const start = this.#textAt;
    this.#textAt += this.#next();
    return this.#packed.text.slice(start, this.#textAt);
  }
}
