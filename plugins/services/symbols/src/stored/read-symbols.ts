import type { Definition, FileSymbols, Import, Reference } from '../file-symbols.ts';
import { ByteReader } from './bytes.ts';
import { definitionFlags, headerBytes, numberBytes, roles, useFlags, wordBytes } from './packed-symbols.ts';

/** Names of which what defines them is kept: who follows values asks for the same again and again. */
const lastNames = 4;
/** Of such words the order of their bytes is that of their code units. */
const isASCII = /^[\0-\x7F]*$/;

/** What a file defines and uses, taken out of its bytes where it is asked for. */
export class PackedSymbols implements FileSymbols {
  readonly #bytes: Buffer;
  readonly #count: number;
  readonly #textsAt: number;
  readonly #groupsAt: number;
  readonly #importsAt: number;
  #definitions: readonly Definition[] | undefined;
  #references: readonly Reference[] | undefined;
  #imports: readonly Import[] | undefined;
  readonly #lastDefinitions = new Map<number, readonly Definition[]>();

  /** Throws for what `pack` did not make. */
  constructor(packed: Uint8Array) {
    this.#bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
    const [count = 0, texts = 0, groups = 0] = [0, 1, 2].map((index) => this.#numberAt(index * numberBytes));
    this.#count = count;
    this.#textsAt = headerBytes + count * wordBytes;
    this.#groupsAt = this.#textsAt + texts;
    this.#importsAt = this.#groupsAt + groups;
    if (this.#importsAt > packed.length || this.#textEnd(count - 1) !== texts || this.#groupEnd(count - 1) !== groups)
      throw new Error('these are no packed symbols');
  }

  get definitions(): readonly Definition[] {
    this.#definitions ??= this.#ofAll((index) => this.#definitionsAt(index));
    return this.#definitions;
  }

  get references(): readonly Reference[] {
    this.#references ??= this.#ofAll((index) => this.#usesAt(index));
    return this.#references;
  }

  get imports(): readonly Import[] {
    const text = this.#bytes.toString('utf8', this.#importsAt);
    this.#imports ??= text === '' ? [] : JSON.parse(text);
    return this.#imports ?? [];
  }

  get names(): string[] {
    return this.#named().map((index) => this.#word(index));
  }

  /** Each name, whether a definition of it can be seen from outside of a function, and whether it is used. */
  *roles(): Generator<{ name: string; isDefined: boolean; isUsed: boolean }, void, void> {
    for (const index of this.#named()) {
      const name = this.#word(index);
      const reader = this.#group(index);
      const definitions = reader.list(() => this.#definition(reader, name));
      yield { name, isDefined: definitions.some(({ scope }) => !scope), isUsed: !reader.isAtEnd };
    }
  }

  has(name: string): boolean {
    const index = this.#find(name);
    return index >= 0 && this.#groupEnd(index) > this.#groupEnd(index - 1);
  }

  definitionsOf(name: string): readonly Definition[] {
    const index = this.#find(name);
    if (index < 0) return [];
    const known = this.#lastDefinitions.get(index);
    if (known) return known;
    const found = this.#definitionsAt(index);
    if (this.#lastDefinitions.size >= lastNames) this.#lastDefinitions.clear();
    this.#lastDefinitions.set(index, found);
    return found;
  }

  usesOf(name: string): readonly Reference[] {
    const index = this.#find(name);
    return index < 0 ? [] : this.#usesAt(index);
  }

  #ofAll<T extends { readonly at: number }>(read: (index: number) => T[]): T[] {
    return this.#named()
      .flatMap(read)
      .sort((a, b) => a.at - b.at);
  }

  /** The words that are names. */
  #named(): number[] {
    const all: number[] = [];
    for (let index = 0; index < this.#count; index += 1)
      if (this.#groupEnd(index) > this.#groupEnd(index - 1)) all.push(index);
    return all;
  }

  #definitionsAt(index: number): Definition[] {
    const reader = this.#group(index);
    if (reader.isAtEnd) return [];
    const name = this.#word(index);
    return reader.list(() => this.#definition(reader, name));
  }

  #usesAt(index: number): Reference[] {
    const reader = this.#group(index);
    if (reader.isAtEnd) return [];
    const name = this.#word(index);
    reader.list(() => skipDefinition(reader));
    const uses: Reference[] = [];
    let [line, at] = [0, 0];
    while (!reader.isAtEnd) {
      const flags = reader.number();
      line += reader.signed();
      const column = reader.number();
      at += reader.signed();
      const use = {
        name,
        role: roles[flags >> 2] ?? 'other',
        isMember: (flags & useFlags.isMember) > 0,
        line,
        column,
        at,
      };
      uses.push(flags & useFlags.qualifier ? { ...use, qualifier: this.#word(reader.number()) } : use);
    }
    return uses;
  }

  #definition(reader: ByteReader, name: string): Definition {
    const flags = reader.number();
    const kind = this.#word(reader.number());
    const [line, column, at] = [reader.number(), reader.number(), reader.number()];
    const [startLine, endLine] = [line + reader.signed(), line + reader.signed()];
    const isMember = (flags & definitionFlags.isMember) > 0;
    const start = flags & definitionFlags.scope ? reader.number() : 0;
    return {
      name,
      kind,
      isMember,
      line,
      column,
      at,
      startLine,
      endLine,
      ...(flags & definitionFlags.scope && { scope: [start, start + reader.signed()] as const }),
      ...(flags & definitionFlags.container && { container: this.#word(reader.number()) }),
      ...(flags & definitionFlags.type && { type: this.#word(reader.number()) }),
      ...(flags & definitionFlags.bases && {
        bases: reader.list(() => this.#word(reader.number())),
      }),
    };
  }

  #find(word: string): number {
    const compare = isASCII.test(word) ? this.#compareBytes : this.#compareTexts;
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare.call(this, middle, word) < 0) low = middle + 1;
      else high = middle;
    }
    return low < this.#count && compare.call(this, low, word) === 0 ? low : -1;
  }

  /** How the word at an index stands to another, without a text being made of it. */
  #compareBytes(index: number, word: string): number {
    const start = this.#textsAt + this.#textEnd(index - 1);
    const length = this.#textsAt + this.#textEnd(index) - start;
    for (let at = 0; at < word.length && at < length; at += 1) {
      const difference = (this.#bytes[start + at] ?? 0) - word.charCodeAt(at);
      if (difference !== 0) return difference;
    }
    return length - word.length;
  }

  #compareTexts(index: number, word: string): number {
    const text = this.#word(index);
    return text === word ? 0 : text < word ? -1 : 1;
  }

  #word(index: number): string {
    return this.#bytes.toString('utf8', this.#textsAt + this.#textEnd(index - 1), this.#textsAt + this.#textEnd(index));
  }

  #group(index: number): ByteReader {
    const [start, end] = [this.#groupEnd(index - 1), this.#groupEnd(index)];
    return new ByteReader(this.#bytes, this.#groupsAt + start, this.#groupsAt + end);
  }

  #textEnd(index: number): number {
    return index < 0 ? 0 : this.#numberAt(headerBytes + index * wordBytes);
  }

  #groupEnd(index: number): number {
    return index < 0 ? 0 : this.#numberAt(headerBytes + index * wordBytes + numberBytes);
  }

  #numberAt(at: number): number {
    return this.#bytes.readUIntLE(at, numberBytes);
  }
}

function skipDefinition(reader: ByteReader): void {
  const flags = reader.number();
  const { scope, container, type, bases } = definitionFlags;
  const numbers = 6 + (flags & scope ? 2 : 0) + (flags & container ? 1 : 0) + (flags & type ? 1 : 0);
  for (let left = numbers; left > 0; left -= 1) reader.number();
  if (flags & bases) reader.list(() => reader.number());
}
