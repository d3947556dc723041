import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Definition, FileSymbols, FileSyntax, Import, Reference } from './file-symbols.ts';

/** Increase this when the packed format changes. Symbols that were packed before are not read any more. */
export const packVersion = 8;

/**
 * The packed format is compressed with zstd. It has five parts:
 * - the number of names
 * - a table with an entry for each name: where its text ends, and where its group ends
 * - the names in the order of their UTF-8 bytes
 * - a group for each name, as JSON
 * - the imports, as JSON
 *
 * A name is found by halves, so that its group is read without the others.
 */
const numberBytes = 4;
const entryBytes = 2 * numberBytes;
/** Higher levels take longer and save little. The checksum finds damage. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } };

/** What a file has of one name. The arrays have no names of fields, to save space. */
type Group = readonly [definitions: readonly PackedDefinition[], uses: readonly PackedUse[]];

type PackedDefinition = readonly [
  kind: string,
  isMember: 0 | 1,
  line: number,
  column: number,
  at: number,
  startLine: number,
  endLine: number,
  others: Pick<Definition, 'container' | 'type' | 'bases' | 'isPrivate' | 'scope'>,
];

type PackedUse = readonly [
  role: Reference['role'],
  isMember: 0 | 1,
  line: number,
  column: number,
  at: number,
  qualifier?: string,
];

/** What a file defines and uses, as bytes that `PackedSymbols` reads. */
export function pack({ definitions, references, imports }: FileSyntax): Uint8Array<ArrayBuffer> {
  const definedBy = Map.groupBy(definitions, ({ name }) => name);
  const usedBy = Map.groupBy(references, ({ name }) => name);
  const groups = [...new Set([...definedBy.keys(), ...usedBy.keys()])]
    .map((name) => {
      const group: Group = [(definedBy.get(name) ?? []).map(packDefinition), (usedBy.get(name) ?? []).map(packUse)];
      return { name: Buffer.from(name), group: Buffer.from(JSON.stringify(group)) };
    })
    .toSorted((a, b) => Buffer.compare(a.name, b.name));
  const table = Buffer.alloc(groups.length * entryBytes);
  let [nameEnd, groupEnd] = [0, 0];
  for (const [index, { name, group }] of groups.entries()) {
    table.writeUInt32LE((nameEnd += name.length), index * entryBytes);
    table.writeUInt32LE((groupEnd += group.length), index * entryBytes + numberBytes);
  }
  const tail = Buffer.from(imports.length > 0 ? JSON.stringify(imports) : '');
  const count = Buffer.alloc(numberBytes);
  count.writeUInt32LE(groups.length);
  const parts = [count, table, ...groups.map(({ name }) => name), ...groups.map(({ group }) => group), tail];
  return new Uint8Array(zstdCompressSync(Buffer.concat(parts), compression));
}

function packDefinition(definition: Definition): PackedDefinition {
  // JSON leaves out the undefined name.
  const { kind, isMember, line, column, at, startLine, endLine, ...others } = { ...definition, name: undefined };
  return [kind, isMember ? 1 : 0, line, column, at, startLine, endLine, others];
}

function packUse({ role, isMember, line, column, at, qualifier }: Reference): PackedUse {
  const packed = [role, isMember ? 1 : 0, line, column, at] as const;
  return qualifier === undefined ? packed : [...packed, qualifier];
}

/** Names whose definitions stay in memory, because following values asks for the same names again. */
const lastNames = 4;

/** What a file defines and uses, decoded from its bytes on demand. */
export class PackedSymbols implements FileSymbols {
  readonly #bytes: Buffer;
  readonly #count: number;
  readonly #namesAt: number;
  readonly #groupsAt: number;
  readonly #importsAt: number;
  #definitions: readonly Definition[] | undefined;
  #references: readonly Reference[] | undefined;
  #imports: readonly Import[] | undefined;
  readonly #lastDefinitions = new Map<string, readonly Definition[]>();

  /** Throws for what `pack` did not make. */
  constructor(packed: Uint8Array) {
    this.#bytes = zstdDecompressSync(packed);
    this.#count = this.#numberAt(0);
    this.#namesAt = numberBytes + this.#count * entryBytes;
    this.#groupsAt = this.#namesAt + this.#nameEnd(this.#count - 1);
    this.#importsAt = this.#groupsAt + this.#groupEnd(this.#count - 1);
  }

  get definitions(): readonly Definition[] {
    this.#definitions ??= this.#ofAll((name, [definitions]) => definitions.map((one) => definitionOf(name, one)));
    return this.#definitions;
  }

  get references(): readonly Reference[] {
    this.#references ??= this.#ofAll((name, [, uses]) => uses.map((one) => referenceOf(name, one)));
    return this.#references;
  }

  get imports(): readonly Import[] {
    const text = this.#bytes.toString('utf8', this.#importsAt);
    this.#imports ??= text === '' ? [] : JSON.parse(text);
    return this.#imports ?? [];
  }

  get names(): string[] {
    return Array.from({ length: this.#count }, (_, index) => this.#name(index));
  }

  /** Each name, whether a definition of it can be seen from outside of a function, and whether it is used. */
  *roles(): Generator<{ name: string; isDefined: boolean; isUsed: boolean }, void, void> {
    for (let index = 0; index < this.#count; index += 1) {
      const [definitions, uses] = this.#group(index);
      const isDefined = definitions.some(([, , , , , , , { scope }]) => !scope);
      yield { name: this.#name(index), isDefined, isUsed: uses.length > 0 };
    }
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  definitionsOf(name: string): readonly Definition[] {
    const known = this.#lastDefinitions.get(name);
    if (known) return known;
    const [definitions] = this.#groupOf(name);
    const found = definitions.map((one) => definitionOf(name, one));
    if (this.#lastDefinitions.size >= lastNames) this.#lastDefinitions.clear();
    this.#lastDefinitions.set(name, found);
    return found;
  }

  usesOf(name: string): readonly Reference[] {
    const [, uses] = this.#groupOf(name);
    return uses.map((one) => referenceOf(name, one));
  }

  #ofAll<T extends { readonly at: number }>(read: (name: string, group: Group) => T[]): T[] {
    return this.names.flatMap((name, index) => read(name, this.#group(index))).sort((a, b) => a.at - b.at);
  }

  #groupOf(name: string): Group {
    const index = this.#find(name);
    return index === undefined ? [[], []] : this.#group(index);
  }

  #group(index: number): Group {
    const [start, end] = [this.#groupEnd(index - 1), this.#groupEnd(index)];
    return JSON.parse(this.#bytes.toString('utf8', this.#groupsAt + start, this.#groupsAt + end));
  }

  /** The index of a name; undefined if the file does not have it. */
  #find(name: string): number | undefined {
    const wanted = Buffer.from(name);
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >> 1;
      const [start, end] = [this.#nameEnd(middle - 1), this.#nameEnd(middle)];
      const order = this.#bytes.compare(wanted, 0, wanted.length, this.#namesAt + start, this.#namesAt + end);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  #name(index: number): string {
    return this.#bytes.toString('utf8', this.#namesAt + this.#nameEnd(index - 1), this.#namesAt + this.#nameEnd(index));
  }

  #nameEnd(index: number): number {
    return index < 0 ? 0 : this.#numberAt(numberBytes + index * entryBytes);
  }

  #groupEnd(index: number): number {
    return index < 0 ? 0 : this.#numberAt(numberBytes + index * entryBytes + numberBytes);
  }

  #numberAt(at: number): number {
    return this.#bytes.readUInt32LE(at);
  }
}

function definitionOf(name: string, packed: PackedDefinition): Definition {
  const [kind, isMember, line, column, at, startLine, endLine, others] = packed;
  return { name, kind, isMember: isMember === 1, line, column, at, startLine, endLine, ...others };
}

function referenceOf(name: string, [role, isMember, line, column, at, qualifier]: PackedUse): Reference {
  const use = { name, role, isMember: isMember === 1, line, column, at };
  return qualifier === undefined ? use : { ...use, qualifier };
}
