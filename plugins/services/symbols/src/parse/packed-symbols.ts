import type { Definition, FileSymbols, FileSyntax, Import, Reference, Role } from './file-symbols.ts';

/** Increase this when the packed format changes. Older packed symbols are not read any more. */
export const packVersion = 6;

/**
 * Packed symbols: the header, the table of words, their texts, one group for each, the imports as JSON. Words are in the order of
 * their code units, so that those of one name are found without reading the rest. A group has the definitions of its word, then the uses.
 */
const numberBytes = 3;
/** Words, bytes of their texts, bytes of the groups. */
const headerBytes = 3 * numberBytes;
/** Where the text and the group of a word end. */
const wordBytes = 2 * numberBytes;

const roles: readonly Role[] = ['other', 'call', 'type', 'import'];

/** What is known of a definition besides what each has. */
const definitionFlags = { isMember: 1, scope: 2, container: 4, type: 8, bases: 16, isPrivate: 32 };
const flagNames = ['isMember', 'scope', 'container', 'type', 'bases', 'isPrivate'] as const;
/** Below the role of a use. */
const useFlags = { isMember: 1, qualifier: 2 };

interface Group {
  readonly definitions: Definition[];
  readonly uses: Reference[];
}

/** What a file defines and uses, as bytes that `PackedSymbols` reads. */
export function pack({ definitions, references, imports }: FileSyntax): Uint8Array<ArrayBuffer> {
  const groups = groupsOf(definitions, references);
  const words = [...groups.keys()].sort();
  const numbers = new Map(words.map((word, index) => [word, index]));
  const numberOf = (word: string): number => numbers.get(word) ?? 0;
  const table = Buffer.alloc(headerBytes + words.length * wordBytes);
  const texts = Buffer.from(words.join(''));
  const packed = new ByteWriter();
  let textEnd = 0;
  for (const [index, word] of words.entries()) {
    const group = groups.get(word);
    if (group) writeGroup(packed, group, numberOf);
    textEnd += Buffer.byteLength(word);
    table.writeUIntLE(textEnd, headerBytes + index * wordBytes, numberBytes);
    table.writeUIntLE(packed.length, headerBytes + index * wordBytes + numberBytes, numberBytes);
  }
  for (const [index, size] of [words.length, texts.length, packed.length].entries())
    table.writeUIntLE(size, index * numberBytes, numberBytes);
  const tail = imports.length > 0 ? Buffer.from(JSON.stringify(imports)) : Buffer.alloc(0);
  return new Uint8Array(Buffer.concat([table, texts, packed.written, tail]));
}

/** A group for each word. Words that are no names have an empty group. */
function groupsOf(definitions: readonly Definition[], references: readonly Reference[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  const groupOf = (word: string): Group => {
    const known = groups.get(word);
    if (known) return known;
    const group = { definitions: [], uses: [] };
    groups.set(word, group);
    return group;
  };
  for (const one of definitions) {
    groupOf(one.name).definitions.push(one);
    for (const word of [one.kind, one.container, one.type, ...(one.bases ?? [])]) if (word !== undefined) groupOf(word);
  }
  for (const one of references) {
    groupOf(one.name).uses.push(one);
    if (one.qualifier !== undefined) groupOf(one.qualifier);
  }
  return groups;
}

type NumberOf = (word: string) => number;

function writeGroup(to: ByteWriter, { definitions, uses }: Group, numberOf: NumberOf): void {
  if (definitions.length + uses.length === 0) return;
  to.number(definitions.length);
  for (const one of definitions) writeDefinition(to, one, numberOf);
  let [line, at] = [0, 0];
  for (const use of uses) {
    const { qualifier } = use;
    const flags = (use.isMember ? useFlags.isMember : 0) + (qualifier === undefined ? 0 : useFlags.qualifier);
    to.number(roles.indexOf(use.role) * 4 + flags);
    to.signed(use.line - line);
    to.number(use.column);
    to.signed(use.at - at);
    if (qualifier !== undefined) to.number(numberOf(qualifier));
    ({ line, at } = use);
  }
}

function writeDefinition(to: ByteWriter, one: Definition, numberOf: NumberOf): void {
  const { isMember, scope, container, type, bases, isPrivate } = one;
  const present = { isMember: isMember || undefined, scope, container, type, bases, isPrivate };
  let flags = 0;
  for (const name of flagNames) if (present[name] !== undefined) flags += definitionFlags[name];
  to.number(flags);
  to.number(numberOf(one.kind));
  to.number(one.line);
  to.number(one.column);
  to.number(one.at);
  to.signed(one.startLine - one.line);
  to.signed(one.endLine - one.line);
  if (scope) {
    to.number(scope[0]);
    to.signed(scope[1] - scope[0]);
  }
  if (container !== undefined) to.number(numberOf(container));
  if (type !== undefined) to.number(numberOf(type));
  if (bases) to.number(bases.length);
  for (const base of bases ?? []) to.number(numberOf(base));
}

/** Names whose definitions stay in memory: following values asks for the same names again and again. */
const lastNames = 4;
/** For ASCII words the order of bytes is the order of code units. */
const isASCII = /^[\0-\x7F]*$/;

/** What a file defines and uses, decoded from its bytes on demand. */
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
      ...(flags & definitionFlags.isPrivate && { isPrivate: true as const }),
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

  /** Compares the word at an index with another, without decoding it. */
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

/** Whole numbers one after another, small ones in one byte. */
class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  /** From 0 below 2^31. */
  number(value: number): void {
    this.#reserve(5);
    let rest = value;
    for (; rest > 127; rest >>>= 7) this.#bytes[this.#length++] = (rest & 127) | 128;
    this.#bytes[this.#length++] = rest;
  }

  /** Of either sign, below 2^30. */
  signed(value: number): void {
    this.number(((value << 1) ^ (value >> 31)) >>> 0);
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + count));
    larger.set(this.written);
    this.#bytes = larger;
  }
}

/** Reads what a `ByteWriter` wrote. */
class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  number(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    return value >>> 0;
  }

  signed(): number {
    const value = this.number();
    return (value >>> 1) ^ -(value & 1);
  }

  /** As many as a number says. Damaged data may say too many. */
  list<T>(read: () => T): T[] {
    const items: T[] = [];
    for (let left = this.number(); left > 0 && !this.isAtEnd; left -= 1) items.push(read());
    return items;
  }
}
